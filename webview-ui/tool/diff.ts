/** The change that a call makes to a file, as far as its arguments tell: drawn as a diff, and counted in the card's heading. */
import { html, nothing, type TemplateResult } from 'lit';

import type { ToolPart } from '../../src/session/schema.ts';
import { visible } from '../../src/session/visible.ts';
import { plural } from '../words.ts';
import { diffOf, type Diff, type DiffRow } from './diffRows.ts';

/** More rows than this are for the editor's own diff. */
const ROWS = 400;

/** A call's arguments never change, so its diff is made once. */
const cache = new WeakMap<ToolPart['input'], Diff>();

/** Undefined for a call that changes no file, or whose arguments are not what they should be. */
export function callDiff({ name, input }: ToolPart): Diff | undefined {
  const known = cache.get(input);
  if (known !== undefined) return known;
  const { old, new: replacement, content } = input;
  let diff: Diff | undefined;
  if (name === 'file_edit' && typeof old === 'string' && typeof replacement === 'string')
    diff = diffOf(old, replacement);
  if (name === 'file_write' && typeof content === 'string') diff = diffOf('', content);
  if (diff !== undefined) cache.set(input, diff);
  return diff;
}

export function diffCounts({ added, removed }: Diff): TemplateResult {
  return html`<span class="counts"
    >${added > 0 ? html`<span class="added" aria-label=${`${plural(added, 'line')} added`}>+${added}</span>` : nothing}
    ${
      removed > 0
        ? html`<span class="removed" aria-label=${`${plural(removed, 'line')} removed`}>−${removed}</span>`
        : nothing
    }</span
  >`;
}

export function diffView({ rows }: Diff): TemplateResult {
  const left = rows.length - ROWS;
  return html`<div class="diff" tabindex="0" role="group" aria-label="Changes">
    <div class="diff-rows">${rows.slice(0, ROWS).map(diffRow)}</div>
    ${left > 0 ? html`<div class="diff-rest">${plural(left, 'more line')}: open the diff to see the whole</div>` : nothing}
  </div>`;
}

const SIGNS = { added: '+', removed: '−', same: '' };
const NAMES = { added: 'added: ', removed: 'removed: ', same: '' };

function diffRow(row: DiffRow): TemplateResult {
  if (row.kind === 'gap') return html`<div class="diff-row gap">${plural(row.lines, 'unchanged line')}</div>`;
  const text = row.pieces.map((piece) =>
    piece.changed ? html`<mark>${visible(piece.text)}</mark>` : visible(piece.text),
  );
  return html`<div class="diff-row ${row.kind}">
    <span class="sign" aria-hidden="true">${SIGNS[row.kind]}</span
    ><span class="diff-text"><span class="sr-only">${NAMES[row.kind]}</span>${text}</span>
  </div>`;
}
