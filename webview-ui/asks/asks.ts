/** Questions that wait for an answer. They are asked by VS Code's own prompt; here it can be raised again. */
import { html, nothing, type TemplateResult } from 'lit';

import type { PendingAsk } from '../../src/protocol/messages.ts';
import { button } from '../controls.ts';
import { icon } from '../icon.ts';
import { visible, visibleLine } from '../../src/session/visible.ts';

/** UTF-16 units of a title that is read at a glance. A longer one is cut off by the style sheet, and stands below in full. */
const GLANCE = 120;

export function askCards(asks: readonly PendingAsk[], show: (id: string) => void): TemplateResult | typeof nothing {
  if (asks.length === 0) return nothing;
  return html`<section class="asks" aria-label="Waiting for your permission">
    ${asks.map((ask) => askCard(ask, () => show(ask.id)))}
  </section>`;
}

function askCard(ask: PendingAsk, show: () => void): TemplateResult {
  const { session, title, reason, no_rule } = ask;
  const detail = detailOf(ask);
  return html`<div class="ask">
    ${icon('shield')}
    <div class="ask-title ${detail === undefined ? '' : 'cut'}">
      Waiting for your permission: <strong>${visibleLine(title)}</strong>
    </div>
    ${button({ label: 'Show the question', look: 'primary', onClick: show })}
    ${session === undefined ? nothing : html`<div class="ask-fact">In another session: ${visibleLine(session)}</div>`}
    ${reason === undefined ? nothing : html`<div class="ask-fact">${visible(reason)}</div>`}
    ${no_rule === undefined ? nothing : html`<div class="ask-fact">“Always Allow” is not offered: ${visible(no_rule)}.</div>`}
    ${detail === undefined ? nothing : html`<pre class="plain" tabindex="0" aria-label="Details">${visible(detail)}</pre>`}
  </div>`;
}

/** What the title does not say; all of it where the title is long. */
function detailOf({ title, detail = title }: PendingAsk): string | undefined {
  return title.length <= GLANCE && title.endsWith(detail) ? undefined : detail;
}
