/** A heading that opens and shuts what belongs to it. What is shut is not in the page. */
import { html, nothing, type TemplateResult } from 'lit';

import { icon } from '../icon.ts';

interface Fold {
  open: boolean;
  toggle(): void;
  /** Icon of the heading, and whether it turns. */
  icon: string;
  spins?: boolean;
  heading: unknown;
  /** At the right end of the heading, in few words. */
  meta?: unknown;
  /** Buttons beside the heading. */
  actions?: unknown;
  body(): unknown;
  class: string;
}

export function fold(options: Fold): TemplateResult {
  const { open, spins = false } = options;
  return html`<section class="fold ${options.class} ${open ? 'open' : ''}">
    <div class="fold-row">
      <button type="button" class="fold-head" aria-expanded=${open ? 'true' : 'false'} @click=${options.toggle}>
        ${icon(options.icon, spins ? 'codicon-modifier-spin' : '')}
        <span class="fold-title">${options.heading}</span>
        <span class="fold-meta">${options.meta ?? nothing}</span>
        ${icon('chevron-right', 'fold-arrow')}
      </button>
      ${options.actions ?? nothing}
    </div>
    ${open ? html`<div class="fold-body">${options.body()}</div>` : nothing}
  </section>`;
}
