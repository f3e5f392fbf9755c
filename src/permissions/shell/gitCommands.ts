/**
 * The commands of `git` that are known, with their options. What is missing here is asked: commands that run others (`bisect run`,
 * `filter-branch`, `difftool`), or write files where an option says (`archive`, `format-patch`), settings, and aliases.
 */
import type { Options } from './options.ts';

/** None of their options names a program to run or a file to write. */
export const HARMLESS: ReadonlySet<string> = new Set(
  `add branch check-attr check-ignore checkout commit count-objects describe for-each-ref fsck gc ls-files ls-tree
   merge-base mv name-rev notes remote reset restore rev-parse rm show-ref status switch symbolic-ref tag var version`.split(
    /\s+/,
  ),
);

interface GitCommand {
  options: Options;
  /** What the first operand may be. */
  first?: readonly string[];
}

const HISTORY = `oneline graph decorate=? no-decorate clear-decorations all branches=? tags=? remotes=? glob= exclude= pretty=?
  format= abbrev-commit no-abbrev-commit abbrev=? no-abbrev date= relative-date since= until= after= before= author=
  committer= grep= all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp merges
  no-merges min-parents= max-parents= first-parent max-count= skip= reverse follow topo-order date-order author-date-order
  full-history dense sparse show-pulls ancestry-path=? simplify-merges simplify-by-decoration left-right left-only right-only
  cherry-pick cherry-mark cherry boundary walk-reflogs merge source show-signature notes=? no-notes parents children
  encoding= no-walk=? do-walk log-size count objects timestamp ignore-missing expand-tabs=? no-expand-tabs reflog not`;
const CHANGES = `patch no-patch patch-with-stat raw stat=? numstat shortstat dirstat=? cumulative compact-summary summary
  name-only name-status color=? no-color color-moved=? no-color-moved color-moved-ws= color-words=? word-diff=?
  word-diff-regex= renames no-renames rename-empty no-rename-empty find-renames=? find-copies=? find-copies-harder
  break-rewrites=? irreversible-delete diff-filter= ignore-space-change ignore-all-space ignore-blank-lines
  ignore-space-at-eol ignore-cr-at-eol ignore-matching-lines= unified= inter-hunk-context= function-context minimal patience
  histogram anchored= diff-algorithm= indent-heuristic no-indent-heuristic text no-prefix default-prefix src-prefix=
  dst-prefix= line-prefix= relative=? no-relative exit-code quiet check ws-error-highlight= cached staged merge-base no-index
  no-ext-diff no-textconv submodule=? ignore-submodules=? full-index binary pickaxe-all pickaxe-regex find-object= cc
  combined-all-paths diff-merges= no-diff-merges remerge-diff dd base ours theirs ita-invisible-in-index skip-to= rotate-to=
  root null unmerged`;
const LOG = {
  flags: 'psuzabwRWrtcmgqiEFPD',
  values: 'UnlSGLMCBIX',
  long: `${HISTORY} ${CHANGES}`,
  number: true,
  anywhere: true,
} satisfies Options;
const FETCH = `all append no-append atomic depth= deepen= shallow-since= shallow-exclude= unshallow update-shallow dry-run force
  keep prune no-prune prune-tags tags no-tags refetch recurse-submodules=? no-recurse-submodules jobs= set-upstream quiet
  verbose progress no-progress ipv4 ipv6 negotiation-tip= porcelain filter= server-option= show-forced-updates
  no-show-forced-updates update-head-ok multiple write-fetch-head no-write-fetch-head`;
const MERGE = `commit no-commit edit no-edit ff no-ff ff-only squash no-squash abort continue quit stat no-stat log=? no-log
  signoff no-signoff into-name= verify no-verify quiet verbose progress no-progress autostash no-autostash
  allow-unrelated-histories strategy-option= gpg-sign=? no-gpg-sign rerere-autoupdate no-rerere-autoupdate overwrite-ignore
  no-overwrite-ignore verify-signatures no-verify-signatures cleanup=`;
const PICK: Options = {
  flags: 'enxsr',
  values: 'mXS',
  long: `edit no-edit no-commit signoff mainline= continue abort skip quit ff allow-empty allow-empty-message
    keep-redundant-commits empty= strategy-option= cleanup= reference gpg-sign=? no-gpg-sign rerere-autoupdate
    no-rerere-autoupdate`,
  anywhere: true,
};
const BLAME: Options = {
  flags: 'clpsbtfnwek',
  values: 'LSMC',
  long: `porcelain line-porcelain incremental root show-stats show-name show-number show-email score-debug date= since=
    reverse=? first-parent ignore-rev= ignore-revs-file= progress no-progress color-lines color-by-age minimal abbrev=
    contents=`,
  anywhere: true,
};

/** Commands with other options besides, that do so. */
export const GIT_COMMANDS: ReadonlyMap<string, GitCommand> = new Map<string, GitCommand>([
  ...['log', 'show', 'diff', 'whatchanged', 'rev-list', 'diff-tree', 'diff-index', 'diff-files', 'reflog'].map(
    (name): [string, GitCommand] => [name, { options: LOG }],
  ),
  [
    'shortlog',
    { options: { ...LOG, flags: `${LOG.flags}ne`, values: 'w', long: `${LOG.long} summary numbered email group=` } },
  ],
  // Without what takes files away that are ignored: sessions are such.
  ['clean', { options: { flags: 'dfnq', long: 'force dry-run quiet', anywhere: true } }],
  [
    'worktree',
    {
      options: {
        flags: 'fdvz',
        values: 'bB',
        long: `force detach checkout no-checkout guess-remote no-guess-remote track no-track lock orphan porcelain reason=
          quiet verbose expire= dry-run`,
        anywhere: true,
      },
      first: ['add', 'list', 'lock', 'unlock', 'prune', 'repair'],
    },
  ],
  [
    'stash',
    {
      options: {
        ...LOG,
        flags: `${LOG.flags.replace('a', '')}kS`,
        values: `${LOG.values}m`,
        long: `${LOG.long.replace(/\ball\b/, '')} include-untracked only-untracked keep-index no-keep-index index message=`,
      },
      first: ['push', 'save', 'list', 'show', 'pop', 'apply', 'drop', 'clear', 'branch', 'create', 'store'],
    },
  ],
  ['blame', { options: BLAME }],
  ['annotate', { options: BLAME }],
  [
    'grep',
    {
      options: {
        flags: 'ivwcnlLrhHaIEFGPopWqz',
        values: 'eABCfm',
        long: `ignore-case invert-match word-regexp count line-number column files-with-matches name-only
          files-without-match extended-regexp basic-regexp perl-regexp fixed-strings text untracked cached no-index
          exclude-standard no-exclude-standard recurse-submodules max-depth= heading break show-function function-context
          context= after-context= before-context= and or not all-match quiet color=? no-color only-matching full-name null
          max-count= threads= recursive no-recursive`,
        number: true,
        anywhere: true,
      },
    },
  ],
  ['fetch', { options: { flags: 'aftnpPkqvu46m', values: 'jo', long: FETCH, anywhere: true } }],
  [
    'pull',
    {
      options: {
        flags: 'aftnpkqv46er',
        values: 'joXS',
        long: `${FETCH} ${MERGE} rebase=? no-rebase`,
        anywhere: true,
      },
    },
  ],
  [
    'push',
    {
      options: {
        flags: 'ufnqvd46',
        values: 'o',
        long: `all branches mirror tags follow-tags no-follow-tags force force-with-lease=? no-force-with-lease
          force-if-includes no-force-if-includes dry-run porcelain delete prune set-upstream quiet verbose progress
          no-progress verify no-verify atomic no-atomic thin no-thin signed=? no-signed push-option= recurse-submodules=
          no-recurse-submodules ipv4 ipv6`,
        anywhere: true,
      },
    },
  ],
  ['merge', { options: { flags: 'enqv', values: 'mXSF', long: `${MERGE} file=`, anywhere: true } }],
  [
    'rebase',
    {
      options: {
        flags: 'iqvmrfnk',
        values: 'XSC',
        long: `interactive onto= keep-base root continue abort skip quit edit-todo show-current-patch autosquash
          no-autosquash autostash no-autostash rebase-merges=? no-rebase-merges no-ff force-rebase fork-point no-fork-point
          keep-empty no-keep-empty empty= quiet verbose stat no-stat verify no-verify update-refs no-update-refs
          strategy-option= committer-date-is-author-date ignore-date reset-author-date signoff merge apply
          ignore-whitespace whitespace= reapply-cherry-picks no-reapply-cherry-picks gpg-sign=? no-gpg-sign`,
        anywhere: true,
      },
    },
  ],
  ['cherry-pick', { options: PICK }],
  ['revert', { options: PICK }],
  [
    'clone',
    {
      options: {
        flags: 'lsnqv46',
        values: 'boj',
        long: `depth= branch= single-branch no-single-branch no-checkout local no-local no-hardlinks shared quiet verbose
          progress origin= tags no-tags shallow-since= shallow-exclude= shallow-submodules no-shallow-submodules
          recurse-submodules=? jobs= filter= sparse ipv4 ipv6`,
        anywhere: true,
      },
    },
  ],
  [
    'init',
    {
      options: {
        flags: 'q',
        values: 'b',
        long: 'quiet initial-branch= object-format= ref-format=',
        anywhere: true,
      },
    },
  ],
  [
    'ls-remote',
    {
      options: {
        flags: 'hbtq',
        values: 'o',
        long: 'heads branches tags refs quiet exit-code get-url sort= symref',
        anywhere: true,
      },
    },
  ],
  [
    'cat-file',
    { options: { flags: 'tpse', long: 'batch=? batch-check=? batch-all-objects buffer unordered', anywhere: true } },
  ],
  [
    'submodule',
    {
      options: {
        flags: 'qfbN',
        long: `quiet recursive cached init remote checkout merge rebase force depth= jobs= no-fetch no-recommend-shallow
          recommend-shallow single-branch no-single-branch progress all name= branch=`,
        anywhere: true,
      },
      first: ['status', 'update', 'init', 'sync', 'add', 'deinit', 'set-branch', 'set-url'],
    },
  ],
  [
    'bisect',
    {
      options: { long: 'no-checkout first-parent term-old= term-new= term-good= term-bad=', anywhere: true },
      first: ['start', 'good', 'bad', 'old', 'new', 'skip', 'next', 'reset', 'log', 'terms'],
    },
  ],
]);
