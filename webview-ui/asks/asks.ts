/** Questions that wait for an answer. They are asked by VS Code's own prompt; here it can be raised again. */
import { html, nothing, type TemplateResult } from 'lit';

import type { PendingAsk } from '../../src/protocol/messages.ts';
import { button } from '../controls.ts';
import { icon } from '../icon.ts';
import { visible, visibleLine } from '../../src/session/visible.ts';

export function askCards(asks: readonly PendingAsk[], show: (id: string) => void): TemplateResult | typeof nothing {
  if (asks.length === 0) return nothing;
  return html`<section class="asks" aria-label="Waiting for your permission">
    ${asks.map(
      ({ id, session, title, detail, reason, no_rule }) =>
        html`<div class="ask">
          ${icon('shield')}
          <div class="ask-text">
            <div>Waiting for your permission: <strong>${visibleLine(title)}</strong></div>
            ${
              session === undefined
                ? nothing
                : html`<div class="ask-reason">In another session: ${visibleLine(session)}</div>`
            }
            ${reason === undefined ? nothing : html`<div class="ask-reason">${visible(reason)}</div>`}
            ${no_rule === undefined ? nothing : html`<div class="ask-reason">“Always Allow” is not offered: ${visible(no_rule)}.</div>`}
            ${detail === undefined ? nothing : html`<pre class="plain" tabindex="0" aria-label="Details">${visible(detail)}</pre>`}
          </div>
          ${button({ label: 'Show the question', look: 'primary', onClick: () => show(id) })}
        </div>`,
    )}
  </section>`;
}
