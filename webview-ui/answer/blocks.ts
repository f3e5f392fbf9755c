/**
 * Markdown that grows: all but the last block of the text are final, because only the end is appended to, so each is
 * rendered once and only the open one again and again. The cost of a long answer grows with its length, not its square.
 */
import { md } from './markdown.ts';

type Tokens = ReturnType<typeof md.parse>;
type Env = NonNullable<Parameters<typeof md.render>[1]>;

/** UTF-16 units by which a longer text is known to go on from a shorter one: to compare all of it would be the square again. */
const COMPARED = 200;

export class Blocks {
  /** HTML of the final blocks, how long the text is that they stand for, and the end of it. */
  #html: string[] = [];
  #length = 0;
  #end = '';
  #env: Env = {};

  /** HTML of each block of a text that may still grow. */
  grow(text: string): string[] {
    if (text.slice(this.#length - this.#end.length, this.#length) !== this.#end) this.#reset();
    const rest = text.slice(this.#length);
    // A definition of a link in the open block may be half of one: it must not count for what follows.
    const env = { references: { ...this.#env.references } };
    const groups = grouped(md.parse(rest, env));
    const open = groups.at(-1);
    if (open === undefined) return this.#html;
    if (groups.length > 1) {
      const final = rest.slice(0, lineStart(rest, open[0]?.map?.[0] ?? 0));
      this.#html = [...this.#html, ...render(final, this.#env)];
      this.#length += final.length;
      this.#end = (this.#end + final).slice(-COMPARED);
    }
    return [...this.#html, md.renderer.render(open, md.options, env)];
  }

  /** HTML of each block of the whole text. Here a link may be defined after its use. */
  finish(text: string): string[] {
    this.#reset();
    return render(text, {});
  }

  #reset(): void {
    this.#html = [];
    this.#length = 0;
    this.#end = '';
    this.#env = {};
  }
}

function render(text: string, env: Env): string[] {
  return grouped(md.parse(text, env)).map((tokens) => md.renderer.render(tokens, md.options, env));
}

/** The tokens of each top-level block. */
function grouped(tokens: Tokens): Tokens[] {
  const groups: Tokens[] = [];
  let begin = 0;
  tokens.forEach((token, at) => {
    if (token.level !== 0 || token.nesting === 1) return;
    groups.push(tokens.slice(begin, at + 1));
    begin = at + 1;
  });
  return groups;
}

function lineStart(text: string, line: number): number {
  const end = /\r\n?|\n/g;
  for (let passed = 0; passed < line && end.test(text); passed += 1);
  return end.lastIndex;
}
