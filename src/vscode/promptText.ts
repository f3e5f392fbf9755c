/** The words of a permission prompt. Plain text throughout: VS Code's modal renders no Markdown. */
import { whereOf, type PermissionAsk, type ProposedChange } from '../permissions/ask.ts';
import { shorten } from '../text/codePoints.ts';
import { visible } from '../session/visible.ts';
import { clip } from './visibleText.ts';

/** A title of more than two lines runs into the text below it. */
const MAX_TITLE = 80;
/** A modal that is taller than the screen hides its own buttons. */
const MAX_DETAIL = 1000;
const MAX_LINES = 20;
const MAX_LINE = 500;
const MAX_REASONS = 8;
const MAX_SESSION = 200;
const WHERE = 'Review shows all of it';

export const ALLOW_ONCE = 'Allow Once';
export const ALLOW_FOR_SESSION = 'Allow for This Session';
export const ALWAYS_ALLOW = 'Always Allow';
export const DENY = 'Deny';
export const DENY_WITH_WORD = 'Deny and Tell Why…';
/** Both close the question and leave it pending. */
export const REVIEW = 'Review';
export const ANSWER_LATER = 'Answer Later';

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
  /** All of it, when that is more than a modal can show: nobody allows what they cannot see, so the modal allows nothing then. */
  whole?: string;
}

/** `session` is what a person knows the asking session by, `userFile` the place of the rules that "always" writes. */
export function promptText(ask: PermissionAsk, session: string, userFile: string): PromptText {
  const { tool, reason, path, change, detail } = ask;
  // What only a person may allow, each time, is never granted for longer (P4), whatever the engine says.
  const [scope, rule] = ask.only_once ? [] : [ask.scope, ask.rule];
  const facts = [
    reason === undefined ? undefined : reasonText(reason.split('\n').map(oneLine)),
    path === undefined ? undefined : `${tool === 'run_command' ? 'Folder' : 'Path'}: ${oneLine(path)}`,
    `Session: ${shorten(oneLine(session), MAX_SESSION)}`,
  ].filter((line) => line !== undefined);
  const body = detail === undefined ? '' : visible(detail).trimEnd();
  const shown = [
    clip(body, MAX_DETAIL, WHERE, MAX_LINES),
    ...facts.map((fact) => clip(fact, MAX_LINE, WHERE, MAX_REASONS)),
  ];
  const isCut = change === undefined && [body, ...facts].some((text, index) => text !== shown[index]);
  const explained = [
    change !== undefined && changesSpaceAlone(change)
      ? 'Only white space or line ends change here, which the diff may not mark.'
      : undefined,
    `${howToLook(change !== undefined, isCut)} Closing this question (Escape, ×) denies.`,
    scope === undefined || isCut
      ? undefined
      : `“${ALLOW_FOR_SESSION}”: ${oneLine(scope)}, until the window closes or reloads.`,
    rule === undefined || isCut
      ? undefined
      : `“${ALWAYS_ALLOW}” writes a rule for ${whereOf(ask)} into ${oneLine(userFile)}: ${oneLine(rule)}`,
    rule !== undefined || ask.no_rule === undefined || isCut
      ? undefined
      : `“${ALWAYS_ALLOW}” is not offered: ${oneLine(ask.no_rule)}.`,
  ].filter((line) => line !== undefined);
  return {
    title: shorten(oneLine(ask.title), MAX_TITLE),
    detail: blocks(shown[0] ?? '', shown.slice(1).join('\n'), explained.join('\n')),
    buttons: isCut
      ? [REVIEW, DENY_WITH_WORD]
      : [
          change === undefined ? ANSWER_LATER : REVIEW,
          ALLOW_ONCE,
          ...(scope === undefined ? [] : [ALLOW_FOR_SESSION]),
          ...(rule === undefined ? [] : [ALWAYS_ALLOW]),
          DENY_WITH_WORD,
        ],
    closing: DENY,
    ...(isCut ? { whole: `${blocks(facts.join('\n'), body)}\n` } : {}),
  };
}

/** What the first button does, which leaves the question open. */
function howToLook(isChange: boolean, isCut: boolean): string {
  if (isChange) return `“${REVIEW}” lets you answer above the diff.`;
  if (isCut) return `“${REVIEW}” shows all of it, and you answer above that.`;
  return `“${ANSWER_LATER}” leaves it open.`;
}

function reasonText(reasons: readonly string[]): string {
  return reasons.length === 1
    ? `Reason: ${reasons.join()}`
    : ['Reasons:', ...reasons.map((one) => `• ${one}`)].join('\n');
}

function blocks(...all: string[]): string {
  return all.filter((block) => block !== '').join('\n\n');
}

function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ');
}

function changesSpaceAlone({ before, after }: ProposedChange): boolean {
  return before !== null && before.replace(/\s+/g, '') === after.replace(/\s+/g, '');
}
