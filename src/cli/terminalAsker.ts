/** Permission asks in a terminal (P3); without one they are declined, unless `--yes` answers them. */
import { createTwoFilesPatch } from 'diff';

import { whereOf, type AskAnswer, type Asker, type PermissionAsk } from '../permissions/ask.ts';
import { atTerminal, type Terminal } from './lineQuestion.ts';
import { askBelow } from './longQuestion.ts';
import { plainJson, plainLine, plainLines } from './visible.ts';

/** Comparing takes time with the square of this, and nothing else happens meanwhile, Ctrl+C included. */
const MOST_CHANGED_LINES = 1000;

export interface TerminalAskerOptions extends Terminal {
  /** `--yes` was given. */
  yes: boolean;
  /** Absolute real path of the folder that the calls are for. */
  workspace: string;
  /** Path of the person's own configuration, the one that can allow something. */
  userFile: string;
  /** Ctrl+C while a question is open. */
  onInterrupt(): void;
}

export class TerminalAsker implements Asker {
  readonly #options: TerminalAskerOptions;

  constructor(options: TerminalAskerOptions) {
    this.#options = options;
  }

  async ask(ask: PermissionAsk, signal: AbortSignal): Promise<AskAnswer> {
    const { yes, workspace, userFile, onInterrupt } = this.#options;
    if (yes && !ask.only_once) return { answer: 'yes_flag' };
    if (!atTerminal(this.#options)) {
      this.#options.output.write(`${plainLines(withoutTerminal(ask, workspace, userFile))}\n`);
      return { answer: 'no_terminal' };
    }
    const grants = grantsOf(ask);
    const choices = [
      'y = once',
      ...(grants.scope === undefined ? [] : ['s = for this session']),
      ...(grants.rule === undefined ? [] : ['a = always']),
      'n = no, or n and why',
    ];
    const prompt = `Allow? (${choices.join(', ')}) [n] `;
    const line = await askBelow(question(ask, userFile), { prompt, signal, onInterrupt }, this.#options);
    return answerOf(line, grants);
  }
}

/** What can be allowed beyond this one call: nothing where the person has to say it each time (P4), whatever the engine says. */
function grantsOf({ only_once, scope, rule }: PermissionAsk): {
  scope?: string | undefined;
  rule?: string | undefined;
} {
  return only_once ? {} : { scope, rule };
}

function answerOf(line: string | undefined, { scope, rule }: ReturnType<typeof grantsOf>): AskAnswer {
  if (line === undefined) return { answer: 'dismissed' };
  const words = line.trim();
  const word = words.toLowerCase();
  if (word === 'y' || word === 'yes') return { answer: 'once' };
  if ((word === 's' || word === 'session') && scope !== undefined) return { answer: 'session' };
  if ((word === 'a' || word === 'always') && rule !== undefined) return { answer: 'always' };
  const note = /^no?[\s,:;.-]+(.*[\p{L}\p{N}].*)$/isu.exec(words)?.[1];
  return note === undefined ? { answer: 'refused' } : { answer: 'refused', note };
}

function question(ask: PermissionAsk, userFile: string): string[] {
  const { session, title, detail, reason, change, path, no_rule } = ask;
  const { scope, rule } = grantsOf(ask);
  return [
    '',
    plainLine(title),
    ...(detail === undefined ? [] : plainLines(detail).split('\n')),
    ...(path === undefined ? [] : [`path: ${plainLine(path, 4096)}`]),
    `session: ${plainLine(session)}`,
    ...(scope === undefined ? [] : [`s allows: ${plainLine(scope, 4096)}`]),
    ...(rule === undefined
      ? []
      : [`a writes, for ${whereOf(ask)} into ${plainLine(userFile, 4096)}: ${plainLine(rule, 4096)}`]),
    ...(rule !== undefined || no_rule === undefined ? [] : [`always is not offered: ${plainLine(no_rule, 4096)}`]),
    ...(reason === undefined ? [] : reason.split('\n').map((one) => `reason: ${plainLine(one, 4096)}`)),
    ...(change === undefined ? [] : diffLines(change.before ?? '', change.after)),
  ];
}

function diffLines(before: string, after: string): string[] {
  const patch = patchOf(before, after);
  const note = patch === undefined ? ['Too different from what is there to compare here. The new content:'] : [];
  return [...note, ...plainLines((patch ?? after).trimEnd()).split('\n')];
}

/** Undefined when there is too much to compare. Where one side is empty, there is nothing to compare. */
function patchOf(before: string, after: string): string | undefined {
  const maxEditLength = before === '' || after === '' ? Infinity : MOST_CHANGED_LINES;
  const patch = createTwoFilesPatch('', '', before, after, undefined, undefined, { context: 2, maxEditLength });
  return patch?.slice(patch.indexOf('@@'));
}

function withoutTerminal(ask: PermissionAsk, workspace: string, userFile: string): string {
  return `Declined, because there is no terminal to ask in: ${plainLine(ask.title)}. ${wayOut(ask, workspace, userFile)}`;
}

/** What would allow the call: no more than that, where there is such a rule. */
function wayOut({ tool, only_once, reason, rule }: PermissionAsk, workspace: string, userFile: string): string {
  if (only_once)
    return `Only a person at a terminal can allow that: ${reasons(reason ?? 'it reaches outside the workspace')}.`;
  const snippet = rule === undefined ? undefined : ruleSnippet(rule, workspace);
  if (snippet !== undefined) return `--yes allows it, or ${plainJson(snippet)} in ${userFile}.`;
  if (reason !== undefined) return `--yes allows it; no rule does: ${reasons(reason)}.`;
  if (tool === 'run_command') return `--yes allows it, or a rule for each command in it, in ${userFile}.`;
  return `--yes allows it, or ${plainJson({ permissions: { tools: { [tool]: 'allow' } } })} in ${userFile}.`;
}

/** On one line. */
function reasons(reason: string): string {
  return plainLine(reason.replaceAll('\n', '; '), 4096);
}

/** `run_command "git status" allow` as it stands in the user's file. */
function ruleSnippet(rule: string, workspace: string): unknown {
  const [, tool, pattern] = /^(\w+) ("(?:[^"\\]|\\.)*") allow$/.exec(rule) ?? [];
  if (tool === undefined || pattern === undefined) return undefined;
  const under = tool === 'run_command' ? 'commands' : 'paths';
  const tools = { [tool]: { [under]: { [JSON.parse(pattern) as string]: 'allow' } } };
  return { folders: { [workspace]: { permissions: { tools } } } };
}
