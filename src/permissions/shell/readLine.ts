/**
 * What a shell line would do, as far as its text tells (P2, P4): its commands, also those that others run, the places it can be
 * seen to lead to, and why it has to be asked whatever the rules allow. Reading is conservative: what is not surely understood is
 * a reason to ask.
 */
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { bringsFiles, fileNamedBy, findsBehindFolder, looksAround } from './brought.ts';
import type { ShellLanguage, Step } from './findings.ts';
import { gitFolders } from './gitFolders.ts';
import { gitAdds } from './gitReach.ts';
import { parseShell } from './grammar.ts';
import { hiddenIn, nameOf } from './hidden.ts';
import { ownShellReason } from './ownShell.ts';
import { mayLeadUp, Places } from './places.ts';
import { readScript } from './script.ts';
import { takesNoFiles } from './noFiles.ts';
import { variantsOf, type Values } from './variables.ts';
import { changesOf } from './wholeChanges.ts';
import { wholeOf, type WholeFolder } from './wholeFolders.ts';
import { literalWord, shellWord, textOf, UNKNOWN, type ShellWord, type Word } from './word.ts';

export interface ShellReading {
  /**
   * Words of every simple command anywhere in the line, also of those that another one runs (`bash -c`, `xargs`, `env`, `sudo`,
   * `find -exec`): what the program would get. A word that is only known when it runs is DYNAMIC: one word, several, or none.
   * The wrapping command is listed too.
   */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Words of what may be a command that a listed one runs elsewhere (`npx`, `docker exec`): only rules against it count. */
  readonly within: readonly (readonly ShellWord[])[];
  /** Absolute real paths that arguments, input redirections and `cd` targets show; whether they exist is not said. */
  readonly reads: readonly string[];
  /** Absolute real paths that redirections write (`/dev/null` is none). */
  readonly writes: readonly string[];
  /** Folders of which all files are read or changed, or those of some names (`grep -r`, `rm -r`). */
  readonly wholes: readonly WholeFolder[];
  /** Why it is asked whatever the rules allow; each stands behind "it". */
  readonly ask: readonly string[];
  /** It may run commands that are not among `commands`. */
  readonly unread: boolean;
}

export interface ShellPlace {
  /** Absolute real path of where the shell stands. */
  cwd: string;
  /** Absolute. */
  home: string;
  /** Of the shell that runs the line; bash when it is left out. */
  language?: ShellLanguage | undefined;
}

/** Does not throw, whatever the line is. */
export async function readShellLine(line: string, place: ShellPlace): Promise<ShellReading> {
  const reader = new LineReader(place);
  await reader.line(line, 0, place.language ?? 'bash');
  return reader.reading();
}

/** Of the lines that shells are given; other shells are asked. */
const LANGUAGES = new Map<string, ShellLanguage>([
  ['bash', 'bash'],
  ['sh', 'sh'],
  ['dash', 'sh'],
  ['ash', 'sh'],
]);
const DEEPEST = 8;
const MOST_COMMANDS = 200;
/** In UTF-16 units, of the line and all lines in it. */
const MOST_LENGTH = 40_000;
const MOST_WORDS = 3000;
const MOST_FOLDERS = 24;
const MOST_REASONS = 12;
/** Where programs are by custom; naming one of these with its folder leads nowhere else. */
const PROGRAM_FOLDERS = /^(\/usr|\/usr\/local|\/opt\/homebrew)?\/s?bin\/[^/]+$/;
/** Options of many programs by which they stand in another folder. */
const FOLDER_OPTION = /^(?:-[CD]|--(?:directory|chdir|cwd|prefix|git-dir|work-tree)(?=$|=))(?:=?(.+))?$/;

/** What holds for all commands of a line. */
interface Scope {
  readonly language: ShellLanguage;
  readonly values: Values;
  /** They are given what `find` finds, which lies where it looks. */
  readonly found?: boolean;
  /** They run in folders that are not known. */
  readonly elsewhere?: boolean;
}

class LineReader {
  readonly #commands: (readonly ShellWord[])[] = [];
  readonly #within: (readonly ShellWord[])[] = [];
  readonly #reads = new Set<string>();
  readonly #writes = new Set<string>();
  readonly #wholes: WholeFolder[] = [];
  readonly #ask = new Set<string>();
  /** It makes files known to Git, which are among what Git tracks for other commands of the line. */
  #adds = false;
  /** What only together leads to places that cannot be seen: a new link is moved, or gone through and up from. */
  readonly #does = new Set<'link' | 'move' | 'up'>();
  /** It brings files from elsewhere, and names one. */
  #brings = false;
  #named: Word | undefined;
  /** The folder that it changes to then. */
  #entered: Word | undefined;
  #stopped = false;
  #unread = false;
  #length = 0;
  #shown = 0;
  readonly #places: Places;
  readonly #home: string;
  /** Where the line may stand; too many rather than too few, since it is not known which of its commands run. */
  #folders: Set<string>;
  /** Those that are widened to again, and where the last `cd` led. */
  readonly #wider: Set<string>[] = [];
  #moved: Set<string> | undefined;

  constructor({ cwd, home }: ShellPlace) {
    this.#places = new Places(home);
    this.#home = home;
    this.#folders = new Set([cwd]);
  }

  reading(): ShellReading {
    if (this.#does.has('link') && this.#does.size > 1)
      this.#ask.add('makes a link, by which other words of the line may lead elsewhere');
    if (this.#brings && this.#named !== undefined)
      this.#ask.add(`brings files, among which may be links, and then names some: ${this.#named.source}`);
    return {
      commands: this.#commands,
      within: this.#within,
      reads: [...this.#reads],
      writes: [...this.#writes],
      wholes: this.#wholes.flatMap((whole) =>
        this.#adds && /^(tracked|modified)$/.test(whole.of) ? [whole, { ...whole, of: 'untracked' as const }] : [whole],
      ),
      ask: [...this.#ask].slice(0, MOST_REASONS),
      unread: this.#unread,
    };
  }

  /** What is more than can be read is not read at all: it is asked anyway. */
  #stop(reason: string): void {
    this.#stopped = true;
    this.#unreadable(reason);
  }

  #unreadable(reason: string): void {
    this.#ask.add(reason);
    this.#unread = true;
  }

  async line(line: string, depth: number, language: ShellLanguage): Promise<void> {
    if (depth > DEEPEST) return this.#stop('has lines in lines, too deep to read');
    this.#length += line.length;
    if (depth > 0 && this.#length > MOST_LENGTH) return this.#stop('has too many lines in lines to read');
    const root = await parseShell(line);
    if ('error' in root) return this.#unreadable(root.error);
    const { steps, ask, values, unread } = readScript(root, line, language);
    for (const reason of ask) this.#ask.add(reason);
    this.#unread ||= unread;
    for (const step of steps) if (!this.#stopped) await this.#step(step, depth, { language, values });
  }

  async #step(step: Step, depth: number, scope: Scope): Promise<void> {
    switch (step.does) {
      case 'run':
        return this.#run(step.words, step.repeated, depth, scope);
      case 'mention':
        if (findsBehindFolder(step.word)) this.#named ??= step.word;
        for (const word of variantsOf(step.word, scope.values).words) await this.#show(word, this.#folders, true);
        return;
      case 'narrow':
        this.#wider.push(this.#folders);
        this.#folders = new Set(this.#moved ?? this.#folders);
        return;
      case 'widen':
        this.#folders = new Set([...(this.#wider.pop() ?? []), ...this.#folders]);
        return;
      case 'read':
      case 'write':
        return this.#redirect(step.word, step.does);
    }
  }

  async #run(words: readonly Word[], repeated: boolean, depth: number, scope: Scope): Promise<void> {
    if (this.#stopped) return;
    if (depth > DEEPEST) return this.#stop('has commands in commands, too deep to read');
    if (this.#commands.length >= MOST_COMMANDS) return this.#stop('has too many commands to read');
    this.#commands.push(words.map(shellWord));
    const {
      commands = [],
      within = [],
      lines = [],
      ask = [],
      notPaths = [],
      elsewhere,
      unread = false,
    } = hiddenIn(words);
    for (const reason of ask) this.#ask.add(reason);
    this.#unread ||= unread;
    const own = ownShellReason(words);
    if (own !== undefined) this.#ask.add(own);
    const brings = bringsFiles(words);
    const named = brings && !this.#brings ? undefined : fileNamedBy(words.filter((word) => !notPaths.includes(word)));
    this.#brings ||= brings;
    this.#named ??= named;
    if (looksAround(words)) this.#named ??= this.#entered;
    if (this.#brings && /^(cd|chdir|pushd)$/.test(nameOf(words) ?? '')) this.#entered ??= words[1];
    const folders = this.#foldersOf(words);
    const { open, ...shown } = this.#arguments(words, notPaths, scope);
    const prose = takesNoFiles(words);
    // Git looks around where it stands without being given a file.
    if (
      scope.elsewhere === true &&
      (!prose || nameOf(words) === 'git' || shown.words.some((word) => word === words[0]))
    )
      this.#ask.add(`runs a command in folders that are only known when it runs: ${words[0]?.source ?? ''}`);
    for (const word of shown.words) await this.#show(word, folders, prose);
    for (const word of shown.unset) await this.#look(word, folders, prose);
    if (commands.length === 0 && lines.length === 0 && open !== undefined && !prose)
      this.#ask.add(`may take for a file what is only known when it runs: ${open.source}`);
    await this.#whole(words, folders, scope);
    const name = nameOf(words);
    if (name === 'cd' || name === 'chdir' || name === 'pushd') await this.#changeFolder(words, repeated);
    if (commands.length > 0 || lines.length > 0) for (const folder of folders) this.#folders.add(folder);
    const inner = { ...scope, found: name === 'find' || name === 'gfind', elsewhere: elsewhere === true };
    for (const command of commands) await this.#run(command, repeated, depth + 1, inner);
    for (const line of lines) await this.line(line, depth + 1, LANGUAGES.get(name ?? '') ?? scope.language);
    for (const command of within) await this.#mayRun(command, depth + 1, inner);
  }

  /** What it runs in turn is among the other words that may be the command; but for lines. */
  async #mayRun(words: readonly Word[], depth: number, scope: Scope): Promise<void> {
    if (this.#stopped) return;
    if (this.#within.length >= MOST_COMMANDS) return this.#stop('has too many commands to read');
    this.#within.push(words.map(shellWord));
    const { lines = [], ask = [] } = hiddenIn(words);
    for (const reason of ask) this.#ask.add(reason);
    for (const line of lines) await this.line(line, depth, LANGUAGES.get(nameOf(words) ?? '') ?? scope.language);
  }

  /** Where its arguments may be meant from: also where an option such as `-C` leads. */
  #foldersOf(words: readonly Word[]): Set<string> {
    const folders = new Set(this.#folders);
    const targets: string[] = [];
    for (const [index, word] of words.entries()) {
      const option = FOLDER_OPTION.exec(textOf(word) ?? '');
      if (option === null) continue;
      const target = option[1] ?? this.#given(words[index + 1]);
      if (target === undefined) continue;
      targets.push(target);
      for (const folder of this.#folders) folders.add(path.resolve(folder, target));
    }
    // Several lead on from each other.
    for (const folder of this.#folders) folders.add(path.resolve(folder, ...targets));
    return folders;
  }

  /** The words that may be paths, with what their variables hold; `open` is one that is only
   * known when it runs, `unset` are those that may lead elsewhere where a variable is not set after all. */
  #arguments(
    words: readonly Word[],
    notPaths: readonly Word[],
    scope: Scope,
  ): { words: Word[]; unset: Word[]; open: Word | undefined } {
    const [name, ...others] = words;
    const text = textOf(name) ?? '';
    const shown = name !== undefined && /[\\/]/.test(text) && !PROGRAM_FOLDERS.test(text) ? [name] : [];
    const unset: Word[] = [];
    let open: Word | undefined;
    for (const word of others) {
      if (notPaths.includes(word)) continue;
      const variants = variantsOf(word, scope.values);
      shown.push(...variants.words);
      if (!variants.open && textOf(word) === undefined) unset.push(word);
      const found = scope.found === true && (word === UNKNOWN || word.source === '{}');
      if (variants.open && !found) open ??= word;
    }
    return { words: shown, unset, open };
  }

  async #whole(words: readonly Word[], folders: Set<string>, scope: Scope): Promise<void> {
    if (nameOf(words) === 'git') await this.#git(words, scope);
    await this.#wholeReads(words, folders, scope);
    const changes = changesOf(words, scope.found === true);
    if (changes === undefined) return;
    const places = new Set(changes.here ? folders : []);
    for (const word of changes.words.flatMap((each) => variantsOf(each, scope.values).words))
      for (const real of await this.#places.of(word, folders)) places.add(real);
    const { names, links } = changes;
    for (const real of places)
      this.#wholes.push({ does: 'change', of: 'disk', names, hidden: true, real, ...(links ? { links } : {}) });
  }

  async #wholeReads(words: readonly Word[], folders: Set<string>, scope: Scope): Promise<void> {
    const name = nameOf(words) ?? '';
    const { follows = false, does, reads } = wholeOf(words, scope.found === true) ?? {};
    if (follows) this.#ask.add(`goes through links, which may lead anywhere: ${name}`);
    for (const word of words.flatMap((each) => variantsOf(each, scope.values).words))
      this.#goesUp(word, does === 'link');
    if (reads === undefined) return;
    if (does !== undefined) this.#does.add(does);
    const sources = reads.words.flatMap((word) => [word, ...variantsOf(word, scope.values).words]);
    const from = does === 'link' ? await this.#linkedFrom(words, folders) : folders;
    const places = new Set(reads.here ? folders : []);
    for (const word of sources) {
      for (const real of await this.#places.of(word, from)) places.add(real);
      if (does === 'move' && (await this.#places.isLink(word, folders)))
        this.#ask.add(`puts a link elsewhere, from where it may lead to something else: ${word.source}`);
    }
    if (does === 'link') for (const real of places) this.#reads.add(real);
    const { names, hidden, links } = reads;
    for (const real of places) this.#wholes.push({ does: 'read', of: 'disk', names, hidden, links, real });
  }

  /** What a link says is meant from where the link is. */
  async #linkedFrom(words: readonly Word[], folders: Set<string>): Promise<Set<string>> {
    const last = words.at(-1);
    const targets = last === undefined ? [] : await this.#places.of(last, folders);
    return new Set([...folders, ...targets, ...targets.map((target) => path.dirname(target))]);
  }

  async #git(words: readonly Word[], { values }: Scope): Promise<void> {
    this.#adds ||= gitAdds(words);
    const { wholes, named } = await gitFolders(words, {
      folders: this.#folders,
      variants: (word) => variantsOf(word, values).words,
      given: (word) => this.#given(word),
    });
    this.#wholes.push(...wholes);
    for (const file of named)
      for (const real of (await this.#places.ofTarget(literalWord(file), this.#folders)) ?? []) this.#reads.add(real);
    if (!this.#places.complete) this.#stop('names too many paths to look all of them up');
  }

  #given(word: Word | undefined): string | undefined {
    return word === undefined ? undefined : this.#places.given(word);
  }

  async #show(word: Word, folders: Iterable<string>, prose: boolean): Promise<void> {
    if (this.#stopped) return;
    if (++this.#shown > MOST_WORDS) return this.#stop('has too many words to read');
    // Others get their turn meanwhile.
    if (this.#shown % 100 === 0) await setImmediate();
    if (mayLeadUp(word)) this.#ask.add(`may lead up from a folder that is only known when it runs: ${word.source}`);
    if (word.pieces.some((piece) => piece.is === 'unknown' && piece.user === true))
      this.#ask.add(`leads to a folder that is not known: ${word.source}`);
    if (word.pieces.some((piece) => piece.is === 'unknown' && piece.braces === true))
      this.#ask.add(`has a list in braces with some in quotes: ${word.source}`);
    if (await this.#places.isReadAgain(word, folders))
      this.#ask.add(`reads names of files as further words, by their blanks or wildcards: ${word.source}`);
    await this.#look(word, folders, prose);
  }

  /** `behind`: only where it goes up behind a name. */
  #goesUp(word: Word, behind = false): void {
    const up = behind ? /[^./]\/.*\.\.($|[^.\w])/ : /(^|[^.\w])\.\.($|[^.\w])/;
    if (up.test(this.#given(word) ?? word.source)) this.#does.add('up');
  }

  async #look(word: Word, folders: Iterable<string>, prose: boolean): Promise<void> {
    for (const real of await this.#places.of(word, folders, prose)) this.#reads.add(real);
    if (!this.#places.complete) this.#stop('names too many paths to look all of them up');
  }

  async #redirect(word: Word, does: 'read' | 'write'): Promise<void> {
    this.#goesUp(word);
    const targets = await this.#places.ofTarget(word, this.#folders);
    if (targets?.length !== 0) this.#named ??= word;
    if (does === 'write' && targets?.length !== 0) this.#ask.add(`writes to ${word.source}`);
    else if (targets === undefined) this.#ask.add(`reads a file that is only known when it runs: ${word.source}`);
    if (/^\/dev\/(tcp|udp)\//.test(textOf(word) ?? '')) this.#ask.add(`opens a connection: ${word.source}`);
    for (const real of targets ?? (await this.#places.of(word, this.#folders)))
      (does === 'write' ? this.#writes : this.#reads).add(real);
  }

  /** A shell goes up from a link by its name (`link/..` is where it stood), other programs by where it leads: both count. */
  async #changeFolder(words: readonly Word[], repeated: boolean): Promise<void> {
    this.#moved = undefined;
    const name = nameOf(words) ?? '';
    const operands = words.slice(1).filter((word) => !/^-[LPe@]+$|^--$/.test(textOf(word) ?? ''));
    const [target, ...more] = operands;
    if (target === undefined && name !== 'pushd') {
      this.#moved = new Set([this.#home]);
      this.#folders.add(this.#home);
      this.#reads.add(this.#home);
      return;
    }
    const given = this.#given(target);
    const unclear = more.length > 0 || target === undefined || given === undefined || /^[-+]/.test(given);
    if (unclear) return void this.#ask.add(`changes to a folder that is only known when it runs: ${name}`);
    if (repeated && !path.isAbsolute(given)) this.#ask.add(`changes the folder in a loop: ${name} ${target.source}`);
    if (this.#folders.size > MOST_FOLDERS) return void this.#ask.add('changes the folder too often to follow');
    const real = (await this.#places.ofTarget(target, this.#folders)) ?? [];
    // It may be a link by then.
    if (!(await this.#places.areThere(real))) this.#does.add('up');
    this.#moved = new Set([...[...this.#folders].map((folder) => path.resolve(folder, given)), ...real]);
    for (const folder of this.#moved) this.#folders.add(folder);
    for (const folder of real) this.#reads.add(folder);
  }
}
