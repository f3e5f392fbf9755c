/** What the person wrote. A long one shows its beginning. */
import { html, nothing, type TemplateResult } from 'lit';

import type { UserPart } from '../../src/session/schema.ts';
import { visible } from '../../src/session/visible.ts';
import { head } from '../visible.ts';
import { count } from '../words.ts';

const SHORT = { lines: 12, characters: 1500 };

export function promptCard({ text }: UserPart, open: boolean, toggle: () => void): TemplateResult {
  const beginning = beginningOf(text);
  const isLong = beginning.length < text.length;
  const shown = open ? text : beginning;
  return html`<div class="prompt">
    <h2 class="sr-only">Prompt</h2>
    <div class="prompt-text ${isLong && !open ? 'cut' : ''}" dir="auto">${visible(shown)}</div>
    ${
      isLong
        ? html`<button type="button" class="textual" aria-expanded=${open ? 'true' : 'false'} @click=${toggle}>
            ${open ? 'Show less' : `Show all ${count(text.length)} characters`}
          </button>`
        : nothing
    }
  </div>`;
}

function beginningOf(text: string): string {
  const lines = head(text, SHORT.characters).split('\n');
  return lines.slice(0, SHORT.lines).join('\n');
}
