/** What wildcards and braces of a shell line stand for on the disk, so that links and files of certain names do not hide behind them. */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { matchesGlob, parseGlob } from '../../text/glob.ts';

/** Of one line: names looked at, and paths found. */
const MOST_ENTRIES = 5000;
const MOST_HITS = 500;
/** Ways to choose among the braces of one word. */
const MOST_WAYS = 50;

/** `{a..c}`, `{1..20}`, `{1..20..5}`: as many characters as these have, whichever. */
const SEQUENCE = /\{(-?\w+)\.\.(-?\w+)(?:\.\.-?\d+)?\}/;
const LONGEST_NUMBER = 20;

/** One pattern for each way to choose among braces; the text itself is one of them. Undefined when there are too many. */
export function bracesOf(text: string): string[] | undefined {
  const ways = [text];
  for (let at = 0; at < ways.length; at++) {
    const way = ways[at] ?? '';
    const sequence = SEQUENCE.exec(way);
    if (sequence !== null) {
      const [all, from = '', to = ''] = sequence;
      const lengths = [from.length, to.length];
      for (let length = Math.min(1, ...lengths); length <= Math.max(...lengths) && length <= LONGEST_NUMBER; length++)
        ways.push(way.replace(all, () => '?'.repeat(length)));
    } else {
      const list = [...way.matchAll(/\{([^{}]*)\}/g)].find(([, inside = '']) => inside.includes(','));
      if (list === undefined) continue;
      const [all, inside = ''] = list;
      const after = way.slice(list.index + all.length);
      ways.push(...inside.split(',').map((one) => way.slice(0, list.index) + one + after));
    }
    if (ways.length > MOST_WAYS) return undefined;
  }
  return [...new Set(ways)];
}

export class Wildcards {
  readonly #resolve: (folder: string, text: string) => Promise<string>;
  readonly #entriesOf = new Map<string, readonly string[]>();
  #entries = 0;
  #hits = 0;

  /** `resolve` gives absolute real paths, or an empty text. */
  constructor(resolve: (folder: string, text: string) => Promise<string>) {
    this.#resolve = resolve;
  }

  /** Absolute real paths that a pattern stands for, from `folder`. Undefined when there are too many. */
  async hits(folder: string, pattern: string): Promise<string[] | undefined> {
    let found = [path.isAbsolute(pattern) ? path.parse(pattern).root : folder];
    for (const name of pattern.split('/')) {
      if (name === '' || name === '.') continue;
      const next = new Set<string>();
      for (const parent of found) {
        for (const entry of await this.#matching(parent, name)) next.add(await this.#resolve(parent, entry));
        if (this.#entries > MOST_ENTRIES || this.#hits + next.size > MOST_HITS) return undefined;
      }
      next.delete('');
      found = [...next];
    }
    this.#hits += found.length;
    return found;
  }

  async #matching(parent: string, name: string): Promise<readonly string[]> {
    if (!/[*?[]/.test(name)) return [name];
    // A set, and what stands behind it, may be anything.
    const plain = name.replace(/\[[^]*/, '*').replace(/\*+/g, '*');
    const glob = parseGlob(plain.replace(/[{}\\]/g, '\\$&'));
    const entries = await this.#list(parent);
    if ('error' in glob) return entries;
    // What begins with a dot is meant only by what begins so; of old also the folder above.
    const meant = name.startsWith('.') ? [...entries, '..'] : entries.filter((entry) => !entry.startsWith('.'));
    return meant.filter((entry) => matchesGlob(glob, entry, { slash: true }));
  }

  async #list(folder: string): Promise<readonly string[]> {
    let names = this.#entriesOf.get(folder);
    if (names === undefined) {
      names = await fs.readdir(folder).catch(() => []);
      this.#entriesOf.set(folder, names);
      this.#entries += names.length;
    }
    return names;
  }
}
