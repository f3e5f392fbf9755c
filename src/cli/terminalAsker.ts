/** Permission asks in a terminal (P3); without one they are declined, unless `--yes` answers them. */
import { createTwoFilesPatch } from 'diff';

import type { AskAnswer, Asker, PermissionAsk } from '../permissions/ask.ts';
import { askLine, atTerminal, type Terminal } from './lineQuestion.ts';
import { plainLine, plainLines } from './visible.ts';

const MOST_DIFF_LINES = 40;
/** Comparing takes time with the square of this, and nothing else happens meanwhile, Ctrl+C included. */
const MOST_CHANGED_LINES = 1000;

export interface TerminalAskerOptions extends Terminal {
  /** `--yes` was given. */
  yes: boolean;
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
    const { yes, userFile, onInterrupt } = this.#options;
    if (yes && !ask.outside) return { answer: 'yes_flag' };
    if (!atTerminal(this.#options)) {
      this.#options.output.write(`${plainLines(withoutTerminal(ask, userFile))}\n`);
      return { answer: 'no_terminal' };
    }
    const choices = ask.outside ? 'y = once, n = no' : 'y = once, s = for this session, n = no';
    const line = await askLine(
      { above: question(ask), prompt: `Allow? (${choices}) [n] `, signal, onInterrupt },
      this.#options,
    );
    return answerOf(line, ask.outside);
  }
}

function answerOf(line: string | undefined, outside: boolean): AskAnswer {
  if (line === undefined) return { answer: 'dismissed' };
  const word = line.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return { answer: 'once' };
  if ((word === 's' || word === 'session') && !outside) return { answer: 'session' };
  return { answer: 'refused' };
}

function question({ title, detail, reason, change, path, scope, outside }: PermissionAsk): string {
  const lines = [
    '',
    plainLine(title),
    ...(detail === undefined ? [] : [plainLines(detail)]),
    ...(path === undefined ? [] : [`path: ${plainLine(path, 4096)}`]),
    ...(scope === undefined || outside ? [] : [`s allows: ${plainLine(scope, 4096)}`]),
    ...(reason === undefined ? [] : [plainLine(reason, 4096)]),
    ...(change === undefined ? [] : diffLines(change.before ?? '', change.after)),
  ];
  return `${lines.join('\n')}\n`;
}

function diffLines(before: string, after: string): string[] {
  const patch = patchOf(before, after);
  const note = patch === undefined ? ['Too different from what is there to compare here. The new content:'] : [];
  const lines = (patch ?? after).trimEnd().split('\n');
  const left = lines.length - MOST_DIFF_LINES;
  const shown = lines.slice(0, MOST_DIFF_LINES).map((line) => plainLines(line));
  return [...note, ...shown, ...(left <= 0 ? [] : [`… ${left} more lines`])];
}

/** Undefined when there is too much to compare. Where one side is empty, there is nothing to compare. */
function patchOf(before: string, after: string): string | undefined {
  const maxEditLength = before === '' || after === '' ? Infinity : MOST_CHANGED_LINES;
  const patch = createTwoFilesPatch('', '', before, after, undefined, undefined, { context: 2, maxEditLength });
  return patch?.slice(patch.indexOf('@@'));
}

function withoutTerminal({ title, tool, outside }: PermissionAsk, userFile: string): string {
  const how = outside
    ? 'It reaches outside the workspace, which only a person at a terminal can allow.'
    : `--yes allows it, or {"permissions": {"tools": {"${tool}": "allow"}}} in ${userFile}.`;
  return `Declined, because there is no terminal to ask in: ${plainLine(title)}. ${how}`;
}
