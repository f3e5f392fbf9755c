/** What stands in the way, between header and conversation: it scrolls, so that it leaves room for what is below. */
import { html, nothing, type TemplateResult } from 'lit';

import type { PanelState } from '../../src/protocol/messages.ts';
import type { PanelContext } from '../context.ts';
import { problemsBanner } from './problems.ts';
import { withheldLine } from './withheld.ts';

export function notices({ problems, withheld }: PanelState, { send }: PanelContext): TemplateResult | typeof nothing {
  if (problems.length === 0 && withheld === undefined) return nothing;
  return html`<section class="notices" aria-label="Notices" tabindex="0">
    ${problemsBanner(problems, (file) => send({ type: 'open_settings', file }))}
    ${withheldLine(withheld, () => send({ type: 'review_folder' }))}
  </section>`;
}
