/** The end of a turn: what went wrong, how long it took, what it used; and while it runs, that it does. */
import { html, nothing, type TemplateResult } from 'lit';

import type { RunState } from '../../src/protocol/messages.ts';
import type { ErrorEntry, Turn, TurnStatus } from '../../src/session/schema.ts';
import { iconButton } from '../controls.ts';
import '../elapsed.ts';
import { icon } from '../icon.ts';
import { visible } from '../../src/session/visible.ts';
import { between, count, duration, roughly } from '../words.ts';

export function errorCard({ code, message }: ErrorEntry, status: TurnStatus): TemplateResult {
  // A cut-off or empty answer is no fault, but the person should know and may do something.
  const mild = status === 'truncated' || status === 'empty';
  // Most messages say the status in the words of the provider.
  const codeWords = code === 0 || message.includes(String(code)) ? nothing : html` <span class="dim">(${code})</span>`;
  return html`<div class="error-card ${mild ? 'mild' : ''}">
    ${icon(mild ? 'warning' : 'error')}
    <div class="error-text">${visible(message)}${codeWords}</div>
  </div>`;
}

const RUNNING: Record<RunState, string> = {
  idle: 'Working…',
  running: 'Working…',
  asking: 'Waiting for your permission…',
  stopping: 'Stopping…',
};

/** `since`: milliseconds since the epoch. */
export function runningLine(run: RunState, since: number): TemplateResult {
  return html`<div class="ending running">
    ${icon('loading', 'codicon-modifier-spin')}<span>${RUNNING[run]}</span>
    <polyglav-elapsed .since=${since}></polyglav-elapsed>
  </div>`;
}

const ENDED: Record<TurnStatus, string> = {
  running: 'Not finished',
  ok: '',
  error: 'Failed',
  truncated: 'Cut off by the output limit',
  empty: 'Empty answer',
  cancelled: 'Stopped',
};

/** `copy` copies the answer; undefined when there is none. */
export function endedLine(turn: Turn, copy: ((event: Event) => void) | undefined): TemplateResult {
  const took = between(turn.started_at, turn.ended_at);
  const facts = [ENDED[turn.status], took === undefined ? '' : duration(took), tokenWords(turn)].filter(Boolean);
  return html`<div class="ending ${turn.status}">
    <span title=${details(turn)}>${facts.join(' · ')}</span>
    ${copy === undefined ? nothing : iconButton({ label: 'Copy the answer', icon: 'copy', onClick: copy })}
  </div>`;
}

function tokenWords({ usage }: Turn): string {
  const { input_tokens: read, output_tokens: written } = usage ?? {};
  if (read === undefined) return written === undefined ? '' : `${roughly(written)} tokens out`;
  return `${roughly(read)} tokens in${written === undefined ? '' : `, ${roughly(written)} out`}`;
}

function details(turn: Turn): string {
  const { usage } = turn;
  const tokens = [
    ['Tokens in', usage?.input_tokens],
    ['of these cached', usage?.cached_tokens],
    ['Tokens out', usage?.output_tokens],
    ['of these reasoning', usage?.reasoning_tokens],
  ] as const;
  return [
    turn.started_at === undefined ? '' : new Date(turn.started_at).toLocaleString(),
    turn.model === undefined ? '' : `Model: ${visible([turn.provider, turn.model].filter(Boolean).join('/'))}`,
    turn.mode === undefined ? '' : `Mode: ${visible(turn.mode)}`,
    ...tokens.map(([name, tokens]) => (tokens === undefined ? '' : `${name}: ${count(tokens)}`)),
  ]
    .filter(Boolean)
    .join('\n');
}
