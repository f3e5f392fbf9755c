/**
 * The words of a line, from the nodes of its tree: which parts of them are known, and what is run to get at the others. A text that
 * a shell would not read as the grammar did is unknown.
 */
import { readExpansion } from './expansion.ts';
import type { Findings } from './findings.ts';
import type { ShellNode } from './grammar.ts';
import { isOfTheLine } from './variables.ts';
import { ansiCText, doubleQuotedText, literalWord, makeWord, unquotedPieces, type Piece, type Word } from './word.ts';

const OF_THE_SYSTEM = new Set(['HOME', 'PWD', 'OLDPWD']);
const NUMBERS = new Set(['#', '?', '$', '!']);

export class WordReader {
  readonly #found: Findings;
  /** Reads the statements of a substitution, or what there is in something unknown. */
  readonly #statement: (node: ShellNode) => void;
  readonly #unknown: (node: ShellNode) => void;

  constructor(found: Findings, statement: (node: ShellNode) => void, unknown: (node: ShellNode) => void) {
    this.#found = found;
    this.#statement = statement;
    this.#unknown = unknown;
  }

  word(node: ShellNode): Word {
    if (!this.#found.text.isBounded(node)) this.#found.cannot(node);
    // To a shell it belongs to the redirection then, also where the grammar does not know it.
    const source = this.#found.text.of(node).replaceAll('\\\n', '');
    if (/^(\d+|\{[^]*\})$/.test(source) && this.#found.text.isBeforeRedirection(node.end))
      this.#found.descriptor(source);
    return this.value(node);
  }

  /** A word that stands behind the `=` of an assignment, or elsewhere. */
  value(node: ShellNode): Word {
    if (!this.#found.text.isBoundedAfter(node.end)) this.#found.cannot(node);
    const word = makeWord(this.pieces(node, true), this.#found.text.of(node));
    const texts = word.pieces.map((piece) => ('text' in piece ? piece.text : 'x'));
    const open = texts.findIndex((text, index) => text.startsWith('{') && word.pieces[index - 1]?.is === 'glob');
    if (open >= 0 && texts.includes('x') && /[{,]([^{},]*\/)?(\.\.|~|\/)|[{,]x/.test(texts.slice(open).join('')))
      this.#found.ask.add(`may lead out of the folder by what is in braces: ${word.source}`);
    return word;
  }

  pieces(node: ShellNode, first: boolean): Piece[] {
    const source = this.#found.text.of(node);
    const pieces = node.broken ? undefined : this.#known(node, source, first);
    if (pieces !== undefined) return pieces;
    this.#unknown(node);
    return [{ is: 'unknown' }];
  }

  #known(node: ShellNode, source: string, first: boolean): Piece[] | undefined {
    switch (node.type) {
      case 'word':
      case 'number':
      case 'variable_name':
      case 'extglob_pattern':
      case 'test_operator':
        return node.children.length === 0 ? unquotedPieces(source, first) : undefined;
      case 'raw_string':
        return /^'[^']*'$/.test(source) ? [{ is: 'text', text: source.slice(1, -1), quoted: true }] : undefined;
      case 'ansi_c_string': {
        if (!/^\$'([^'\\]|\\[^])*'$/.test(source)) return undefined;
        const text = ansiCText(source.slice(2, -1));
        return [text === undefined ? { is: 'unknown' } : { is: 'text', text, quoted: true }];
      }
      case 'string':
        return this.#string(node);
      case 'concatenation':
        return this.#concatenation(node, first);
      case 'simple_expansion':
        return [this.#simpleExpansion(source)];
      case 'expansion':
        return allOf([this.#expansion(source)]);
      case 'command_substitution':
      case 'process_substitution':
        this.#substitution(node);
        return [node.type === 'process_substitution' ? { is: 'unknown', noPath: true } : { is: 'unknown' }];
      case 'arithmetic_expansion':
        this.arithmetic(node);
        return [{ is: 'unknown', noPath: true }];
      case 'brace_expression':
        return /^\{-?\w+\.\.-?\w+(\.\.-?\d+)?\}$/.test(source) ? [{ is: 'glob', text: source }] : undefined;
      case '$':
        // Before a quote it is a quote of another kind, and no dollar.
        if (!/^(?:[\s;&|()<>`]|\\\n|$)/.test(this.#found.text.line.slice(node.end, node.end + 2))) return undefined;
        return [{ is: 'text', text: source, quoted: true }];
      case '=':
      case '==':
      case '=~':
        return [{ is: 'text', text: source, quoted: true }];
      default:
        return undefined;
    }
  }

  #string(node: ShellNode): Piece[] | undefined {
    const [open, ...inner] = node.children;
    const close = inner.pop();
    if (open?.type !== '"' || close?.type !== '"' || open.broken || close.broken) return undefined;
    const pieces: (Piece | undefined)[] = [{ is: 'text', text: '', quoted: true }];
    let start = open.end;
    for (const child of inner) {
      if (child.type === 'string_content' || child.type === '$') continue;
      const inner = this.pieces(child, false).map((piece): Piece =>
        piece.is === 'unknown' ? { ...piece, quoted: true } : piece,
      );
      pieces.push(this.#quotedText(start, child.start), ...inner);
      start = child.end;
    }
    pieces.push(this.#quotedText(start, close.start));
    return allOf(pieces);
  }

  /** What the grammar has between the quotes besides expansions is not looked at: it leaves out blanks. */
  #quotedText(start: number, end: number): Piece | undefined {
    const text = doubleQuotedText(this.#found.text.between(start, end));
    return text === undefined ? undefined : { is: 'text', text, quoted: true };
  }

  #concatenation(node: ShellNode, first: boolean): Piece[] | undefined {
    let end = node.start;
    const pieces = node.children.flatMap((child, index): (Piece | undefined)[] => {
      const gap = child.start === end ? [] : [undefined];
      end = child.end;
      return [...gap, ...this.pieces(child, first && index === 0)];
    });
    return allOf(pieces);
  }

  #simpleExpansion(source: string): Piece {
    if (source === '$HOME') return { is: 'home' };
    if (source === '$PWD') return { is: 'here' };
    this.#used(source.slice(1));
    if (/^\$[#?$]$/.test(source)) return { is: 'unknown', noPath: true };
    return { is: 'unknown', variable: source.slice(1) };
  }

  /** Undefined when it is not plain. */
  #expansion(source: string): Piece | undefined {
    if (source === '${HOME}') return { is: 'home' };
    if (source === '${PWD}') return { is: 'here' };
    const expansion = readExpansion(source);
    if (expansion === undefined) return undefined;
    const { is, name, operand } = expansion;
    this.#used(name);
    if (is === 'value') return { is: 'unknown', variable: name };
    if (is === 'length') return { is: 'unknown', noPath: true };
    if (OF_THE_SYSTEM.has(name) || (is === 'part' && !isOfTheLine(name)))
      this.#found.ask.add(`makes a word of a part of what ${name} holds: ${source}`);
    if (is === 'assign') this.#assigned(name);
    for (const text of operand.split(' ')) this.#found.steps.push({ does: 'mention', word: literalWord(text) });
    return { is: 'unknown' };
  }

  #substitution(node: ShellNode): void {
    const source = this.#found.text.of(node);
    // In backquotes a backslash takes itself away before the rest is read, and the next one ends them, also in quotes: the
    // grammar does not know that.
    if (source.startsWith('`') && /["'`\\#]|<</.test(source.slice(1, -1))) this.#found.cannot(node);
    this.#statement(node);
  }

  /** A variable that gets a value: one of these words, where all that it may be set to is known. */
  variable(node: ShellNode, words?: readonly Word[]): void {
    if (node.type === 'subscript') this.#substitutions(node);
    else this.#assigned(this.#found.text.of(node), words);
  }

  #assigned(name: string, words?: readonly Word[]): void {
    if (isOfTheLine(name)) return this.#found.set(name, words);
    this.#found.changes = true;
    this.#found.ask.add(`sets ${name}, which may change what other commands do`);
  }

  /** In these a shell tells of itself: what it was started with, what it runs, and what runs it. */
  #used(name: string): void {
    if (name.startsWith('BASH') || name === 'PPID')
      this.#found.ask.add(`uses $${name}, by which the shell tells of itself`);
    if (name === 'OLDPWD') this.#found.ask.add('uses $OLDPWD, the folder before this one, which is not known');
  }

  #code(reason: string): void {
    this.#found.ask.add(reason);
    this.#found.unread = true;
  }

  /** The value of a variable is calculated as well, and may have a `$(…)` in it that is run then. */
  calculates(node: ShellNode): void {
    this.#code(
      `calculates with ${JSON.stringify(this.#found.text.excerpt(node))}, which may run what a variable holds`,
    );
    this.#substitutions(node);
  }

  /** Commands anywhere below. */
  #substitutions(node: ShellNode): void {
    if (node.type === 'command_substitution' || node.type === 'process_substitution') this.#substitution(node);
    else node.children.forEach((child) => this.#substitutions(child));
  }

  isNumber(node: ShellNode): boolean {
    if (node.type === 'number') return /^-?\d\w*(#\w+)?$/.test(this.#found.text.of(node));
    return node.type === 'simple_expansion' && NUMBERS.has(this.#found.text.of(node).slice(1));
  }

  /** `((…))`, `$((…))`, `$[…]`, and the head of a loop with three parts. */
  arithmetic(node: ShellNode): void {
    if (node.broken) return this.#unknown(node);
    if (node.children.length > 0 && node.type !== 'simple_expansion') this.#found.gaps(node, true);
    for (const child of node.children) {
      if (child.field === 'body' || child.type === 'do_group') this.#statement(child);
      else if (child.type === 'command_substitution') this.#substitution(child);
      else if (/^(binary|unary|postfix|parenthesized|ternary)_expression$/.test(child.type)) this.arithmetic(child);
      else if (child.named && !this.isNumber(child)) this.calculates(child);
      else if (child.broken) this.#unknown(child);
    }
  }
}

/** Nothing when a part is missing. */
function allOf(pieces: readonly (Piece | undefined)[]): Piece[] | undefined {
  const found = pieces.filter((piece) => piece !== undefined);
  return found.length === pieces.length ? found : undefined;
}
