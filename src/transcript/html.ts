/**
 * A session as one HTML file that stands alone (E3): prose and tool calls in recorded order, markers where the context or a setting
 * changed. No script, nothing loaded; folding is native and hides nothing. What it leaves out is counted at its beginning.
 */
import {
  isKind,
  type CommandPart,
  type ErrorEntry,
  type Part,
  type PermissionEntry,
  type Session,
  type ToolPart,
  type Turn,
} from '../session/schema.ts';
import { notRun } from '../session/notRun.ts';
import type { TurnFacts } from '../session/outline.ts';
import { labelOf } from '../session/state.ts';
import type { SessionStream } from '../session/stream.ts';
import { Decisions } from './decisions.ts';
import { durationOf, plural } from './facts.ts';
import { STYLE } from './htmlStyle.ts';
import { parentOf, subSessionsOf, type Link } from './links.ts';
import { excerpt } from './pieces.ts';
import { escaped, preformatted, proseHtml } from './prose.ts';
import { TurnErrors } from './turnErrors.ts';

/** Calls whose content is what the reader came for. */
const OPEN_TOOLS: ReadonlySet<string> = new Set(['ask_user_question', 'handoff_plan']);

/**
 * Pieces of the document, in order; they are made as they are taken, and none is larger than one part of a turn (E4). `saved`: the
 * names of all sessions in the folder.
 */
export async function* html(stream: SessionStream, saved: ReadonlySet<string>): AsyncGenerator<string> {
  yield* head(stream, saved);
  const errors = new TurnErrors(stream.session);
  const decisions = new Decisions(stream.session.permissions);
  let turn: Turn | undefined;
  for await (const item of stream.items()) {
    if (item.type === 'part') {
      const decision = decisions.take(turn?.index ?? 0, item.number).at(-1);
      yield partHtml(item.part, `${turn?.index}.${item.number}`, decision);
      continue;
    }
    if (turn !== undefined) yield turnEnd(turn, errors.take(turn));
    turn = item.turn;
    yield turnBegin(item);
  }
  if (turn !== undefined) yield turnEnd(turn, errors.take(turn));
  yield* otherErrors(errors.rest());
  yield '</main>\n</body>\n</html>\n';
}

/** `2026-08-17 12:00:00 UTC`; what is no time is shown as it is. */
function instant(timestamp: string): string {
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? timestamp : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function* head(stream: SessionStream, saved: ReadonlySet<string>): Iterable<string> {
  const { session, counts } = stream;
  const title = escaped(labelOf(session.session_name, counts.title));
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Polyglav</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1 dir="auto">${title}</h1>
<dl>${facts(session, counts.turns, saved)}</dl>
<p class="left-out">${leftOut(stream)}</p>
</header>
<main>
`;
}

function facts(session: Session, turns: number, saved: ReadonlySet<string>): string {
  const words = ({ name, note }: Link) => `${name}${note}`;
  const parent = parentOf(session, saved);
  const values: [name: string, value: string | undefined][] = [
    ['Session', session.session_name],
    ['Created', instant(session.created_at)],
    ['Updated', instant(session.updated_at)],
    ['Workspace', session.workspace],
    ['Role', session.role],
    ['Parent session', parent === undefined ? '' : words(parent)],
    ['Sub-sessions', subSessionsOf(session, saved).map(words).join(', ')],
    ['Turns', String(turns)],
    ['Polyglav version', session.version],
  ];
  return values
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value ?? '')}</dd></div>`)
    .join('');
}

/** The parts that are shown and those that are not add up to those in the log. */
function leftOut({ session, counts }: SessionStream): string {
  const all = [...counts.parts.values()].reduce((sum, count) => sum + count, 0);
  const thinking = counts.parts.get('thinking') ?? 0;
  const notes = counts.parts.get('system') ?? 0;
  const missing = [
    [thinking, 'thinking part'],
    [notes, 'system note'],
    [session.permissions.length, 'permission decision'],
  ] as const;
  const words = missing.filter(([count]) => count > 0).map(([count, noun]) => plural(count, noun));
  return (
    `Shown: ${all - thinking - notes} of ${plural(all, 'part')}. Left out: ${words.length === 0 ? 'nothing' : words.join(', ')}` +
    `${words.length === 0 ? '.' : '; the session file and the Markdown export have them.'} Tool calls are folded, not redacted.`
  );
}

function turnBegin({ turn, tools }: TurnFacts): string {
  const facts = [
    turn.started_at === undefined ? undefined : instant(turn.started_at),
    turn.model,
    turn.mode,
    durationOf(turn),
    tools === 0 ? undefined : plural(tools, 'tool call'),
  ];
  const words = facts
    .filter((fact) => fact !== undefined && fact !== '')
    .map((fact) => `<span>${escaped(fact ?? '')}</span>`);
  return `<section class="turn" id="turn-${turn.index}">\n<h2><a href="#turn-${turn.index}">Turn ${turn.index}</a> ${words.join(' ')}</h2>\n`;
}

const ENDS: Record<Turn['status'], string> = {
  ok: '',
  running: 'This turn was still running.',
  error: 'This turn ended with an error.',
  truncated: 'This turn was cut off at the output limit.',
  empty: 'This turn ended without an answer.',
  cancelled: 'This turn was cancelled.',
};

function turnEnd({ status }: Turn, error: ErrorEntry | undefined): string {
  const words = ENDS[status] === '' ? '' : `<p class="ended">${ENDS[status]}</p>\n`;
  return `${words}${error === undefined ? '' : errorMessage(error)}</section>\n`;
}

function errorMessage({ code, message }: ErrorEntry): string {
  return `${code === 0 ? '' : `<p class="ended">HTTP status ${code}</p>\n`}${preformatted(message)}`;
}

/** Errors whose turn the log does not tell. */
function* otherErrors(entries: readonly ErrorEntry[]): Iterable<string> {
  if (entries.length === 0) return;
  yield '<section class="turn" id="errors">\n<h2>Errors whose turn is not recorded</h2>\n';
  for (const entry of entries)
    yield `<p class="ended">${escaped(instant(entry.timestamp))}</p>\n${errorMessage(entry)}`;
  yield '</section>\n';
}

function partHtml(part: Part, number: string, decision: PermissionEntry | undefined): string {
  if (isKind(part, 'user'))
    return `<article class="prompt" id="part-${number}">\n<h3>Prompt</h3>\n${prose(part.text, true)}${references(part['refs'])}</article>\n`;
  if (isKind(part, 'text')) return `<article class="answer" id="part-${number}">\n${prose(part.text)}</article>\n`;
  if (isKind(part, 'thinking') || isKind(part, 'system')) return '';
  if (isKind(part, 'command')) return marker(part, number);
  if (isKind(part, 'tool')) return toolHtml(part, number, decision);
  return folded(`<b>Part of the unknown type</b> <code>${escaped(part.type)}</code>`, value('', part), number, false);
}

function prose(text: string, prompt = false): string {
  return `<div class="prose" dir="auto">${proseHtml(text, prompt)}</div>\n`;
}

/** What `@` included in a prompt, or only named. What is not of a known form stays literal. */
function references(refs: unknown): string {
  if (refs === undefined) return '';
  const items = (Array.isArray(refs) ? (refs as unknown[]) : [refs]).map((ref) => {
    if (typeof ref === 'string') return `<li><code>@${escaped(ref)}</code></li>`;
    const { path, text } = Object(ref) as { path?: unknown; text?: unknown };
    if (typeof path !== 'string') return `<li><code>${escaped(JSON.stringify(ref))}</code></li>`;
    const name = `<code>@${escaped(path)}</code>`;
    return typeof text === 'string'
      ? `<li><details><summary>${name}</summary>${preformatted(text)}</details></li>`
      : `<li>${name}</li>`;
  });
  return `<ul class="references">${items.join('')}</ul>\n`;
}

/** Where the context, the model or the mode changed. */
function marker(part: CommandPart, number: string): string {
  const words = `<p><span><code dir="auto">${escaped(part.text)}</code>${effect(part)}</span></p>`;
  const summary =
    part.summary === undefined
      ? ''
      : `<details><summary>Summary that the model goes on with</summary>${prose(part.summary)}</details>`;
  return `<div class="marker" id="part-${number}">${words}${summary}</div>\n`;
}

function effect(part: CommandPart): string {
  const from = part.compact_from;
  if (part.summary !== undefined || from !== undefined)
    return ` Context compacted${from === undefined ? '' : `: the model goes on from turn ${from}`}. Everything earlier stays here.`;
  const back = part['rewind_to'];
  if (typeof back === 'number') {
    const step = typeof part['rewind_part'] === 'number' ? `.${part['rewind_part']}` : '';
    return ` Rewound to before ${back}${step}. What was dropped stays here.`;
  }
  const name = part.text.split(/\s/, 1)[0];
  if (name === '/clear' || part['clear'] === true) return ' Context cleared. Everything earlier stays here.';
  if (name === '/model') return ' Model changed.';
  return name === '/mode' ? ' Mode changed.' : '';
}

function toolHtml(part: ToolPart, number: string, decision: PermissionEntry | undefined): string {
  const failed = part.is_error === true ? ` <b class="failed">${notRun(decision) ?? 'error'}</b>` : '';
  const about = Object.values(part.input).find((argument) => typeof argument === 'string');
  const hint = typeof about === 'string' ? ` <code class="hint">${escaped(excerpt(about))}</code>` : '';
  const input = Object.entries(part.input);
  const changes = (part.files ?? []).filter(({ before, after }) => before !== after || before === null);
  const changed = changes.map(({ path }) => `<li><code>${escaped(path)}</code></li>`);
  return folded(
    `<b>${escaped(part.name)}</b>${hint}${failed}`,
    [
      input.length === 0
        ? '<h4>Input</h4><p class="none">none</p>'
        : `<h4>Input</h4>${input.map(([key, item]) => value(key, item)).join('')}`,
      part.output === undefined
        ? '<h4>Output</h4><p class="none">none recorded</p>'
        : `<h4>Output</h4>${preformatted(part.output)}`,
      part.analysis === undefined ? '' : `<h4>Analysis</h4>${prose(part.analysis)}`,
      changed.length === 0 ? '' : `<h4>Changed files</h4><ul>${changed.join('')}</ul>`,
    ].join('\n'),
    number,
    OPEN_TOOLS.has(part.name),
  );
}

/** One argument in full: text as it is, everything else as JSON. */
function value(key: string, item: unknown): string {
  const name = key === '' ? '' : `<h5>${escaped(key)}</h5>`;
  const short = typeof item === 'number' || typeof item === 'boolean' || item === null;
  if (short) return `<div class="short">${name}<code>${String(item)}</code></div>`;
  return `${name}${preformatted(typeof item === 'string' ? item : JSON.stringify(item, null, 2))}`;
}

function folded(summary: string, body: string, number: string, open: boolean): string {
  return `<details class="tool" id="part-${number}"${open ? ' open' : ''}>\n<summary>${summary}</summary>\n<div>${body}</div>\n</details>\n`;
}
