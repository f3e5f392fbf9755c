/** Faults in the configuration and the like, each with what to do about it. */
import { html, nothing, type TemplateResult } from 'lit';

import type { PanelState, Problem } from '../../src/protocol/messages.ts';
import { button } from '../controls.ts';
import { icon } from '../icon.ts';
import { visible, visibleLine } from '../../src/session/visible.ts';

/** Whether a configuration file has a fault, so that no prompt is taken. */
export function isFaulty(state: PanelState | undefined): boolean {
  return state?.problems.some(({ file, hint }) => file !== undefined && hint !== true) ?? false;
}

/** Those of one file stand under its name. */
export function problemsBanner(
  problems: readonly Problem[],
  open: (file: string) => void,
): TemplateResult | typeof nothing {
  if (problems.length === 0) return nothing;
  const places = new Set(problems.map(({ file }) => file?.path));
  return html`<section class="problems" role="alert" aria-label="Problems">
    ${[...places].map((place) => {
      const there = problems.filter(({ file }) => file?.path === place);
      return html`<div class="problem">
        ${icon('warning')}${placeOf(there[0]?.file, open)}
        <ul>
          ${there.map(({ text }) => html`<li>${visible(text)}</li>`)}
        </ul>
      </div>`;
    })}
  </section>`;
}

function placeOf(file: Problem['file'], open: (file: string) => void): TemplateResult | typeof nothing {
  if (file === undefined) return nothing;
  return html`<div class="problem-place">
    <code title=${visibleLine(file.path)}>${visibleLine(file.shown)}</code>
    ${button({ label: 'Open', onClick: () => open(file.path) })}
  </div>`;
}
