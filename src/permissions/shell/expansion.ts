/**
 * `${…}` where there is nothing but plain characters in it. Quotes, further expansions and whatever else may stand there mean other
 * things to a shell in each place (within `"…"` a single quote is none), so they are not read.
 */

export interface Expansion {
  name: string;
  /**
   * `value`: what the variable holds. `length`: a number. `default`: that, or the operand. `assign`: the operand, which the variable
   * is set to. `part`: something made of what it holds.
   */
  is: 'value' | 'length' | 'default' | 'assign' | 'part';
  operand: string;
}

const VARIABLE = String.raw`(?<name>\w+|[@*#?$!-])`;
const NAME = String.raw`(?<name>\w+)`;
const FORMS: readonly [Expansion['is'], RegExp][] = [
  ['value', new RegExp(String.raw`^\$\{${VARIABLE}\}$`)],
  ['length', new RegExp(String.raw`^\$\{#${VARIABLE}\}$`)],
  ['default', new RegExp(String.raw`^\$\{${NAME}:?[-+?](?<operand>[\w./:,=@%+ -]*)\}$`)],
  ['assign', new RegExp(String.raw`^\$\{${NAME}:?=(?<operand>[\w./:,=@%+ -]*)\}$`)],
  ['part', new RegExp(String.raw`^\$\{${NAME}[#%/][\w./:,=@%+#*? -]*\}$`)],
  ['part', new RegExp(String.raw`^\$\{${NAME}:(?: -)?\d+(?::-?\d+)?\}$`)],
  ['part', new RegExp(String.raw`^\$\{${NAME}(?:\^\^?|,,?|@[QULul])\}$`)],
];

/** Undefined when it is none of these. */
export function readExpansion(source: string): Expansion | undefined {
  for (const [is, form] of FORMS) {
    const groups = form.exec(source)?.groups;
    if (groups !== undefined) return { is, name: groups['name'] ?? '', operand: groups['operand'] ?? '' };
  }
  return undefined;
}
