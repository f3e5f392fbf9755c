/**
 * Where the words of a command can be seen to lead (P4): as they stand and each stretch of them, and of words that are only known in
 * part what comes before. Rather too many places than too few: most lead nowhere.
 */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { PathError, resolvePath } from '../paths.ts';
import { stretchesOf, type Stretch } from './stretches.ts';
import { bracesOf, Wildcards } from './wildcards.ts';
import type { Piece, Word } from './word.ts';

/** Streams of the process itself, and the file that is none. */
const NO_FILES = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty']);
/** Names of folders and files in all paths that are looked up for one line. */
const MOST_LOOKUPS = 1000;
/** Likewise of those of which it is only asked whether something is there. */
const MOST_GLANCES = 5000;

/** What is known of a word's path: `whole`, or up to where something unknown stands. */
interface Head {
  text: string;
  whole: boolean;
}

export class Places {
  readonly #home: string;
  #lookups = 0;
  readonly #resolved = new Map<string, Promise<string>>();
  readonly #there = new Map<string, Promise<boolean>>();
  readonly #wildcards = new Wildcards((folder, text) => this.#resolve(folder, text));
  readonly #unresolved = new Wildcards((folder, text) => Promise.resolve(path.join(folder, text)));
  /** False when there were too many to look up all of them. */
  complete = true;

  constructor(home: string) {
    this.#home = home;
  }

  /** Absolute real paths, from each of `folders`. `prose`: no program takes for a file what has blanks in it. */
  async of(word: Word, folders: Iterable<string>, prose = false): Promise<string[]> {
    const patterns = this.#patterns(word).flatMap((text) => this.#stretches({ text, whole: true }, prose));
    const heads = (await this.#heads(word)).flatMap((head) => this.#stretches(head, prose));
    const sure = new Set([...heads, ...patterns].flatMap((each) => (each.sure ? [this.#path(each)] : [])));
    const maybe = new Set([...heads, ...patterns].map((each) => this.#path(each)).filter((text) => !sure.has(text)));
    const globs = new Set(patterns.flatMap((each) => (each.sure ? [this.#path(each)] : [])));
    const found = new Set<string>();
    for (const folder of folders) {
      for (const text of sure)
        if (text !== '' && text !== '-' && !NO_FILES.has(text)) found.add(await this.#resolve(folder, text));
      for (const text of maybe)
        if (!NO_FILES.has(text) && (await this.#isThere(folder, text))) found.add(await this.#resolve(folder, text));
      for (const glob of globs) for (const real of await this.#hits(folder, glob)) found.add(real);
    }
    found.delete('');
    return [...found];
  }

  /** A word with wildcards or braces, as one pattern for each way to choose among the braces; none when the rest is not known. */
  #patterns({ pieces }: Word): string[] {
    if (!pieces.some(({ is }) => is === 'glob') || pieces.some(({ is }) => is === 'unknown')) return [];
    const patterns = bracesOf(this.#text(pieces));
    if (patterns === undefined) this.complete = false;
    return patterns ?? [];
  }

  async #hits(folder: string, pattern: string): Promise<string[]> {
    if (!/[*?[]/.test(pattern) || !this.complete) return [];
    const hits = await this.#wildcards.hits(folder, pattern);
    if (hits === undefined) this.complete = false;
    return hits ?? [];
  }

  /** Where a word that is a path as a whole leads, nowhere for `/dev/null`; undefined when that is only known when it runs. */
  async ofTarget(word: Word, folders: Iterable<string>): Promise<string[] | undefined> {
    const [{ text, whole } = { text: '', whole: false }] = await this.#heads(word);
    if (!whole) return undefined;
    if (NO_FILES.has(text)) return [];
    const found = new Set<string>();
    for (const folder of folders) found.add(await this.#resolve(folder, text));
    found.delete('');
    return found.size === 0 ? undefined : [...found];
  }

  /** Whether it names a link by a path that is relative, which leads elsewhere from another folder. */
  async isLink(word: Word, folders: Iterable<string>): Promise<boolean> {
    const given = this.given(word);
    for (const folder of folders) {
      const named = given === undefined ? [] : [path.resolve(folder, given)];
      for (const pattern of this.#patterns(word)) named.push(...((await this.#unresolved.hits(folder, pattern)) ?? []));
      for (const file of named) {
        const target = await fs.readlink(file).catch(() => '/');
        if (!path.isAbsolute(target)) return true;
      }
    }
    return false;
  }

  /** Whether it stands for names of files that a shell would read once more, as several words or wildcards. */
  async isReadAgain(word: Word, folders: Iterable<string>): Promise<boolean> {
    if (!word.pieces.some((piece) => piece.is === 'glob' && piece.again === true)) return false;
    for (const folder of folders)
      for (const pattern of this.#patterns(word)) {
        const hits = await this.#unresolved.hits(folder, pattern);
        if (hits === undefined) this.complete = false;
        if (hits?.some((file) => /[\s\\*?[]/.test(path.relative(folder, file))) === true) return true;
      }
    return false;
  }

  async areThere(files: readonly string[]): Promise<boolean> {
    return (await Promise.all(files.map(exists))).every(Boolean);
  }

  /** The path as the word says it, with the home folder in place of `~`; undefined when it is only known when it runs. */
  given({ pieces }: Word): string | undefined {
    return pieces.some(({ is }) => is === 'glob' || is === 'unknown') ? undefined : this.#text(pieces);
  }

  /** The word up to what is not known; when it begins with that, also what follows if it is a path that there is. */
  async #heads({ pieces }: Word): Promise<Head[]> {
    const stop = pieces.findIndex(({ is }) => is === 'glob' || is === 'unknown');
    const known = stop < 0 ? pieces : pieces.slice(0, stop);
    const head = { text: this.#text(known), whole: stop < 0 };
    if (stop < 0 || pieces[stop]?.is === 'glob') return [head];
    const next = pieces.slice(stop + 1);
    const end = next.findIndex(({ is }) => is === 'glob' || is === 'unknown');
    const text = this.#text(end < 0 ? next : next.slice(0, end));
    // An unset variable is nothing, and what follows it is an absolute path then.
    const isAbsolute = /(^|[=:,@<])$/.test(head.text) && /^\/+[^/]/.test(text) && (await exists(text));
    return isAbsolute ? [head, { text, whole: end < 0 }] : [head];
  }

  #text(pieces: readonly Piece[]): string {
    return pieces.map((piece) => ('text' in piece ? piece.text : piece.is === 'home' ? this.#home : '.')).join('');
  }

  #stretches({ text, whole }: Head, prose: boolean): Stretch[] {
    const found = stretchesOf(text, whole, prose);
    if (found === undefined) this.complete = false;
    return found ?? [];
  }

  /** Of a path that is not whole its folder; a name that begins with dots may become `..`. */
  #path({ text, whole }: Stretch): string {
    const local = text.replace(/^~(?=\/|$)/, () => this.#home);
    if (whole) return local;
    const folder = local.slice(0, local.lastIndexOf('/') + 1);
    return /^\.{1,2}$/.test(local.slice(folder.length)) ? `${folder}..` : folder;
  }

  /** Whether it leads to something, or to a new name in a folder that is there; of what leads away from `folder` the former. */
  #isThere(folder: string, text: string): Promise<boolean> {
    const [first = '', ...others] = path.normalize(text).split(path.sep);
    const isAway = first === '' || first === '..' || path.isAbsolute(text);
    const place = path.resolve(folder, isAway ? text : first);
    let there = this.#there.get(place);
    if (there === undefined) {
      if (this.#there.size >= MOST_GLANCES) this.complete = false;
      if (!this.complete) return Promise.resolve(false);
      // One name at the root is a route of the web as often: `/home`.
      this.#there.set(place, (there = first === '' && others.length < 2 ? isFile(place) : exists(place)));
    }
    return there;
  }

  #resolve(folder: string, text: string): Promise<string> {
    const key = `${folder}\0${text}`;
    let real = this.#resolved.get(key);
    if (real === undefined) this.#resolved.set(key, (real = this.#lookUp(folder, text)));
    return real;
  }

  async #lookUp(folder: string, text: string): Promise<string> {
    // What is too long to be a path is none.
    if (text.length > 4096) return '';
    this.#lookups += text.split('/').length;
    if (this.#lookups > MOST_LOOKUPS) {
      this.complete = false;
      return '';
    }
    // What these lead to is another thing for each process.
    if (/^\/+(proc|dev\/+fd)(\/|$)/.test(text)) return path.resolve(text);
    try {
      return await resolvePath(folder, text.replace(/^~/, './~'));
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      return text.includes('\0') ? '' : path.resolve(folder, text);
    }
  }
}

function exists(file: string): Promise<boolean> {
  return fs.lstat(file).then(
    () => true,
    () => false,
  );
}

function isFile(file: string): Promise<boolean> {
  return fs.stat(file).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}

/** Whether a word may lead up from a folder that is not known: `$dir/../..`. */
export function mayLeadUp({ pieces }: Word): boolean {
  const stop = pieces.findIndex(({ is }) => is === 'glob' || is === 'unknown');
  if (stop < 0) return false;
  const rest = pieces.slice(stop + 1).map((piece) => (piece.is === 'text' ? piece.text : '\0'));
  return /(^|[/\0])\.\.($|[/\0])/.test(rest.join(''));
}
