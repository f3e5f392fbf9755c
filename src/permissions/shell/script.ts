/**
 * What a shell line does, step by step, from its tree. Only what is known here is taken for known: any other node, any character
 * that no node covers, any word that is not bounded as a shell would bound it makes the line one that is asked. The grammar is
 * more lenient than a shell, and sometimes reads something else.
 */
import type { ShellNode } from './grammar.ts';
import { hereDocument } from './hereDocument.ts';
import { Text } from './text.ts';
import {
  ansiCText,
  doubleQuotedText,
  literalWord,
  makeWord,
  textOf,
  unquotedPieces,
  type Piece,
  type Word,
} from './word.ts';

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
}

export function readScript(root: ShellNode, line: string): Script {
  const reader = new ScriptReader(line);
  reader.program(root);
  return reader;
}

const SEPARATORS = [';', '&', '\n'];
/** Nodes that only hold others together, with the tokens that may stand in them. */
const STRUCTURE: Readonly<Record<string, readonly string[]>> = {
  program: SEPARATORS,
  list: ['&&', '||', ...SEPARATORS],
  pipeline: ['|', '|&', '\n'],
  subshell: ['(', ')', ...SEPARATORS],
  compound_statement: ['{', '}', ...SEPARATORS],
  negated_command: ['!'],
  if_statement: ['if', 'then', 'fi', ...SEPARATORS],
  elif_clause: ['elif', 'then', ...SEPARATORS],
  else_clause: ['else', ...SEPARATORS],
  while_statement: ['while', 'until', ...SEPARATORS],
  do_group: ['do', 'done', ...SEPARATORS],
  redirected_statement: [],
  variable_assignments: [],
  command_substitution: ['$(', '`', ')', ...SEPARATORS],
  process_substitution: ['<(', '>(', ')', ...SEPARATORS],
};
/** As the name of a command these are none: the grammar did not see the statement that they belong to. */
const RESERVED = new Set(
  '! { } [[ ]] case coproc do done elif else esac fi for function if in select then until while'.split(' '),
);
const OF_THE_SYSTEM = new Set(['HOME', 'PWD', 'OLDPWD']);
const NUMBERS = new Set(['#', '?', '$', '!']);
const COMPARES_NUMBERS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);
const OF_TESTS = new Set(['!', '=', '==', '!=', '=~', '<', '>', '&&', '||', '(', ')', '-a', '-o']);

class ScriptReader implements Script {
  readonly steps: Step[] = [];
  readonly ask = new Set<string>();
  readonly #text: Text;
  #loops = 0;

  constructor(line: string) {
    this.#text = new Text(line);
  }

  program(root: ShellNode): void {
    const { line } = this.#text;
    const [first] = root.children;
    if (!this.#text.isBlank(0, first?.start ?? line.length, true)) this.#cannot(root);
    if (first !== undefined && !this.#text.isBlank(root.children.at(-1)?.end ?? 0, line.length, true))
      this.#cannot(root);
    this.#statement(root);
  }

  #cannot(node: ShellNode): void {
    const near = this.#text.excerpt(node);
    this.ask.add(near === '' ? 'cannot be parsed to its end' : `cannot be parsed near ${JSON.stringify(near)}`);
  }

  /** Something unknown: what can be seen in it is listed all the same, for the rules that deny. */
  #unknown(node: ShellNode): void {
    this.#cannot(node);
    this.#explore(node);
  }

  #explore(node: ShellNode): void {
    for (const child of node.children)
      if (!child.broken && (child.type === 'command' || child.type in STRUCTURE)) this.#statement(child);
      else this.#explore(child);
  }

  #statement(node: ShellNode): void {
    if (node.broken) return this.#unknown(node);
    switch (node.type) {
      case 'comment':
        if (!this.#text.isComment(node)) this.#cannot(node);
        return;
      case 'command':
        return this.#command(node);
      case 'variable_assignment':
        this.#assignment(node);
        return;
      case 'declaration_command':
      case 'unset_command':
        return this.#declaration(node);
      case 'test_command':
        return this.#test(node);
      case 'for_statement':
        return this.#forLoop(node);
      case 'c_style_for_statement':
        return this.#arithmetic(node);
      case 'case_statement':
        return this.#case(node);
      case 'function_definition':
        this.ask.add('defines a function, which hides what its name runs');
        return node.children.forEach((child) => {
          if (child.field === 'body') this.#statement(child);
          else if (child.type === 'file_redirect') this.#redirect(child);
        });
      case 'redirected_statement':
        return this.#redirected(node);
      case 'list':
        if (node.children[1]?.type === '&&') return this.#chain(node);
        break;
      case 'compound_statement':
        if (node.children[0]?.type === '((') return this.#arithmetic(node);
    }
    const tokens = STRUCTURE[node.type];
    if (tokens === undefined) return this.#unknown(node);
    const loop = node.type === 'while_statement' ? 1 : 0;
    this.#loops += loop;
    this.#gaps(node, true);
    for (const child of node.children) {
      if (child.named) {
        if (child.type === 'file_redirect') this.#redirect(child).forEach(() => this.#cannot(child));
        else this.#statement(child);
      } else this.#token(child, tokens);
    }
    this.#loops -= loop;
  }

  /** `a && b && c`. */
  #chain(node: ShellNode): void {
    let narrowed = 0;
    for (const item of this.#chained(node)) {
      const { length } = this.steps;
      this.#statement(item);
      const last = this.steps.at(-1);
      if (item.type !== 'command' || this.steps.length !== length + 1 || last?.does !== 'run') continue;
      if (!['cd', 'pushd'].includes(textOf(last.words[0]) ?? '')) continue;
      this.steps.push({ does: 'narrow' });
      narrowed++;
    }
    for (; narrowed > 0; narrowed--) this.steps.push({ does: 'widen' });
  }

  /** The grammar has `a && b && c` as `(a && b) && c`. */
  #chained(node: ShellNode): ShellNode[] {
    this.#gaps(node, true);
    return node.children.flatMap((child, index) => {
      if (!child.named) this.#token(child, ['&&']);
      if (!child.named) return [];
      const isChain = index === 0 && child.type === 'list' && child.children[1]?.type === '&&' && !child.broken;
      return isChain ? this.#chained(child) : [child];
    });
  }

  /** A word of the grammar: one that is known at this place, and bounded as the shell wants it. */
  #token(node: ShellNode, known: readonly string[]): void {
    const isWord = /^([a-z]+|[{}!]|\[\[?|\]\]?)$/.test(node.type);
    if (node.broken || !known.includes(node.type) || (isWord && !this.#text.isBounded(node))) this.#cannot(node);
  }

  /** Between the parts of a node there are blanks only. */
  #gaps(node: ShellNode, lines: boolean): void {
    let end = node.children[0]?.end ?? 0;
    for (const child of node.children.slice(1)) {
      if (!this.#text.isBlank(end, child.start, lines)) this.#cannot(child);
      end = child.end;
    }
  }

  #command(node: ShellNode): void {
    if (node.broken) return this.#unknown(node);
    this.#gaps(node, false);
    const words: Word[] = [];
    let assigned = false;
    for (const child of node.children) {
      if (child.type === 'variable_assignment') {
        assigned = true;
        this.#assignment(child);
      } else if (child.type === 'command_name' && child.children[0] !== undefined)
        words.push(this.#word(child.children[0]));
      else if (child.field === 'argument') words.push(this.#word(child));
      else if (child.type === 'file_redirect') words.push(...this.#redirect(child));
      else if (child.type === 'herestring_redirect') this.#hereString(child);
      else this.#unknown(child);
    }
    if (assigned) this.ask.add('sets a variable for a command, and no rule is for such a command');
    this.#run(words, node);
  }

  #run(words: readonly Word[], node: ShellNode): void {
    const [name] = words;
    if (name === undefined) return this.#cannot(node);
    const [piece] = name.pieces;
    if (piece?.is === 'text' && !piece.quoted && RESERVED.has(textOf(name) ?? '')) this.#cannot(node);
    this.steps.push({ does: 'run', words, repeated: this.#loops > 0 });
  }

  /** The grammar takes words behind a redirection for further targets of it. */
  #redirected(node: ShellNode): void {
    this.#gaps(node, true);
    const { length } = this.steps;
    const further: Word[] = [];
    for (const child of node.children) {
      if (child.type === 'file_redirect') further.push(...this.#redirect(child));
      else if (child.type === 'heredoc_redirect') further.push(...this.#hereDocument(child));
      else if (child.type === 'herestring_redirect') this.#hereString(child);
      else this.#statement(child);
    }
    if (further.length === 0) return;
    const body = node.children.find((child) => child.field === 'body');
    const at = this.steps.findLastIndex((step, index) => index >= length && step.does === 'run');
    const step = this.steps[at];
    if (body?.type !== 'command' || step?.does !== 'run') return this.#cannot(node);
    this.steps[at] = { ...step, words: [...step.words, ...further] };
  }

  /** Gives the whole of it as a word, as `export` would get it. */
  #assignment(node: ShellNode): Word {
    if (node.broken) this.#unknown(node);
    const pieces: Piece[] = [];
    let end = node.start;
    for (const child of node.children) {
      if (child.start !== end) this.#cannot(child);
      end = child.end;
      if (child.field === 'name') this.#variable(child);
      else if (child.type === 'array') this.#array(child);
      else if (child.named) {
        const word = this.#value(child);
        this.steps.push({ does: 'mention', word });
        pieces.push(...word.pieces);
        continue;
      } else this.#token(child, ['=', '+=']);
      pieces.push({ is: 'text', text: this.#text.of(child), quoted: true });
    }
    return makeWord(pieces, this.#text.of(node));
  }

  #array(node: ShellNode): void {
    this.#gaps(node, true);
    for (const child of node.children) {
      if (child.named && child.type !== 'comment') this.steps.push({ does: 'mention', word: this.#word(child) });
      else this.#token(child, ['(', ')']);
    }
  }

  /** A variable that gets a value. By custom small letters are for the line itself, others are what programs heed. */
  #variable(node: ShellNode): void {
    const name = node.type === 'subscript' ? this.#subscript(node) : this.#text.of(node);
    if (!/^[a-z][a-z0-9_]*$/.test(name) || /^npm_|_proxy$/.test(name))
      this.ask.add(`sets ${name}, which may change what other commands do`);
  }

  /** The name of the variable; what is in brackets is calculated. */
  #subscript(node: ShellNode): string {
    for (const child of node.children) {
      if (child.field === 'index' && !/^(\d+|[@*])$/.test(this.#text.of(child))) this.#calculates(child);
      else if (child.broken) this.#unknown(child);
    }
    const [name] = node.children;
    return name === undefined ? '' : this.#text.of(name);
  }

  /** The value of a variable is calculated as well, and may have a `$(…)` in it that is run then. */
  #calculates(node: ShellNode): void {
    this.ask.add(`calculates with ${JSON.stringify(this.#text.excerpt(node))}, which may run what a variable holds`);
    this.#substitutions(node);
  }

  /** Commands anywhere below. */
  #substitutions(node: ShellNode): void {
    if (node.type === 'command_substitution' || node.type === 'process_substitution') this.#substitution(node);
    else node.children.forEach((child) => this.#substitutions(child));
  }

  #declaration(node: ShellNode): void {
    this.#gaps(node, false);
    const words: Word[] = [];
    for (const child of node.children) {
      if (!child.named && words.length === 0) words.push(literalWord(this.#text.of(child)));
      else if (child.type === 'variable_assignment') words.push(this.#assignment(child));
      else words.push(this.#word(child));
    }
    if (node.type === 'unset_command') {
      for (const word of words.slice(1))
        if (!/^([a-z][a-z0-9_]*|-[vf])$/.test(textOf(word) ?? ''))
          this.ask.add(`unsets ${word.source}, which may change what other commands do`);
    } else this.ask.add(`changes variables with ${words[0]?.source ?? ''}`);
    this.#run(words, node);
  }

  #forLoop(node: ShellNode): void {
    this.#gaps(node, true);
    this.#loops++;
    for (const child of node.children) {
      if (child.field === 'variable') this.#variable(child);
      else if (child.field === 'value') this.steps.push({ does: 'mention', word: this.#word(child) });
      else if (child.named) this.#statement(child);
      else this.#token(child, ['for', 'select', 'in', ...SEPARATORS]);
    }
    this.#loops--;
  }

  #case(node: ShellNode): void {
    this.#gaps(node, true);
    for (const child of node.children) {
      if (child.field === 'value') this.#word(child);
      else if (child.type === 'case_item') this.#case(child);
      else if (child.named) this.#statement(child);
      else if (node.type === 'case_item') this.#token(child, ['(', '|', ')', ';;', ';&', ';;&', ...SEPARATORS]);
      else this.#token(child, ['case', 'in', 'esac', ...SEPARATORS]);
    }
  }

  #test(node: ShellNode): void {
    const [open] = node.children;
    if (open === undefined || open.type === '((') return this.#arithmetic(node);
    this.#gaps(node, open.type === '[[');
    const words: Word[] = [];
    for (const child of node.children) {
      if (child.named) this.#operand(child, words, open.type === '[[');
      else {
        this.#token(child, ['[', '[[', ']', ']]']);
        if (open.type === '[') words.push(literalWord(child.type));
      }
    }
    // `[[ … ]]` is grammar and runs nothing; `[` is a command, if only a harmless one.
    if (open.type === '[') this.#run(words, node);
    else for (const word of words) this.steps.push({ does: 'mention', word });
  }

  #operand(node: ShellNode, words: Word[], isGrammar: boolean): void {
    if (!/^(binary|unary|parenthesized)_expression$/.test(node.type)) {
      if (node.type === 'regex') {
        if (/[`$<>]/.test(this.#text.of(node).replace(/\$(?=$|\))/g, ''))) this.#cannot(node);
      } else words.push(this.#word(node));
      return;
    }
    this.#gaps(node, isGrammar);
    const operator = node.children.find((child) => child.field === 'operator');
    if (operator !== undefined) {
      const text = this.#text.of(operator);
      if (text === '-v' || text === '-R') this.#calculates(node);
      if (isGrammar && COMPARES_NUMBERS.has(text))
        for (const child of node.children) if (child !== operator && !this.#isNumber(child)) this.#calculates(child);
    }
    for (const child of node.children) {
      const text = this.#text.of(child);
      if (child === operator || !child.named) {
        const known = child.type === 'test_operator' ? /^-[a-zA-Z]{1,2}$/.test(text) : OF_TESTS.has(text);
        // In `[` these are redirections, separators and a subshell.
        if (!known || child.broken || (!isGrammar && /^[<>&|()]/.test(text))) this.#cannot(child);
        if (!isGrammar) words.push(literalWord(text));
      } else this.#operand(child, words, isGrammar);
    }
  }

  #isNumber(node: ShellNode): boolean {
    if (node.type === 'number') return node.children.length === 0;
    return node.type === 'simple_expansion' && NUMBERS.has(this.#text.of(node).slice(1));
  }

  /** `((…))`, `$((…))`, `$[…]`, and the head of a loop with three parts. */
  #arithmetic(node: ShellNode): void {
    if (node.broken) return this.#unknown(node);
    if (node.children.length > 0 && node.type !== 'simple_expansion') this.#gaps(node, true);
    for (const child of node.children) {
      if (child.field === 'body' || child.type === 'do_group') {
        this.#loops++;
        this.#statement(child);
        this.#loops--;
      } else if (child.type === 'command_substitution') this.#substitution(child);
      else if (/^(binary|unary|postfix|parenthesized|ternary)_expression$/.test(child.type)) this.#arithmetic(child);
      else if (child.named && !this.#isNumber(child)) this.#calculates(child);
      else if (child.broken) this.#unknown(child);
    }
  }

  #hereString(node: ShellNode): void {
    this.#gaps(node, false);
    for (const child of node.children) {
      if (child.type === 'file_descriptor') this.#descriptor(child);
      else if (child.named || child.field !== undefined) this.steps.push({ does: 'mention', word: this.#word(child) });
      else this.#token(child, ['<<<']);
    }
  }

  #descriptor(node: ShellNode): void {
    if (!this.#text.isBoundedBefore(node.start)) this.#cannot(node);
  }

  /** Gives the words behind the target, which belong to the command. */
  #redirect(node: ShellNode): Word[] {
    if (node.broken) {
      this.#unknown(node);
      return [];
    }
    this.#gaps(node, false);
    const targets = node.children.filter((child) => child.field === 'destination');
    let operator = '';
    for (const child of node.children) {
      if (targets.includes(child)) continue;
      if (child.type === 'file_descriptor') this.#descriptor(child);
      else {
        this.#token(child, ['<', '>', '>>', '>|', '&>', '&>>', '<&', '>&', '<&-', '>&-']);
        operator = child.type;
      }
    }
    const closes = operator.endsWith('-');
    const target = closes ? undefined : targets.shift();
    if (target !== undefined) this.#target(operator, target);
    else if (!closes) this.#cannot(node);
    return targets.map((child) => this.#word(child));
  }

  #target(operator: string, node: ShellNode): void {
    const word = this.#word(node);
    if (node.type === 'process_substitution') return;
    if (operator.endsWith('&') && /^(\d+-?|-)$/.test(textOf(word) ?? '')) return;
    if (operator === '<&')
      return void this.ask.add(`reads from a descriptor that is only known when it runs: ${word.source}`);
    this.steps.push({ does: operator === '<' ? 'read' : 'write', word });
  }

  #hereDocument(node: ShellNode): Word[] {
    const document = hereDocument(node, this.#text);
    if (document === undefined) this.#cannot(node);
    const further: Word[] = [];
    for (const child of node.children) {
      if (child.type === 'heredoc_body') this.#substitutionsOfBody(child);
      else if (child.type === 'file_redirect') further.push(...this.#redirect(child));
      else if (child.type === 'herestring_redirect') this.#hereString(child);
      else if (child.type === 'file_descriptor') this.#descriptor(child);
      else if (child.field === 'argument') further.push(this.#word(child));
      else if (child.named && !child.type.startsWith('heredoc_')) this.#statement(child);
      else if (!child.named) this.#token(child, ['<<', '<<-', '&&', '||', ...SEPARATORS]);
    }
    return further;
  }

  #substitutionsOfBody(node: ShellNode): void {
    for (const child of node.children) if (!child.type.startsWith('heredoc_')) this.#pieces(child, false);
  }

  #word(node: ShellNode): Word {
    if (!this.#text.isBounded(node)) this.#cannot(node);
    return this.#value(node);
  }

  /** A word that stands behind the `=` of an assignment, or elsewhere. */
  #value(node: ShellNode): Word {
    if (!this.#text.isBoundedAfter(node.end)) this.#cannot(node);
    const word = makeWord(this.#pieces(node, true), this.#text.of(node));
    const open = word.pieces.findIndex(({ is }) => is === 'glob');
    const rest = word.pieces.slice(open).map((piece) => (piece.is === 'text' ? piece.text : 'x'));
    if (
      open >= 0 &&
      /[{,]([^{},]*\/)?(\.\.|~|\/)|[{,]x/.test(rest.join('')) &&
      rest.some((text) => text.startsWith('{'))
    )
      this.ask.add(`may lead out of the folder by what is in braces: ${word.source}`);
    return word;
  }

  #pieces(node: ShellNode, first: boolean): Piece[] {
    const source = this.#text.of(node);
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
        return [this.#expansion(node, source)];
      case 'command_substitution':
      case 'process_substitution':
        this.#substitution(node);
        return [{ is: 'unknown' }];
      case 'arithmetic_expansion':
        this.#arithmetic(node);
        return [{ is: 'unknown' }];
      case 'brace_expression':
        return /^\{-?\w+\.\.-?\w+(\.\.-?\d+)?\}$/.test(source) ? [{ is: 'glob' }] : undefined;
      case '$':
      case '=':
      case '==':
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
      pieces.push(this.#quotedText(start, child.start), ...this.#pieces(child, false));
      start = child.end;
    }
    pieces.push(this.#quotedText(start, close.start));
    return allOf(pieces);
  }

  /** What the grammar has between the quotes besides expansions is not looked at: it leaves out blanks. */
  #quotedText(start: number, end: number): Piece | undefined {
    const text = doubleQuotedText(this.#text.between(start, end));
    return text === undefined ? undefined : { is: 'text', text, quoted: true };
  }

  #concatenation(node: ShellNode, first: boolean): Piece[] | undefined {
    let end = node.start;
    const pieces = node.children.flatMap((child, index): (Piece | undefined)[] => {
      const gap = child.start === end ? [] : [undefined];
      end = child.end;
      return [...gap, ...this.#pieces(child, first && index === 0)];
    });
    return allOf(pieces);
  }

  #simpleExpansion(source: string): Piece {
    if (source === '$HOME') return { is: 'home' };
    if (source === '$PWD') return { is: 'here' };
    if (source === '$OLDPWD') this.ask.add('uses $OLDPWD, the folder before this one, which is not known');
    return { is: 'unknown' };
  }

  #expansion(node: ShellNode, source: string): Piece {
    if (source === '${HOME}') return { is: 'home' };
    if (source === '${PWD}') return { is: 'here' };
    const operators = node.children.filter((child) => child.field === 'operator').map((child) => this.#text.of(child));
    const [name] = node.children.filter(({ type }) => type === 'variable_name' || type === 'special_variable_name');
    if (OF_THE_SYSTEM.has(name === undefined ? '' : this.#text.of(name)))
      this.ask.add(`makes a path of the home folder or the current one: ${source}`);
    const indirect = operators[0] === '!';
    if (indirect || (operators.includes('@') && !/@[QULul]\}$/.test(source)))
      this.ask.add(`uses what a variable holds as a name or as code: ${source}`);
    if (name !== undefined && operators.some((operator) => /^:?=$/.test(operator))) this.#variable(name);
    const calculated = operators.includes(':');
    for (const child of node.children) {
      if (!child.named || child === name) {
        if (child.broken) this.#unknown(child);
      } else if (child.type === 'subscript') this.#subscript(child);
      else if (calculated) {
        if (!this.#isNumber(child)) this.#calculates(child);
      } else if (child.type === 'word' || child.type === 'regex') {
        if (/[`$"'<>()]/.test(this.#text.of(child))) this.#unknown(child);
      } else if (child.type === 'concatenation') {
        for (const part of child.children)
          if (part.type !== 'word') this.#pieces(part, false);
          else if (/[`$"'<>()]/.test(this.#text.of(part))) this.#unknown(part);
      } else this.#pieces(child, false);
    }
    this.#gaps(node, true);
    return { is: 'unknown' };
  }

  #substitution(node: ShellNode): void {
    const source = this.#text.of(node);
    // Within backquotes a backslash takes itself away before the rest is read, and the grammar does not know that.
    if (source.startsWith('`') && /[\\"]/.test(source)) this.#cannot(node);
    this.#statement(node);
  }
}

/** Nothing when a part is missing. */
function allOf(pieces: readonly (Piece | undefined)[]): Piece[] | undefined {
  const found = pieces.filter((piece) => piece !== undefined);
  return found.length === pieces.length ? found : undefined;
}
