/**
 * Programs that run another one somewhere else: of a package that may have to be fetched (`npx`, `uvx`), or in a container. People
 * allow them by a rule such as `npx prettier *`, so that is enough; only what speaks against the inner command counts, and where its
 * name stands among their options is not told: each word may be it.
 */
import type { Hidden } from './hidden.ts';
import { findOption, mayHoldOption, operandsOf, type Among, type Options } from './options.ts';
import { literalWord, textOf, type Word } from './word.ts';

interface Wrapper {
  /** Words behind which the command stands; behind the program's name where there are none. */
  after?: readonly string[];
  /** Options before the first operand, that run something. */
  options?: Among;
  /** Options that may stand before its own command. */
  globals?: Options;
  /** Whether its command, with which the words begin, changes what later ones run, or writes outside of the folder. */
  settings?: (words: readonly string[]) => boolean;
}

const NPM: Among = {
  long: `call script-shell node-options node-gyp shell git editor viewer browser init-module userconfig globalconfig global
    location`,
  letters: 'cg',
};
const YARN: Among = { long: 'use-yarnrc yarn-path' };
const BUN: Among = { long: 'preload require import config global', letters: 'rcg' };
/** What may stand before their command. */
const NPM_GLOBALS: Options = {
  flags: 'sqdfynvh',
  values: 'wC',
  long: `silent quiet verbose yes force offline prefer-offline ignore-scripts if-present json workspaces version help
    prefix= loglevel= workspace= registry=`,
};
const PNPM_GLOBALS: Options = {
  flags: 'rswvh',
  values: 'CF',
  long: 'recursive silent workspace-root version help filter= dir= reporter=',
};
const OTHER_GLOBALS: Options = { flags: 'svh', long: 'silent json version help cwd=' };
/** Of npm, which lets them be cut short: those that change neither settings nor what is outside. */
const NPM_COMMANDS = new Set(
  `access add audit bugs ci cit clean-install clean-install-test completion create ddp dedupe deprecate diff dist-tag dist-tags
   docs doctor exec explain explore find find-dupes fund get help help-search home i ic in info init innit ins install
   install-ci-test install-clean install-test isntall issues it la list ll ls outdated owner pack ping prefix prune publish
   query r rb rebuild remove repo restart rm root rum run run-script s sbom se search show shrinkwrap start stop t test tst un
   uninstall unpublish up update upgrade urn v version view whoami why x`.split(/\s+/),
);
const OTHER_SETTINGS =
  /^(config|c) (?!(get|list|ls)\b)|^pkg (?!get\b)|^pm (?!(ls|bin|hash|cache)\b)|^(adduser|add-user|approve-builds|edit|env|global|link|ln|login|logout|plugin|policies|self-update|set|set-script|setup|unlink)\b/;

function changesNpm([command, what = '']: readonly string[]): boolean {
  if (command === 'config' || command === 'c') return !/^(get|list|ls)$/.test(what);
  return command === 'pkg' ? what !== 'get' : command !== undefined && !NPM_COMMANDS.has(command);
}

function changesOther(words: readonly string[]): boolean {
  return OTHER_SETTINGS.test(words.join(' '));
}

const CONTAINER: Wrapper = { after: ['run', 'exec'] };

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  npx: { options: NPM },
  pnpx: { options: NPM },
  bunx: {},
  uvx: {},
  npm: { after: ['exec', 'x', 'explore'], options: NPM, globals: NPM_GLOBALS, settings: changesNpm },
  pnpm: { after: ['exec', 'dlx'], options: NPM, globals: PNPM_GLOBALS, settings: changesOther },
  yarn: { after: ['exec', 'dlx'], options: YARN, globals: OTHER_GLOBALS, settings: changesOther },
  bun: { after: ['x'], options: BUN, globals: OTHER_GLOBALS, settings: changesOther },
  uv: { after: ['run', 'tool'] },
  pipx: { after: ['run'] },
  poetry: { after: ['run'] },
  pdm: { after: ['run'] },
  pipenv: { after: ['run'] },
  conda: { after: ['run'] },
  hatch: { after: ['run'] },
  bundle: { after: ['exec'] },
  rbenv: { after: ['exec'] },
  pyenv: { after: ['exec'] },
  asdf: { after: ['exec'] },
  mise: { after: ['exec', 'x'] },
  direnv: { after: ['exec'] },
  docker: CONTAINER,
  podman: CONTAINER,
  nerdctl: CONTAINER,
  'docker-compose': CONTAINER,
  kubectl: CONTAINER,
  oc: CONTAINER,
};

/** Names that only a shell takes for a command. */
const NO_PROGRAMS = ['.', 'source'];
const MOST = 100;

export function wrapperHides(words: readonly Word[], name: string): Hidden {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return {};
  const { after, options } = wrapper;
  const setting = settingIn(words, wrapper);
  if (setting !== undefined) return { ask: [`changes what ${name} runs, or what is outside: ${setting}`] };
  const option = options === undefined ? undefined : findOption(optionsOf(words, after), options);
  if (option !== undefined)
    return { ask: [`may run a command, or reach outside, by an option of ${name}: ${option.source}`] };
  const at = after === undefined ? 0 : words.findIndex((word, index) => index > 0 && isOne(word, after));
  if (at < 0) return {};
  const given = words.slice(at + 1);
  const operands = given.flatMap((word, index) => (isOperand(word) && !isOne(word, NO_PROGRAMS) ? [index] : []));
  const [first] = operands;
  // What stands before the first word that is no option may be the command, or another one's option.
  const unknown = given.slice(0, first).find((word) => textOf(word) === undefined);
  if (unknown !== undefined)
    return { ask: [`runs a command that is only known when it runs: ${name} ${unknown.source}`] };
  if (operands.length > MOST) return { ask: [`has too many words to tell the command: ${name}`] };
  return { within: operands.map((index) => given.slice(index)) };
}

/** The words among which options of the program itself may stand. */
function optionsOf(words: readonly Word[], after: readonly string[] | undefined): readonly Word[] {
  const end = words.findIndex(
    (word, index) => index > 0 && (textOf(word) === '--' || (after === undefined && isOperand(word))),
  );
  // One dash is as good as two to npm.
  return words
    .slice(1, end < 0 ? words.length : end)
    .flatMap((word) => (/^-[^-][^]/.test(textOf(word) ?? '') ? [word, literalWord(`-${textOf(word) ?? ''}`)] : [word]));
}

/** Where an option is not known, its own command may be any of the words. */
function settingIn(words: readonly Word[], { globals = {}, settings }: Wrapper): string | undefined {
  if (settings === undefined) return undefined;
  const given = words.slice(1);
  const known = operandsOf(given, globals)?.words;
  const commands = known === undefined ? given.map((_, index) => given.slice(index)) : [known];
  return commands
    .map((command) => command.map((word) => textOf(word) ?? '?'))
    .filter(([first]) => first?.startsWith('-') !== true)
    .find((command) => settings(command))
    ?.slice(0, 2)
    .join(' ');
}

function isOne(word: Word, names: readonly string[]): boolean {
  return names.includes(textOf(word) ?? '');
}

function isOperand(word: Word): boolean {
  return textOf(word) !== undefined && !mayHoldOption(word);
}
