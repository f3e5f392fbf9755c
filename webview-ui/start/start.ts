/** What stands where no conversation is: a welcome, or that a folder is needed. */
import { html, nothing, type TemplateResult } from 'lit';

import type { PanelState, Problem } from '../../src/protocol/messages.ts';
import { button } from '../controls.ts';
import { icon } from '../icon.ts';
import { visible } from '../../src/session/visible.ts';
import { EXAMPLES } from './examples.ts';

export function noFolder(problems: readonly Problem[], open: () => void): TemplateResult {
  const several = problems.length > 0;
  const words = several
    ? problems.map(({ text }) => text)
    : ['Polyglav works in a folder and keeps its sessions there. Open one to begin.'];
  return html`<main class="start">
    <h1>Polyglav</h1>
    ${words.map((word) => html`<p>${visible(word)}</p>`)}
    ${button({ label: several ? 'Choose Folder' : 'Open Folder', icon: 'folder-opened', look: 'primary', onClick: open })}
  </main>`;
}

interface Start {
  state: PanelState;
  fill(text: string): void;
  openSettings(): void;
}

export function startScreen({ state, fill, openSettings }: Start): TemplateResult {
  return html`<div class="start">
    <h2>What should be done?</h2>
    <p>
      Polyglav reads, edits and runs things in this folder. It asks before it changes anything, and the whole
      conversation is kept as plain JSON in <code>.polyglav/sessions</code>.
    </p>
    <ul class="examples" aria-label="Examples">
      ${EXAMPLES.map(
        (example) =>
          html`<li>
            <button type="button" class="example" @click=${() => fill(example.text)}>
              ${icon(example.icon)}<span>${example.text}</span>
            </button>
          </li>`,
      )}
    </ul>
    ${
      state.demo
        ? html`<p class="hint">
            ${icon('beaker')}<span
              >You are talking to the demo model, which needs no network and understands a handful of requests. For real
              work, set <code>model</code> in your settings file.
              <button type="button" class="textual" @click=${openSettings}>Open settings file</button></span
            >
          </p>`
        : nothing
    }
  </div>`;
}
