/** The slim lines of a turn: commands, notes of the program, and parts that a newer program wrote. */
import { html, type TemplateResult } from 'lit';

import type { CommandPart, SystemPart, UnknownPart } from '../../src/session/schema.ts';
import '../answer/answer.ts';
import { icon } from '../icon.ts';
import { visible, visibleLine } from '../../src/session/visible.ts';
import { fold } from './fold.ts';

interface Foldable {
  open: boolean;
  toggle(): void;
}

export function commandLine({ text, summary }: CommandPart, { open, toggle }: Foldable): TemplateResult {
  const heading = html`<code>${visibleLine(text)}</code>`;
  if (summary === undefined || summary === '')
    return html`<div class="line command">${icon('terminal')}<span>${heading}</span></div>`;
  const body = (): TemplateResult => html`<polyglav-answer .text=${summary} .growing=${false}></polyglav-answer>`;
  return fold({ open, toggle, class: 'command', icon: 'terminal', heading, body });
}

/** What the model is told by the program. */
const TO_THE_MODEL: Record<string, string> = {
  reminder: 'Reminder to the model',
  instruction: 'Instruction to the model',
};

export function systemLine({ text, kind }: SystemPart, { open, toggle }: Foldable): TemplateResult {
  if (kind === 'notice' || kind === 'resume')
    return html`<div class="line ${kind}">
      ${icon(kind === 'resume' ? 'debug-pause' : 'info')}<span>${visible(text)}</span>
    </div>`;
  const heading = TO_THE_MODEL[kind ?? ''] ?? 'Note to the model';
  return fold({
    open,
    toggle,
    class: 'system',
    icon: 'note',
    heading,
    body: () => html`<pre class="plain" tabindex="0">${visible(text)}</pre>`,
  });
}

/** A part of a type that this version does not know: shown as the data that it is. */
export function unknownLine(part: UnknownPart, { open, toggle }: Foldable): TemplateResult {
  return fold({
    open,
    toggle,
    class: 'unknown',
    icon: 'json',
    heading: `Unknown part: ${visibleLine(part.type)}`,
    body: () => html`<pre class="plain" tabindex="0">${visible(JSON.stringify(part, null, 2))}</pre>`,
  });
}
