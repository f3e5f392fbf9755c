/** The words of a permission prompt. Plain text throughout: VS Code's modal renders no Markdown. */
import type { PermissionAsk } from '../permissions/ask.ts';
import { shorten } from '../tools/codePoints.ts';
import { visible } from '../session/visible.ts';
import { clip } from './visibleText.ts';

/** A title of more than two lines runs into the text below it. */
const MAX_TITLE = 80;
/** A modal that is taller than the screen hides its own buttons. */
const MAX_DETAIL = 1000;
const MAX_LINES = 20;
const WHERE = 'the card in the chat shows all of it';

export const ALLOW_ONCE = 'Allow Once';
export const ALLOW_FOR_SESSION = 'Allow for This Session';
export const DENY = 'Deny';

export interface PromptText {
  title: string;
  detail: string;
  /** The first has the focus, and a person may be typing when the modal opens: a stray Enter or space must not allow. */
  buttons: string[];
}

/** `session` is what a person knows the asking session by. */
export function promptText(ask: PermissionAsk, session: string): PromptText {
  const facts = [
    ask.reason === undefined ? undefined : `Reason: ${oneLine(ask.reason)}`,
    ask.path === undefined ? undefined : `${ask.tool === 'run_command' ? 'Folder' : 'Path'}: ${oneLine(ask.path)}`,
    `Session: ${oneLine(session)}`,
  ].filter((line) => line !== undefined);
  // A call that leaves the workspace is never granted for longer (P4), whatever the engine says.
  const scope = ask.outside ? undefined : ask.scope;
  return {
    title: shorten(visible(ask.title).replace(/\s+/g, ' '), MAX_TITLE),
    detail: [
      ask.detail === undefined ? undefined : body(ask.detail),
      facts.join('\n'),
      scope === undefined ? undefined : `“${ALLOW_FOR_SESSION}” covers ${oneLine(scope)}, until the window closes.`,
    ]
      .filter((block) => block !== undefined && block !== '')
      .join('\n\n'),
    buttons: scope === undefined ? [DENY, ALLOW_ONCE] : [DENY, ALLOW_ONCE, ALLOW_FOR_SESSION],
  };
}

function body(detail: string): string {
  return clip(visible(detail).trimEnd(), MAX_DETAIL, WHERE, MAX_LINES);
}

function oneLine(text: string): string {
  return clip(visible(text).replace(/\s+/g, ' '), 500, WHERE);
}
