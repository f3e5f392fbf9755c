/** The text of a shell line, and what a shell sees where one of its words begins and ends. */
import type { ShellNode } from './grammar.ts';

/** What ends a word outside of quotes. A backquote is one where a substitution in them begins and ends. */
const BOUNDS = new Set(['', ' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>', '`']);
const EXCERPT = 40;

export class Text {
  readonly line: string;

  constructor(line: string) {
    this.line = line;
  }

  of(node: ShellNode): string {
    return this.line.slice(node.start, node.end);
  }

  between(start: number, end: number): string {
    return this.line.slice(start, end);
  }

  /** The beginning of what stands there, for a person. */
  excerpt(node: ShellNode): string {
    const characters = [...this.of(node).slice(0, 3 * EXCERPT)];
    return characters.length > EXCERPT ? `${characters.slice(0, EXCERPT).join('')}…` : characters.join('');
  }

  /** Blanks, continued lines, and with `lines` also line breaks. Other white space is a letter to a shell. */
  isBlank(start: number, end: number, lines: boolean): boolean {
    const gap = this.line.slice(start, end);
    return (lines ? /^([ \t\n]|\\\n)*$/ : /^([ \t]|\\\n)*$/).test(gap);
  }

  isBounded(node: ShellNode): boolean {
    return this.isBoundedBefore(node.start) && this.isBoundedAfter(node.end);
  }

  /** A continued line is nothing to a shell, so the word goes on behind it. */
  isBoundedBefore(start: number): boolean {
    let at = start;
    while (this.line.startsWith('\\\n', at - 2) && at >= 2) at -= 2;
    const before = at === 0 ? '' : (this.line[at - 1] ?? '');
    return BOUNDS.has(before) && !this.#isEscaped(at - 1);
  }

  isBoundedAfter(end: number): boolean {
    return BOUNDS.has(this.#after(end));
  }

  isBeforeRedirection(end: number): boolean {
    return /^[<>]$/.test(this.#after(end));
  }

  #after(end: number): string {
    let at = end;
    while (this.line.startsWith('\\\n', at)) at += 2;
    return this.line[at] ?? '';
  }

  #isEscaped(at: number): boolean {
    let backslashes = 0;
    while (this.line[at - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  isComment(node: ShellNode): boolean {
    const text = this.of(node);
    const next = this.line[node.end] ?? '\n';
    return text.startsWith('#') && !text.includes('\n') && next === '\n' && this.isBoundedBefore(node.start);
  }
}
