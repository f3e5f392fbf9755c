/** Redirections of a command: files that are read and written, and what a here-document holds. */
import { SEPARATORS, type Findings } from './findings.ts';
import type { ShellNode } from './grammar.ts';
import { hereDocument } from './hereDocument.ts';
import { textOf, type Word } from './word.ts';
import type { WordReader } from './wordReader.ts';

export class Redirections {
  readonly #found: Findings;
  readonly #words: WordReader;
  readonly #statement: (node: ShellNode) => void;
  readonly #unknown: (node: ShellNode) => void;

  constructor(
    found: Findings,
    words: WordReader,
    statement: (node: ShellNode) => void,
    unknown: (node: ShellNode) => void,
  ) {
    this.#found = found;
    this.#words = words;
    this.#statement = statement;
    this.#unknown = unknown;
  }

  hereString(node: ShellNode): void {
    this.#found.gaps(node, false);
    for (const child of node.children) {
      if (child.type === 'file_descriptor') this.#descriptor(child);
      else if (child.named || child.field !== undefined)
        this.#found.steps.push({ does: 'mention', word: this.#words.word(child) });
      else this.#found.token(child, ['<<<']);
    }
  }

  #descriptor(node: ShellNode): void {
    if (!this.#found.text.isBoundedBefore(node.start)) this.#found.cannot(node);
    this.#found.descriptor(this.#found.text.of(node));
  }

  /** Gives the words behind the target, which belong to the command. */
  redirect(node: ShellNode): Word[] {
    if (node.broken) {
      this.#unknown(node);
      return [];
    }
    this.#found.gaps(node, false);
    const targets = node.children.filter((child) => child.field === 'destination');
    let operator = '';
    for (const child of node.children) {
      if (targets.includes(child)) continue;
      if (child.type === 'file_descriptor') this.#descriptor(child);
      else {
        this.#found.token(child, ['<', '>', '>>', '>|', '&>', '&>>', '<&', '>&', '<&-', '>&-']);
        operator = child.type;
      }
    }
    const closes = operator.endsWith('-');
    const target = closes ? undefined : targets.shift();
    if (target !== undefined) this.#target(operator, target);
    else if (!closes) this.#found.cannot(node);
    return targets.map((child) => this.#words.word(child));
  }

  #target(operator: string, node: ShellNode): void {
    const word = this.#words.word(node);
    if (node.type === 'process_substitution') return;
    const text = textOf(word) ?? '';
    if (operator.endsWith('&') && /^(\d+-?|-)$/.test(text)) return this.#found.descriptor(text.replace('-', ''));
    if (operator === '<&')
      return void this.#found.ask.add(`reads from a descriptor that is only known when it runs: ${word.source}`);
    this.#found.steps.push({ does: operator === '<' ? 'read' : 'write', word });
  }

  hereDocument(node: ShellNode): Word[] {
    const document = hereDocument(node, this.#found.text);
    if (document === undefined) this.#found.cannot(node);
    const further: Word[] = [];
    for (const child of node.children) {
      if (child.type === 'heredoc_body') this.#substitutionsOfBody(child);
      else if (child.type === 'file_redirect') further.push(...this.redirect(child));
      else if (child.type === 'herestring_redirect') this.hereString(child);
      else if (child.type === 'file_descriptor') this.#descriptor(child);
      else if (child.field === 'argument') further.push(this.#words.word(child));
      else if (child.named && !child.type.startsWith('heredoc_')) this.#statement(child);
      else if (!child.named) this.#found.token(child, ['<<', '<<-', '&&', '||', ...SEPARATORS]);
    }
    return further;
  }

  #substitutionsOfBody(node: ShellNode): void {
    for (const child of node.children) if (!child.type.startsWith('heredoc_')) this.#words.pieces(child, false);
  }
}
