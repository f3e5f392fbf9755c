/** One line on why the folder's configuration counts in part only, and the way to change that. */
import { html, nothing, type TemplateResult } from 'lit';

import type { PanelState } from '../../src/protocol/messages.ts';
import { button } from '../controls.ts';
import { icon } from '../icon.ts';

const WORDS = {
  untrusted: {
    text: 'This folder is not trusted: everything except reading is asked about, also what your own rules allow.',
    action: 'Manage Trust',
  },
  unconfirmed: {
    text: 'Part of this folder’s configuration is used only after you confirm it.',
    action: 'Review',
  },
};

export function withheldLine(withheld: PanelState['withheld'], review: () => void): TemplateResult | typeof nothing {
  if (withheld === undefined) return nothing;
  const { text, action } = WORDS[withheld];
  return html`<section class="withheld" aria-label="Configuration of this folder">
    ${icon('shield')}<span>${text}</span>${button({ name: 'review', label: action, onClick: review })}
  </section>`;
}
