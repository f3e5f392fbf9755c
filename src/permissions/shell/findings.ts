/** What reading a line finds, and the checks that all of the reading rests on. */
import type { ShellNode } from './grammar.ts';
import { Text } from './text.ts';
import type { Values } from './variables.ts';
import type { Word } from './word.ts';

export type Step =
  /** A simple command; `repeated`: in a loop. */
  | { does: 'run'; words: readonly Word[]; repeated: boolean }
  /** A redirection of a file's content into a command, and of output into a file. */
  | { does: 'read' | 'write'; word: Word }
  /** A word that may become an argument: what a variable is set to, what a loop goes over. */
  | { does: 'mention'; word: Word }
  /** What follows is run only if the `cd` before this has led where it says; up to the next `widen` that belongs to it. */
  | { does: 'narrow' | 'widen' };

export interface Script {
  readonly steps: readonly Step[];
  /** Why the line is asked, each to stand behind "it". */
  readonly ask: ReadonlySet<string>;
  /** Variables that programs heed may be others afterwards: some are set, or it cannot be told. */
  readonly changes: boolean;
  readonly values: Values;
  /** It may run commands that are not among the steps. */
  readonly unread: boolean;
}

/** As what a line is read: bash, or the plain language of `sh`, which may be dash. */
export type ShellLanguage = 'bash' | 'sh';

/** What is not in the plain language: there it is an error, or something else, as `$'…'` and `&>` are. */
const OF_BASH = new Set([
  ...['ansi_c_string', 'translated_string', 'process_substitution', 'herestring_redirect', 'brace_expression'],
  ...['extglob_pattern', 'array', 'subscript', 'c_style_for_statement'],
  ...['[[', '((', '&>', '&>>', '|&', 'function', 'select', '+=', ';&', ';;&', '$[', '==', '=~'],
]);

/** Between statements. */
export const SEPARATORS = [';', '&', '\n'];

const NAMES: Readonly<Record<string, RegExp>> = {
  variable_name: /^\w+$/,
  special_variable_name: /^[@*#?$!_0-9-]$/,
  simple_expansion: /^\$(\w+|[@*#?$!-])$/,
  expansion: /^\$\{[^\s]/,
  file_descriptor: /^(\d+|\{\w+\})$/,
  // Two brackets are arithmetic to a shell.
  command_substitution: /^(\$\((?!(\\\n)*\()|`)/,
  subshell: /^\((?!(\\\n)*\()/,
  process_substitution: /^[<>]\(/,
  arithmetic_expansion: /^\$[([]/,
};

export class Findings implements Script {
  readonly steps: Step[] = [];
  readonly ask = new Set<string>();
  changes = false;
  unread = false;
  readonly values = new Map<string, readonly Word[] | undefined>();
  /** Variables may be set in a way that is not read. */
  #setsAny = false;
  readonly text: Text;
  readonly #language: ShellLanguage;

  constructor(line: string, language: ShellLanguage) {
    this.text = new Text(line);
    this.#language = language;
  }

  /** What the grammar has no text for, and names, are what they are called: it also takes `$ $` for `$$`. */
  names(node: ShellNode): void {
    const text = this.text.of(node);
    const isIt = node.named ? (NAMES[node.type]?.test(text) ?? true) : text === node.type;
    if (!isIt && !node.broken) this.cannot(node);
    if (this.#language === 'sh' && OF_BASH.has(node.type)) {
      this.ask.add(`says what another shell than bash may read in another way: ${this.text.excerpt(node)}`);
      this.unread = true;
    }
    // What is in the brackets is calculated, and may have a `$(…)` in it that is run then.
    if (node.type === 'subscript')
      this.ask.add(`uses an element of an array, which may run code: ${this.text.excerpt(node)}`);
    for (const child of node.children) this.names(child);
  }

  /** A variable of the line is set to one of these words, or to what is not known. */
  set(name: string, words: readonly Word[] | undefined): void {
    const before = this.values.has(name) ? this.values.get(name) : [];
    const known = words !== undefined && before !== undefined && !this.#setsAny;
    this.values.set(name, known ? [...before, ...words] : undefined);
  }

  setsAny(): void {
    this.#setsAny = true;
    for (const name of this.values.keys()) this.values.set(name, undefined);
  }

  cannot(node: ShellNode): void {
    this.changes = true;
    this.unread = true;
    const near = this.text.excerpt(node);
    this.ask.add(near === '' ? 'cannot be parsed to its end' : `cannot be parsed near ${JSON.stringify(near)}`);
  }

  /** Further ones than the three of every command may lead to whatever the shell has open, as the way of its own reports. */
  descriptor(text: string): void {
    if (!/^[012]?$/.test(text)) this.ask.add(`uses descriptor ${text}`);
  }

  /** A word of the grammar: one that is known at this place, and bounded as the shell wants it. */
  token(node: ShellNode, known: readonly string[]): void {
    const isWord = /^([a-z]+|[{}!]|\[\[?|\]\]?)$/.test(node.type);
    if (node.broken || !known.includes(node.type) || (isWord && !this.text.isBounded(node))) this.cannot(node);
  }

  /** Between the parts of a node there are blanks only. */
  gaps(node: ShellNode, lines: boolean): void {
    let end = node.children[0]?.end ?? 0;
    for (const child of node.children.slice(1)) {
      if (!this.text.isBlank(end, child.start, lines)) this.cannot(child);
      end = child.end;
    }
  }
}
