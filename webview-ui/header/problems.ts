/** Faults in the configuration and the like, each with what to do about it. */
import { html, nothing, type TemplateResult } from 'lit';

import { button } from '../controls.ts';
import { icon } from '../icon.ts';
import { visible } from '../../src/session/visible.ts';

export function problemsBanner(problems: readonly string[], openSettings: () => void): TemplateResult | typeof nothing {
  if (problems.length === 0) return nothing;
  return html`<section class="problems" role="alert" aria-label="Problems">
    ${icon('warning')}
    <ul tabindex="0">
      ${problems.map((problem) => html`<li>${visible(problem)}</li>`)}
    </ul>
    ${button({ label: 'Open Settings File', onClick: openSettings })}
  </section>`;
}
