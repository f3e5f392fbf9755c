/**
 * What a shell line does, step by step, from its tree. Only what is known here is taken for known: any other node, any character
 * that no node covers, any word that is not bounded as a shell would bound it makes the line one that is asked. The grammar is
 * more lenient than a shell, and sometimes reads something else.
 */
import { Findings, SEPARATORS, type Script, type ShellLanguage } from './findings.ts';
import type { ShellNode } from './grammar.ts';
import { Redirections } from './redirections.ts';
import { namesSetBy } from './variables.ts';
import { literalWord, makeWord, textOf, type Piece, type Word } from './word.ts';
import { WordReader } from './wordReader.ts';

export function readScript(root: ShellNode, line: string, language: ShellLanguage): Script {
  const found = new Findings(line, language);
  new ScriptReader(found).program(root);
  return found;
}

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
const SETS_ANY = new Set('eval source . trap let declare typeset local export readonly unset'.split(' '));
const COMPARES_NUMBERS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);
const OF_TESTS = new Set(['!', '=', '==', '!=', '=~', '<', '>', '&&', '||', '(', ')', '-a', '-o']);

class ScriptReader {
  readonly #found: Findings;
  readonly #words: WordReader;
  readonly #redirections: Redirections;
  #loops = 0;

  constructor(found: Findings) {
    this.#found = found;
    const statement = (node: ShellNode) => this.#statement(node);
    const unknown = (node: ShellNode) => this.#unknown(node);
    this.#words = new WordReader(found, statement, unknown);
    this.#redirections = new Redirections(found, this.#words, statement, unknown);
  }

  program(root: ShellNode): void {
    const { line } = this.#found.text;
    const [first] = root.children;
    if (!this.#found.text.isBlank(0, first?.start ?? line.length, true)) this.#found.cannot(root);
    if (first !== undefined && !this.#found.text.isBlank(root.children.at(-1)?.end ?? 0, line.length, true))
      this.#found.cannot(root);
    this.#found.names(root);
    this.#statement(root);
  }

  /** Something unknown: what can be seen in it is listed all the same, for the rules that deny. */
  #unknown(node: ShellNode): void {
    this.#found.cannot(node);
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
        if (!this.#found.text.isComment(node)) this.#found.cannot(node);
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
        this.#loops++;
        this.#words.arithmetic(node);
        this.#loops--;
        return;
      case 'case_statement':
        return this.#case(node);
      case 'function_definition':
        this.#found.ask.add('defines a function, which hides what its name runs');
        return node.children.forEach((child) => {
          if (child.field === 'body') this.#statement(child);
          else if (child.type === 'file_redirect') this.#redirections.redirect(child);
        });
      case 'redirected_statement':
        return this.#redirected(node);
      case 'list':
        if (node.children[1]?.type === '&&') return this.#chain(node);
        break;
      case 'compound_statement':
        if (node.children[0]?.type === '((') return this.#words.arithmetic(node);
    }
    const tokens = STRUCTURE[node.type];
    if (tokens === undefined) return this.#unknown(node);
    const loop = node.type === 'while_statement' ? 1 : 0;
    this.#loops += loop;
    this.#found.gaps(node, true);
    for (const child of node.children) {
      if (child.named) {
        if (child.type === 'file_redirect') this.#redirections.redirect(child).forEach(() => this.#found.cannot(child));
        else this.#statement(child);
      } else this.#found.token(child, tokens);
    }
    this.#loops -= loop;
  }

  /** `a && b && c`. */
  #chain(node: ShellNode): void {
    let narrowed = 0;
    for (const item of this.#chained(node)) {
      const { length } = this.#found.steps;
      this.#statement(item);
      const last = this.#found.steps.at(-1);
      if (item.type !== 'command' || this.#found.steps.length !== length + 1 || last?.does !== 'run') continue;
      if (!['cd', 'pushd'].includes(textOf(last.words[0]) ?? '')) continue;
      this.#found.steps.push({ does: 'narrow' });
      narrowed++;
    }
    for (; narrowed > 0; narrowed--) this.#found.steps.push({ does: 'widen' });
  }

  /** The grammar has `a && b && c` as `(a && b) && c`. */
  #chained(node: ShellNode): ShellNode[] {
    this.#found.gaps(node, true);
    return node.children.flatMap((child, index) => {
      if (!child.named) this.#found.token(child, ['&&']);
      if (!child.named) return [];
      const isChain = index === 0 && child.type === 'list' && child.children[1]?.type === '&&' && !child.broken;
      return isChain ? this.#chained(child) : [child];
    });
  }

  #command(node: ShellNode): void {
    if (node.broken) return this.#unknown(node);
    this.#found.gaps(node, false);
    const words: Word[] = [];
    let assigned = false;
    for (const child of node.children) {
      if (child.type === 'variable_assignment') {
        assigned = true;
        this.#assignment(child);
      } else if (child.type === 'command_name' && child.children[0] !== undefined && child.children.length === 1)
        words.push(this.#words.word(child.children[0]));
      else if (child.field === 'argument') words.push(this.#words.word(child));
      else if (child.type === 'file_redirect') words.push(...this.#redirections.redirect(child));
      else if (child.type === 'herestring_redirect') this.#redirections.hereString(child);
      else this.#unknown(child);
    }
    if (assigned) this.#found.ask.add('sets a variable for a command, and no rule is for such a command');
    this.#run(words, node);
  }

  #run(words: readonly Word[], node: ShellNode): void {
    const [name] = words;
    if (name === undefined) return this.#found.cannot(node);
    this.#sets(words);
    const [piece] = name.pieces;
    if (piece?.is === 'text' && !piece.quoted && RESERVED.has(textOf(name) ?? '')) this.#found.cannot(node);
    this.#found.steps.push({ does: 'run', words, repeated: this.#loops > 0 });
  }

  /** Builtins that set variables, also behind `command` and the like. */
  #sets(words: readonly Word[]): void {
    const texts = words.map((word) => textOf(word));
    if (texts.some((text) => SETS_ANY.has(text ?? ''))) return this.#found.setsAny();
    for (const [at, text] of texts.entries()) {
      const names = namesSetBy(text ?? '', words.slice(at + 1));
      if (names === undefined) this.#found.setsAny();
      else for (const name of names) this.#found.set(name, undefined);
    }
  }

  /** The grammar takes words behind a redirection for further targets of it. */
  #redirected(node: ShellNode): void {
    this.#found.gaps(node, true);
    let command: number | undefined;
    const further: Word[] = [];
    for (const child of node.children) {
      if (child.type === 'file_redirect') further.push(...this.#redirections.redirect(child));
      else if (child.type === 'heredoc_redirect') further.push(...this.#redirections.hereDocument(child));
      else if (child.type === 'herestring_redirect') this.#redirections.hereString(child);
      else {
        this.#statement(child);
        if (child.type === 'command') command = this.#found.steps.length - 1;
      }
    }
    if (further.length === 0) return;
    const step = command === undefined ? undefined : this.#found.steps[command];
    if (command === undefined || step?.does !== 'run') return this.#found.cannot(node);
    this.#found.steps[command] = { ...step, words: [...step.words, ...further] };
  }

  /** Gives the whole of it as a word, as `export` would get it. */
  #assignment(node: ShellNode): Word {
    if (node.broken) this.#unknown(node);
    const pieces: Piece[] = [];
    const name = node.children.find((child) => child.field === 'name');
    let end = node.start;
    let value: Word | undefined = literalWord('');
    for (const child of node.children) {
      if (child.start !== end) this.#found.cannot(child);
      end = child.end;
      if (child.type === 'array' || child.type === '+=') value = undefined;
      if (child.type === 'array') this.#array(child);
      else if (child.named && child !== name) {
        const word = this.#words.value(child);
        this.#found.steps.push({ does: 'mention', word });
        value &&= word;
        pieces.push(...word.pieces);
        continue;
      } else if (child !== name) this.#found.token(child, ['=', '+=']);
      pieces.push({ is: 'text', text: this.#found.text.of(child), quoted: true });
    }
    if (name !== undefined) this.#words.variable(name, value && [value]);
    return makeWord(pieces, this.#found.text.of(node));
  }

  #array(node: ShellNode): void {
    this.#found.gaps(node, true);
    for (const child of node.children) {
      // Such as `([$x]=1)`: what is in the brackets is calculated.
      if (child.named && this.#found.text.of(child).includes('[')) this.#words.calculates(child);
      else if (child.named && child.type !== 'comment')
        this.#found.steps.push({ does: 'mention', word: this.#words.word(child) });
      else this.#found.token(child, ['(', ')']);
    }
  }

  #declaration(node: ShellNode): void {
    this.#found.gaps(node, false);
    const words: Word[] = [];
    for (const child of node.children) {
      if (!child.named && words.length === 0) words.push(literalWord(this.#found.text.of(child)));
      else if (child.type === 'variable_assignment') words.push(this.#assignment(child));
      else words.push(this.#words.word(child));
    }
    this.#run(words, node);
  }

  #forLoop(node: ShellNode): void {
    this.#found.gaps(node, true);
    const variable = node.children.find((child) => child.field === 'variable');
    const values: Word[] = [];
    this.#loops++;
    for (const child of node.children) {
      if (child === variable) continue;
      if (child.field === 'value') {
        const word = this.#words.word(child);
        values.push(word);
        this.#found.steps.push({ does: 'mention', word });
      } else if (child.named) this.#statement(child);
      else this.#found.token(child, ['for', 'select', 'in', ...SEPARATORS]);
    }
    this.#loops--;
    if (variable !== undefined) this.#words.variable(variable, values.length > 0 ? values : undefined);
  }

  #case(node: ShellNode): void {
    this.#found.gaps(node, true);
    for (const child of node.children) {
      if (child.field === 'value') this.#words.word(child);
      else if (child.type === 'case_item') this.#case(child);
      else if (child.named) this.#statement(child);
      else if (node.type === 'case_item') this.#found.token(child, ['(', '|', ')', ';;', ';&', ';;&', ...SEPARATORS]);
      else this.#found.token(child, ['case', 'in', 'esac', ...SEPARATORS]);
    }
  }

  #test(node: ShellNode): void {
    const [open] = node.children;
    if (open === undefined || open.type === '((') return this.#words.arithmetic(node);
    this.#found.gaps(node, open.type === '[[');
    const words: Word[] = [];
    for (const child of node.children) {
      if (child.named) this.#operand(child, words, open.type === '[[');
      else {
        this.#found.token(child, ['[', '[[', ']', ']]']);
        if (open.type === '[') words.push(literalWord(child.type));
      }
    }
    // `[[ … ]]` is grammar and runs nothing; `[` is a command, if only a harmless one.
    if (open.type === '[') this.#run(words, node);
    else for (const word of words) this.#found.steps.push({ does: 'mention', word });
  }

  #operand(node: ShellNode, words: Word[], isGrammar: boolean): void {
    if (!/^(binary|unary|parenthesized)_expression$/.test(node.type)) {
      if (node.type === 'regex') {
        if (/[`$<>]/.test(this.#found.text.of(node).replace(/\$(?=$|\))/g, ''))) this.#found.cannot(node);
      } else words.push(this.#words.word(node));
      return;
    }
    this.#found.gaps(node, isGrammar);
    const operator = node.children.find((child) => child.field === 'operator');
    if (operator !== undefined) {
      const text = this.#found.text.of(operator);
      if (text === '-v' || text === '-R') this.#words.calculates(node);
      if (isGrammar && COMPARES_NUMBERS.has(text))
        for (const child of node.children)
          if (child !== operator && !this.#words.isNumber(child)) this.#words.calculates(child);
    }
    for (const child of node.children) {
      const text = this.#found.text.of(child);
      if (child === operator || !child.named) {
        const known = child.type === 'test_operator' ? /^-[a-zA-Z]{1,2}$/.test(text) : OF_TESTS.has(text);
        // In `[` these are redirections, separators and a subshell.
        if (!known || child.broken || (!isGrammar && /^[<>&|()]/.test(text))) this.#found.cannot(child);
        if (!isGrammar) words.push(literalWord(text));
      } else this.#operand(child, words, isGrammar);
    }
  }
}
