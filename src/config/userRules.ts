/**
 * "Always": a rule more in the user's own file, for one folder (P3). Everything else in the file stays as it is written, comments
 * and line ends included; the change is made to what the file holds at that moment, so that of two programs none loses a rule.
 */
import { applyEdits, findNodeAtLocation, modify, parseTree, type FormattingOptions, type Node } from 'jsonc-parser';

import { ForThePerson } from '../session/forThePerson.ts';
import { changeShared } from '../session/sharedFile.ts';
import { systemFault } from '../text/systemFault.ts';
import { isSameFolder } from './folders.ts';
import { parseLayer } from './layer.ts';
import { describeProblem, userConfigFile } from './load.ts';
import { ruleText, type AllowRule } from './rules.ts';
import type { ConfigFile } from './schema.ts';

/** The rule was not written; the file is as it was. */
export class RuleError extends ForThePerson {
  override readonly name = 'RuleError';
}

const BOM = '\ufeff';

export class UserRules {
  readonly #workspace: string;
  readonly #file: string;

  /** For the folder `workspace` (absolute real path); `home` is the user's own folder. */
  constructor({ workspace, home }: { workspace: string; home: string }) {
    this.#workspace = workspace;
    this.#file = userConfigFile(home);
  }

  /** Settles when the rule is durable; `before` is awaited first. Throws for the person, having changed nothing. */
  async add(rule: AllowRule, before?: () => Promise<void>): Promise<void> {
    try {
      const change = async (present: Buffer | undefined) =>
        Buffer.from(await this.#changed(decode(present, this.#file), rule));
      await changeShared(this.#file, change, before);
    } catch (error) {
      if (error instanceof ForThePerson) throw error;
      throw new RuleError(`${this.#file} could not be written: ${systemFault(error)}.`, { cause: error });
    }
  }

  async #changed(text: string, rule: AllowRule): Promise<string> {
    const bom = text.startsWith(BOM) ? BOM : '';
    const body = text.slice(bom.length);
    const value = this.#parsed(body);
    const folder = await this.#keyOf(value);
    const tools = value.folders?.[folder]?.permissions?.tools;
    const there = tools === undefined || !Object.hasOwn(tools, rule.tool) ? undefined : tools[rule.tool];
    const patterns = typeof there === 'object' ? there[rule.under] : undefined;
    const standing =
      patterns !== undefined && Object.hasOwn(patterns, rule.pattern) ? patterns[rule.pattern] : undefined;
    if (standing === 'allow') return text;
    if (standing !== undefined)
      throw new RuleError(
        `${this.#file} has the rule ${ruleText({ ...rule, action: standing })} for this folder. Change it there if that is what you want.`,
      );
    const place = ['folders', folder, 'permissions', 'tools', rule.tool];
    const changed =
      typeof there === 'string'
        ? edited(body, place, { action: there, [rule.under]: { [rule.pattern]: 'allow' } })
        : edited(body, [...place, rule.under, rule.pattern], 'allow');
    this.#parsed(changed, 'The rule cannot be written so.');
    return bom + changed;
  }

  /** Throws when something in the file is wrong: a rule that is put into it would count for nothing. */
  #parsed(text: string, what = 'Mend the file first.'): ConfigFile {
    const { value, problems } = parseLayer(text, this.#file);
    const [problem] = problems;
    if (problem !== undefined) throw new RuleError(`${what} ${describeProblem(problem)}`);
    return value;
  }

  /** Under which path the file has this folder already, else its real path. */
  async #keyOf({ folders = {} }: ConfigFile): Promise<string> {
    if (Object.hasOwn(folders, this.#workspace)) return this.#workspace;
    for (const path of Object.keys(folders)) if (await isSameFolder(path, this.#workspace)) return path;
    return this.#workspace;
  }
}

function edited(text: string, place: string[], value: unknown): string {
  const { last, comments, without } = withoutRemark(text, place);
  const style = styleOf(text);
  const changed = applyEdits(without, modify(without, place, value, { formattingOptions: style }));
  if (comments === '') return changed;
  // Behind the comma that now parts it from the new.
  const comma = changed.indexOf(',', endOf(propertyAt(treeOf(changed), last)));
  const rest = changed.slice(comma + 1);
  return `${changed.slice(0, comma + 1)} ${comments}${/^[ \t]*[\r\n]/.test(rest) ? '' : style.eol}${rest}`;
}

/**
 * The text without the comments that stand on the same line behind the last property of the object into which something new goes:
 * they are about that, and would be left behind the new one. `last`: where that property is.
 */
function withoutRemark(text: string, place: readonly string[]): { last: string[]; comments: string; without: string } {
  const nothing = { last: [], comments: '', without: text };
  const root = treeOf(text);
  if (root === undefined || findNodeAtLocation(root, [...place]) !== undefined) return nothing;
  const around = place.map((_, length) => place.slice(0, length)).findLast((path) => findNodeAtLocation(root, path));
  const property = findNodeAtLocation(root, around ?? [])?.children?.at(-1);
  if (around === undefined || property === undefined) return nothing;
  const end = endOf(property);
  const [remark = ''] = /^(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[^]*?\*\/|,))+/.exec(text.slice(end)) ?? [];
  const comma = remark.replace(COMMENT, '').trim();
  return {
    last: [...around, String(property.children?.[0]?.value)],
    comments: (remark.match(COMMENT) ?? []).join(' '),
    without: text.slice(0, end) + comma + text.slice(end + remark.length),
  };
}

function treeOf(text: string): Node | undefined {
  return parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true });
}

function propertyAt(root: Node | undefined, path: string[]): Node | undefined {
  return root === undefined ? undefined : findNodeAtLocation(root, path)?.parent;
}

function endOf(node: Node | undefined): number {
  return node === undefined ? 0 : node.offset + node.length;
}

const COMMENT = /\/\/[^\r\n]*|\/\*[^]*?\*\//g;

/** As the file is written already. */
function styleOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)["/]/m.exec(text)?.[1] ?? '  ';
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    insertFinalNewline: true,
  };
}

function decode(bytes: Buffer | undefined, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? Buffer.of());
  } catch {
    throw new RuleError(`${file} is not UTF-8 text; save it as UTF-8.`);
  }
}
