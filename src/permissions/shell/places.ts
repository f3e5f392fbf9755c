/**
 * Where the words of a command can be seen to lead (P4): as they stand, behind `=`, `:`, `,` and `@`, behind the letter of an
 * option, and of words that are only known in part what comes before. Rather too many places than too few: most lead nowhere.
 */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { PathError, resolvePath } from '../paths.ts';
import { bracesOf, Wildcards } from './wildcards.ts';
import type { Piece, Word } from './word.ts';

/** Streams of the process itself, and the file that is none. */
const NO_FILES = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty']);
const URL = /(^|[=:,@])(?!file:)[a-z][a-z0-9+.-]*:\/\/[^\s]*/gi;
/** Names of folders and files in all paths that are looked up for one line. */
const MOST_LOOKUPS = 1000;
/** Of one word. */
const MOST_PARTS = 50;

/** What is known of a word's path: `whole`, or up to where something unknown stands. */
interface Head {
  text: string;
  whole: boolean;
}

export class Places {
  readonly #home: string;
  #lookups = 0;
  readonly #resolved = new Map<string, Promise<string>>();
  readonly #wildcards = new Wildcards((folder, text) => this.#resolve(folder, text));
  /** False when there were too many to look up all of them. */
  complete = true;

  constructor(home: string) {
    this.#home = home;
  }

  /** Absolute real paths, from each of `folders`. */
  async of(word: Word, folders: Iterable<string>): Promise<string[]> {
    const patterns = this.#patterns(word).flatMap((text) => this.#parts(text, true));
    const heads = await this.#heads(word);
    const texts = new Set([...heads.flatMap(({ text, whole }) => this.#parts(text, whole)), ...patterns]);
    const found = new Set<string>();
    for (const folder of folders) {
      for (const text of texts)
        if (text !== '' && text !== '-' && !NO_FILES.has(text)) found.add(await this.#resolve(folder, text));
      for (const pattern of patterns) for (const real of await this.#hits(folder, pattern)) found.add(real);
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
    const isAbsolute = /(^|[=:,@])$/.test(head.text) && /^\/+[^/]/.test(text) && (await exists(text));
    return isAbsolute ? [head, { text, whole: end < 0 }] : [head];
  }

  #text(pieces: readonly Piece[]): string {
    return pieces.map((piece) => ('text' in piece ? piece.text : piece.is === 'home' ? this.#home : '.')).join('');
  }

  #parts(text: string, whole: boolean): string[] {
    const plain = text.replace(URL, (url, before: string) => (/\/\.\.(\/|$)/.test(url) ? url : before));
    const starts = new Set<number>();
    if (!plain.startsWith('-')) starts.add(0);
    starts.add(plain.indexOf('=') + 1);
    if (/^-[^-]./.test(plain)) starts.add(2);
    if (plain.startsWith('@')) starts.add(1);
    // `HEAD:.env`
    starts.add(plain.lastIndexOf(':') + 1);
    for (const { index } of plain.matchAll(/[=:,@](?=\/|~|\.\.)/g)) starts.add(index + 1);
    if (plain.startsWith('-')) {
      const first = plain.search(/\/|~|\./);
      if (first > 0) starts.add(first);
    }
    if (starts.size > MOST_PARTS) this.complete = false;
    return [...starts]
      .slice(0, MOST_PARTS)
      .filter((start) => start > 0 || !plain.startsWith('-'))
      .map((start) => this.#path(plain.slice(start), whole));
  }

  /** Of a path that is not whole its folder; a name that begins with dots may become `..`. */
  #path(text: string, whole: boolean): string {
    const local = text.replace(/^file:\/\/(localhost)?(?=\/)/i, '').replace(/^~(?=\/|$)/, () => this.#home);
    if (whole) return local;
    const folder = local.slice(0, local.lastIndexOf('/') + 1);
    return /^\.{1,2}$/.test(local.slice(folder.length)) ? `${folder}..` : folder;
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
  return fs.access(file).then(
    () => true,
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
