/**
 * A session as a Markdown transcript: everything that is in its log but what only a provider can read (E2).
 *
 * The document's own structure is headings and lists; a part is numbered as it is named elsewhere (`### 2.3`). What the model
 * wrote as Markdown (answers, thinking, summaries) stands in block quotes, everything else verbatim in code fences: see
 * blocks.ts for why neither can be mistaken for structure.
 */
import { isKind, type Part, type PermissionEntry, type Session, type ToolPart, type Turn } from '../session/schema.ts';
import { code, fence, quote } from './blocks.ts';

/** Pieces of the document, in order; a piece is never larger than one part of a turn. */
export function* markdown(session: Session): Iterable<string> {
  const decisions = new Decisions(session);
  yield* header(session);
  for (const turn of session.turns) {
    yield* turnHeader(turn);
    for (const [position, part] of turn.parts.entries())
      yield* partBlocks(part, `${turn.index}.${position + 1}`, decisions.take(turn.index, position + 1));
  }
  const others = decisions.rest();
  if (others.length > 0) yield `## Permissions\n\n${others.map(decisionLine).join('')}\n`;
  yield* errors(session);
}

function* header(session: Session): Iterable<string> {
  const { turns, errors, permissions, sub_sessions, ...rest } = session;
  yield `# Session ${code(session.session_name)}\n\n`;
  yield facts({
    Id: session.session_id,
    Created: session.created_at,
    Updated: session.updated_at,
    Workspace: session.workspace,
    Role: session.role,
    'Parent session': session.parent_id,
    'Polyglav version': session.version,
  });
  yield `- Turns: ${turns.length}\n- Permission decisions: ${permissions.length}\n- Errors: ${errors.length}\n`;
  yield `- Sub-sessions: ${sub_sessions.length === 0 ? '-' : sub_sessions.map(code).join(', ')}\n\n`;
  yield 'Left out: what only the provider can read (`provider_data`). It is in the session file.\n\n';
  yield* otherFields(rest, HEADER_FIELDS);
}

function* turnHeader(turn: Turn): Iterable<string> {
  yield `## Turn ${turn.index}\n\n`;
  yield facts({
    Status: turn.status,
    Duration: duration(turn),
    'Tool calls': String(turn.parts.filter((part) => part.type === 'tool').length),
    Started: turn.started_at,
    Ended: turn.ended_at,
    Model: turn.model,
    Provider: turn.provider,
    Mode: turn.mode,
    Reasoning: turn.reasoning === undefined ? undefined : String(turn.reasoning),
  });
  if (turn.usage !== undefined) yield `- Usage: ${code(JSON.stringify(turn.usage))}\n`;
  yield '\n';
  yield* otherFields(turn, TURN_FIELDS);
}

function* partBlocks(part: Part, number: string, decisions: readonly PermissionEntry[]): Iterable<string> {
  const heading = (title: string) => `### ${number} ${title}\n\n${timeOf(part)}`;
  if (isKind(part, 'user')) yield heading('Prompt') + fence(part.text);
  else if (isKind(part, 'text')) yield heading('Answer') + quote(part.text);
  else if (isKind(part, 'thinking')) yield heading('Thinking') + quote(part.text);
  else if (isKind(part, 'system'))
    yield heading(`System note${part.kind === undefined ? '' : ` (${part.kind})`}`) + fence(part.text);
  else if (isKind(part, 'command')) {
    yield heading('Command') + fence(part.text);
    if (part.summary !== undefined) yield `\nSummary that the model goes on with:\n\n${quote(part.summary)}`;
    if (part.compact_from !== undefined)
      yield (
        `\nContext boundary: from here on the model is sent the summary and the turns from ${part.compact_from} on. ` +
        'The turns before that stay in this log.\n'
      );
  } else if (isKind(part, 'tool')) yield* toolBlocks(part, heading);
  else yield heading(`Part of the unknown type ${code(part.type)}`) + fence(json(part), 'json');
  if (decisions.length > 0) yield `\n${decisions.map(decisionLine).join('')}`;
  yield '\n';
  yield* otherFields(part, PART_FIELDS.get(part.type) ?? Object.keys(part));
}

function* toolBlocks(part: ToolPart, heading: (title: string) => string): Iterable<string> {
  yield heading(`Tool call ${code(part.name)}`);
  if (part.round !== undefined) yield `Round ${part.round} of this turn.\n\n`;
  yield `Arguments:\n\n${fence(json(part.input), 'json')}\n`;
  if (part.output === undefined) yield 'Result: none recorded.\n';
  else yield `Result${part.is_error === true ? ' (error)' : ''}:\n\n${fence(part.output)}`;
  if (part.analysis !== undefined) yield `\nAnalysis:\n\n${quote(part.analysis)}`;
  for (const { path, before, after } of part.files ?? [])
    yield `\n- Changed ${code(path)}: ${code(before ?? 'no file')} → ${code(after ?? 'no file')}\n`;
}

function* errors(session: Session): Iterable<string> {
  yield '## Errors\n\n';
  if (session.errors.length === 0) yield 'None.\n';
  for (const { code: status, message, timestamp } of session.errors)
    yield `- ${code(timestamp)} code ${status}\n\n${fence(message)}\n`;
}

/** The decisions by the call they name; the others are shown apart, so that none is missing. */
class Decisions {
  readonly #session: Session;
  readonly #byCall = new Map<string, PermissionEntry[]>();
  readonly #taken = new Set<PermissionEntry>();

  constructor(session: Session) {
    this.#session = session;
    for (const entry of session.permissions) {
      const key = `${entry.turn}.${entry.part}`;
      this.#byCall.set(key, [...(this.#byCall.get(key) ?? []), entry]);
    }
  }

  /** `part` counts from 1. */
  take(turn: number, part: number): readonly PermissionEntry[] {
    const entries = this.#byCall.get(`${turn}.${part}`) ?? [];
    for (const entry of entries) this.#taken.add(entry);
    return entries;
  }

  rest(): PermissionEntry[] {
    return this.#session.permissions.filter((entry) => !this.#taken.has(entry));
  }
}

function decisionLine(entry: PermissionEntry): string {
  const { tool, action, decision, path, timestamp, by } = entry;
  const on = path === undefined ? '' : ` on ${code(path)}`;
  const rule = by === undefined ? '' : ` by ${code(by)}`;
  return `- Permission: ${code(tool)}${on} **${decision}**${rule} (policy: ${action}) ${code(timestamp)}\n`;
}

function timeOf(part: Part): string {
  return typeof part.timestamp === 'string' ? `${code(part.timestamp)}\n\n` : '';
}

/** An empty or missing value is shown as "-", so that every list describes itself. */
function facts(values: Record<string, string | undefined>): string {
  return Object.entries(values)
    .map(([name, value]) => `- ${name}: ${value === undefined || value === '' ? '-' : code(value)}\n`)
    .join('');
}

function duration(turn: Turn): string | undefined {
  const ms = Date.parse(turn.ended_at ?? '') - Date.parse(turn.started_at ?? '');
  return Number.isNaN(ms) ? undefined : `${(ms / 1000).toFixed(1)} s`;
}

const HEADER_FIELDS = [
  'session_id',
  'session_name',
  'created_at',
  'updated_at',
  'workspace',
  'role',
  'parent_id',
  'version',
];
const TURN_FIELDS = [
  'index',
  'status',
  'started_at',
  'ended_at',
  'model',
  'provider',
  'mode',
  'reasoning',
  'usage',
  'parts',
];
const ANY_PART = ['type', 'text', 'timestamp', 'provider_data'];
const PART_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['user', ANY_PART],
  ['text', ANY_PART],
  ['thinking', ANY_PART],
  ['system', [...ANY_PART, 'kind']],
  ['command', [...ANY_PART, 'summary', 'compact_from']],
  ['tool', ['type', 'name', 'input', 'output', 'is_error', 'analysis', 'timestamp', 'round', 'files', 'provider_data']],
]);

/** What another program or a newer version wrote beside the fields that are known. */
function* otherFields(value: object, known: readonly string[]): Iterable<string> {
  const other = Object.entries(value).filter(([key, field]) => !known.includes(key) && field !== undefined);
  if (other.length > 0) yield `Other fields:\n\n${fence(json(Object.fromEntries(other)), 'json')}\n`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
