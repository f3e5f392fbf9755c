/** Prompts that are not in the log yet: on their way to the host, or waiting there for the running turn to end (T9). */
import { html, nothing, type TemplateResult } from 'lit';

import type { QueuedPrompt, UnsentSend } from '../../src/protocol/messages.ts';
import { iconButton } from '../controls.ts';
import { icon } from '../icon.ts';
import { visible } from '../../src/session/visible.ts';
import { head } from '../visible.ts';

/** A chip shows two lines at most. */
const SHOWN = 300;

export function queueChips(
  queue: readonly QueuedPrompt[],
  sends: readonly UnsentSend[],
  takeBack: (id: string) => void,
): TemplateResult | typeof nothing {
  const onTheWay = sends.filter(({ id }) => !queue.some((queued) => queued.id === id));
  if (queue.length + onTheWay.length === 0) return nothing;
  return html`<ul class="chips" aria-label="Prompts that wait">
    ${queue.map(
      ({ id, text }) =>
        html`<li class="chip">
          ${icon('clock')}<span class="chip-text" dir="auto">${visible(head(text, SHOWN))}</span>
          ${iconButton({ label: 'Take back', icon: 'discard', onClick: () => takeBack(id) })}
        </li>`,
    )}
    ${onTheWay.map(
      ({ text }) =>
        html`<li class="chip on-the-way">
          ${icon('loading', 'codicon-modifier-spin')}<span class="chip-text" dir="auto"
            >${visible(head(text, SHOWN))}</span
          >
          <span class="dim">Sending…</span>
        </li>`,
    )}
  </ul>`;
}
