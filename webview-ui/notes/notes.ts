/** What a command such as `/help` said: for the person, below the turns, kept nowhere. */
import { html, type TemplateResult } from 'lit';

import '../answer/answer.ts';
import { iconButton } from '../controls.ts';
import { icon } from '../icon.ts';
import { visibleLine } from '../../src/session/visible.ts';

export interface Note {
  command: string;
  text: string;
  is_error: boolean;
}

export function noteCard({ command, text, is_error }: Note, close: () => void): TemplateResult {
  return html`<section
    class="note ${is_error ? 'is-error' : ''}"
    aria-label=${command === '' ? 'Note' : `Result of ${visibleLine(command)}`}
  >
    <div class="note-head">
      ${icon(is_error ? 'error' : command === '' ? 'info' : 'terminal')}
      <code>${visibleLine(command)}</code>
      ${iconButton({ label: 'Close', icon: 'close', onClick: close })}
    </div>
    <polyglav-answer .text=${text} .growing=${false}></polyglav-answer>
  </section>`;
}
