/** The words of a permission prompt. Plain text throughout: VS Code's modal renders no Markdown. */
import type { PermissionAsk, ProposedChange } from '../permissions/ask.ts';
import { shorten } from '../tools/codePoints.ts';
import { visible } from '../session/visible.ts';
import { clip } from './visibleText.ts';

/** A title of more than two lines runs into the text below it. */
const MAX_TITLE = 80;
/** A modal that is taller than the screen hides its own buttons. */
const MAX_DETAIL = 1000;
const MAX_LINES = 20;

export const ALLOW_ONCE = 'Allow Once';
export const ALLOW_FOR_SESSION = 'Allow for This Session';
export const ALWAYS_ALLOW = 'Always Allow';
export const DENY = 'Deny';
export const DENY_WITH_WORD = 'Deny and Tell Why…';
/** Both close the question and leave it pending. */
export const REVIEW = 'Review';
export const ANSWER_LATER = 'Answer Later';

const WHERE = `${ANSWER_LATER} closes this, and the chat shows all of it`;

export interface PromptText {
  title: string;
  detail: string;
  /**
   * The first has the focus, and a person may be typing when the modal opens: a stray Enter or space decides nothing. Tab leads
   * from it to the narrowest grant, or, where VS Code draws them from right to left (Linux, macOS), round to a denial.
   */
  buttons: string[];
  /** What Escape and the modal's own cross mean; stands last, or second where they are drawn from right to left. */
  closing: string;
}

/** `session` is what a person knows the asking session by, `userFile` the place of the rules that "always" writes. */
export function promptText(ask: PermissionAsk, session: string, userFile: string): PromptText {
  const { tool, reason, path, change, detail } = ask;
  // A call that leaves the workspace is never granted for longer (P4), whatever the engine says.
  const [scope, rule] = ask.outside ? [] : [ask.scope, ask.rule];
  const facts = [
    reason === undefined ? undefined : `Reason: ${oneLine(reason)}`,
    path === undefined ? undefined : `${tool === 'run_command' ? 'Folder' : 'Path'}: ${oneLine(path)}`,
    `Session: ${oneLine(session)}`,
  ];
  const explained = [
    change !== undefined && changesSpaceAlone(change)
      ? 'Only white space or line ends change here, which the diff may not mark.'
      : undefined,
    change === undefined ? undefined : `“${REVIEW}” closes this question: you answer it above the diff then.`,
    scope === undefined
      ? undefined
      : `“${ALLOW_FOR_SESSION}” covers ${oneLine(scope)}; that is forgotten when the window closes or reloads.`,
    rule === undefined
      ? undefined
      : `“${ALWAYS_ALLOW}” writes a rule for this folder into ${oneLine(userFile)}: ${oneLine(rule)}`,
  ];
  return {
    title: shorten(visible(ask.title).replace(/\s+/g, ' '), MAX_TITLE),
    detail: [detail === undefined ? '' : body(detail), lines(facts), lines(explained)]
      .filter((block) => block !== '')
      .join('\n\n'),
    buttons: [
      change === undefined ? ANSWER_LATER : REVIEW,
      ALLOW_ONCE,
      ...(scope === undefined ? [] : [ALLOW_FOR_SESSION]),
      ...(rule === undefined ? [] : [ALWAYS_ALLOW]),
      DENY_WITH_WORD,
    ],
    closing: DENY,
  };
}

function lines(all: readonly (string | undefined)[]): string {
  return all.filter((line) => line !== undefined).join('\n');
}

function body(detail: string): string {
  return clip(visible(detail).trimEnd(), MAX_DETAIL, WHERE, MAX_LINES);
}

function oneLine(text: string): string {
  return clip(visible(text).replace(/\s+/g, ' '), 500, WHERE);
}

function changesSpaceAlone({ before, after }: ProposedChange): boolean {
  return before !== null && before.replace(/\s+/g, '') === after.replace(/\s+/g, '');
}
