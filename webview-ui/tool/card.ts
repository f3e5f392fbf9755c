/** One tool call: a line that says what, on what and how it went; opened, what was asked for and what came back. */
import { html, nothing, type TemplateResult } from 'lit';

import type { PermissionEntry, ToolPart } from '../../src/session/schema.ts';
import type { PanelContext } from '../context.ts';
import { iconButton } from '../controls.ts';
import { fold } from '../turn/fold.ts';
import { visible } from '../../src/session/visible.ts';
import { decisionWords, type CallState } from './call.ts';
import { callDiff, diffCounts, diffView } from './diff.ts';
import { exitCode, outputView } from './output.ts';
import { todoList } from './todos.ts';
import { callWords, todosOf } from './words.ts';

export interface ToolCard {
  part: ToolPart;
  /** Index of its turn, and its position from 0: how the host finds it. */
  turn: number;
  position: number;
  state: CallState;
  permission: PermissionEntry | undefined;
  /** What it has printed so far, while it runs. */
  live: string;
  open: boolean;
  toggle(): void;
  context: Pick<PanelContext, 'send' | 'copy'>;
}

const STATE_ICONS: Partial<Record<CallState, string>> = {
  waiting: 'clock',
  asking: 'shield',
  running: 'loading',
  failed: 'error',
  declined: 'circle-slash',
  denied: 'circle-slash',
  stopped: 'stop-circle',
};

const STATE_WORDS: Record<CallState, string> = {
  waiting: 'waiting',
  asking: 'asks you',
  running: 'running',
  done: '',
  failed: 'failed',
  declined: 'declined',
  denied: 'denied',
  stopped: 'stopped',
};

export function toolCard(card: ToolCard): TemplateResult {
  const { part, state } = card;
  const words = callWords(part);
  return fold({
    open: card.open,
    toggle: () => card.toggle(),
    class: `tool ${state}`,
    icon: STATE_ICONS[state] ?? words.icon,
    spins: state === 'running',
    heading: html`${words.verb} <span class=${words.literal ? 'object' : ''}>${words.object}</span>`,
    meta: meta(card),
    actions: actions(card),
    body: () => body(card),
  });
}

function meta({ part, state }: ToolCard): TemplateResult {
  const diff = callDiff(part);
  const code = part.name === 'run_command' ? exitCode(part.output) : undefined;
  const words = state === 'failed' && code !== undefined ? `exit ${code}` : STATE_WORDS[state];
  // Lines count only where they were written, or may still be.
  const counted = !['declined', 'denied', 'failed', 'stopped'].includes(state);
  return html`${diff === undefined || !counted ? nothing : diffCounts(diff)}${
    words === '' ? html`<span class="sr-only">done</span>` : html`<span class="state">${words}</span>`
  }`;
}

function actions({ part, turn, position, context }: ToolCard): TemplateResult | typeof nothing {
  const { name, input } = part;
  if (!name.startsWith('file_') || name === 'file_search' || name === 'file_list') return nothing;
  const { path, from } = input;
  if (typeof path !== 'string' || path === '') return nothing;
  const line = typeof from === 'number' && Number.isInteger(from) && from > 0 ? { line: from } : {};
  const open = (): void => context.send({ type: 'open_file', path, ...line });
  const diff = (): void => context.send({ type: 'show_diff', turn, part: position });
  return html`<span class="fold-actions"
    >${callDiff(part) === undefined ? nothing : iconButton({ label: 'Open diff', icon: 'diff', onClick: diff })}${iconButton(
      { label: 'Open file', icon: 'go-to-file', onClick: open },
    )}</span
  >`;
}

function body(card: ToolCard): TemplateResult {
  const { part, state, permission, context } = card;
  const decision = decisionWords(permission);
  return html`${request(part)}${outputView({
    output: part.output ?? card.live,
    live: part.output === undefined,
    // What an edit says of its success is what the diff shows.
    hidden: state === 'done' && (callDiff(part) !== undefined || part.name === 'todo_write'),
    copy: (text, button) => context.copy(text, button),
  })}${part.analysis === undefined ? nothing : html`<p class="analysis">${visible(part.analysis)}</p>`}${
    decision === undefined ? nothing : html`<p class="decision">${visible(decision)}</p>`
  }`;
}

/** What was asked for, unless the heading says it all. */
function request(part: ToolPart): TemplateResult | typeof nothing {
  const diff = callDiff(part);
  if (diff !== undefined) return diffView(diff);
  const { command } = part.input;
  switch (part.name) {
    case 'run_command':
      return html`<pre class="command-text" tabindex="0" aria-label="Command">
${visible(typeof command === 'string' ? command : '')}</pre>`;
    case 'todo_write':
      return todoList(todosOf(part.input));
    case 'file_read':
    case 'file_list':
    case 'file_search':
    case 'web_fetch':
      return nothing;
    default:
      return html`<pre class="plain" tabindex="0" aria-label="Input">
${visible(JSON.stringify(part.input, null, 2))}</pre>`;
  }
}
