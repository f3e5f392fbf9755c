/**
 * What git ignores: the .gitignore files from the repository's root down, and its .git/info/exclude (P1). They belong to the
 * project, which may be anybody's: no regular expression is made of them, and what is too large is not heeded, which is said.
 */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { isInside } from '../permissions/paths.ts';
import { matchesGlob, parseGlob, type Glob } from '../text/glob.ts';

/** The rules of one file. */
interface Layer {
  folder: string;
  patterns: readonly Pattern[];
  /** The rules without a wildcard, which are found by name: what they match, whether a name or a path from the folder on. */
  literal: ReadonlyMap<string, readonly Rule[]>;
}

interface Rule {
  /** Later ones hold before earlier ones. */
  order: number;
  ignores: boolean;
  foldersOnly: boolean;
  /** Matches the name alone, at any depth. */
  nameOnly: boolean;
}

interface Pattern extends Rule {
  glob: Glob;
}

const IGNORE_CASE = process.platform !== 'linux';

/** Immutable: the rules that hold for what is directly in one folder. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([], []);
  /** Absolute paths of the files that are too large to be heeded. */
  readonly unheeded: readonly string[];
  /** Outermost first. */
  readonly #layers: readonly Layer[];

  private constructor(layers: readonly Layer[], unheeded: readonly string[]) {
    this.#layers = layers;
    this.unheeded = unheeded;
  }

  /** `none` for a folder that is ignored itself: who asks for it by name wants to see it. */
  static async of(folder: string, workspace: string): Promise<{ rules: IgnoreRules; ignored: boolean }> {
    const root = (await repositoryRoot(folder)) ?? (isInside(workspace, folder) ? workspace : folder);
    let rules = await IgnoreRules.none.#with(root, path.join(root, '.git', 'info', 'exclude'));
    let at = root;
    rules = await rules.within(at);
    for (const name of path.relative(root, folder).split(path.sep).filter(Boolean)) {
      at = path.join(at, name);
      if (rules.ignores(at, true)) return { rules: IgnoreRules.none, ignored: true };
      rules = await rules.within(at);
    }
    return { rules, ignored: false };
  }

  /** With the rules of a folder further down. */
  async within(folder: string): Promise<IgnoreRules> {
    return this.#with(folder, path.join(folder, '.gitignore'));
  }

  /** The innermost file that says something about the path decides, and in it the last rule. */
  ignores(file: string, isFolder: boolean): boolean {
    const name = comparable(path.basename(file));
    for (const layer of this.#layers.toReversed()) {
      const relative = comparable(path.relative(layer.folder, file).split(path.sep).join('/'));
      const rule = ruleFor(layer, name, relative, isFolder);
      if (rule !== undefined) return rule.ignores;
    }
    return false;
  }

  async #with(folder: string, file: string): Promise<IgnoreRules> {
    const text = await readRules(file);
    if (text === undefined) return this;
    const layer = text === TOO_LARGE ? TOO_LARGE : layerOf(folder, text);
    return layer === TOO_LARGE
      ? new IgnoreRules(this.#layers, [...this.unheeded, file])
      : new IgnoreRules([...this.#layers, layer], this.unheeded);
  }
}

function ruleFor({ patterns, literal }: Layer, name: string, relative: string, isFolder: boolean): Rule | undefined {
  const applies = (rule: Rule) => isFolder || !rule.foldersOnly;
  const exact = [...(literal.get(literalKey(name, true)) ?? []), ...(literal.get(literalKey(relative, false)) ?? [])];
  let best: Rule | undefined;
  for (const rule of exact) if (applies(rule) && rule.order > (best?.order ?? -1)) best = rule;
  for (const pattern of patterns.toReversed()) {
    if (pattern.order < (best?.order ?? -1)) break;
    if (applies(pattern) && matchesGlob(pattern.glob, pattern.nameOnly ? name : relative, { slash: true }))
      return pattern;
  }
  return best;
}

function literalKey(text: string, nameOnly: boolean): string {
  return nameOnly ? text : `/${text}`;
}

function comparable(text: string): string {
  return IGNORE_CASE ? text.toLowerCase() : text;
}

const TOO_LARGE = Symbol('too large');
const MOST_BYTES = 1024 * 1024;
/** Characters of all patterns with wildcards in a file: what each name is compared with. Far more than real ones have. */
const MOST_PATTERN_LENGTH = 20_000;

/** Undefined when there is no such file. */
async function readRules(file: string): Promise<string | typeof TOO_LARGE | undefined> {
  try {
    // As git does, it follows no link here; and a pipe or a device would be waited for, or read, for ever.
    const info = await fs.lstat(file);
    if (!info.isFile()) return undefined;
    return info.size > MOST_BYTES ? TOO_LARGE : await fs.readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

function layerOf(folder: string, text: string): Layer | typeof TOO_LARGE {
  const patterns: Pattern[] = [];
  const literal = new Map<string, Rule[]>();
  let length = 0;
  for (const [order, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const parsed = patternOf(line);
    if (parsed === undefined) continue;
    const { body, ...kind } = parsed;
    const rule = { order, ...kind };
    const plain = literalText(body);
    if (plain !== undefined) {
      const key = literalKey(comparable(plain), rule.nameOnly);
      const same = literal.get(key);
      if (same === undefined) literal.set(key, [rule]);
      else same.push(rule);
      continue;
    }
    length += body.length;
    if (length > MOST_PATTERN_LENGTH) return TOO_LARGE;
    const glob = parseGlob(comparable(globText(body)));
    // A pattern that cannot be, such as one with a bracket that is never closed, matches nothing, in git neither.
    if (!('error' in glob)) patterns.push({ ...rule, glob });
  }
  return { folder, patterns, literal };
}

/** One line taken apart; undefined when there is no rule in it. */
function patternOf(
  line: string,
): { body: string; ignores: boolean; foldersOnly: boolean; nameOnly: boolean } | undefined {
  const whole = withoutTrailingSpace(line.replace(/\r$/, ''));
  if (whole.startsWith('#')) return undefined;
  const ignores = !whole.startsWith('!');
  const pattern = ignores ? whole : whole.slice(1);
  const foldersOnly = pattern.endsWith('/');
  const path = foldersOnly ? pattern.slice(0, -1) : pattern;
  const body = path.replace(/^\//, '');
  if (body === '') return undefined;
  return { body, ignores, foldersOnly, nameOnly: !path.includes('/') };
}

/** A space at the end counts only behind a backslash. */
function withoutTrailingSpace(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}

/** The text that a pattern without wildcards matches. */
function literalText(pattern: string): string | undefined {
  return /^(?:[^*?[\\]|\\.)*$/su.test(pattern) ? pattern.replace(/\\(.)/gsu, '$1') : undefined;
}

/** Git's way to write a pattern in ours: braces are characters, stars that do not stand alone are one, `a/**` is not `a`. */
function globText(pattern: string): string {
  const segments = pattern
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole)
    .split('/')
    .map((segment) => (segment === '**' ? segment : segment.replace(/\\.|\{|\*{2,}/gsu, translated)));
  return (segments.length > 1 && segments.at(-1) === '**' ? [...segments, '*'] : segments).join('/');
}

function translated(piece: string): string {
  if (piece === '{') return '\\{';
  return piece.startsWith('*') ? '*' : piece;
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  digit: '0-9',
  lower: 'a-z',
  space: ' \t',
  upper: 'A-Z',
  xdigit: '0-9a-fA-F',
};

async function repositoryRoot(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (
      await fs.access(path.join(at, '.git')).then(
        () => true,
        () => false,
      )
    )
      return at;
    if (at === path.dirname(at)) return undefined;
  }
}
