/**
 * A session as a Markdown transcript: everything that is in its log but what only a provider can read (E2).
 *
 * The document's own structure is headings and lists; a part is numbered as it is named elsewhere (`### 2.3`). What the model
 * wrote as Markdown (answers, thinking, summaries) stands in block quotes, everything else verbatim in code fences: see
 * blocks.ts for why neither can be mistaken for structure.
 */
import { notRun } from '../session/notRun.ts';
import { isKind, type Part, type PermissionEntry, type Session, type ToolPart } from '../session/schema.ts';
import type { TurnFacts } from '../session/outline.ts';
import type { SessionStream } from '../session/stream.ts';
import { code, fence, quote } from './blocks.ts';
import { Decisions } from './decisions.ts';
import { turnFacts } from './facts.ts';
import { parentOf, subSessionsOf, type Link } from './links.ts';

/**
 * Pieces of the document, in order; they are made as they are taken, and none is larger than one part of a turn (E4). `saved`: the
 * names of all sessions in the folder.
 */
export async function* markdown(stream: SessionStream, saved: ReadonlySet<string>): AsyncGenerator<string> {
  const { session } = stream;
  const decisions = new Decisions(session.permissions);
  yield* header(stream, saved);
  let turn = 0;
  for await (const item of stream.items()) {
    if (item.type === 'turn') {
      turn = item.turn.index;
      yield* turnHeader(item);
    } else yield* partBlocks(item.part, `${turn}.${item.number}`, decisions.take(turn, item.number));
  }
  const others = decisions.rest();
  if (others.length > 0) yield '## Permissions\n\n';
  for (const entry of others) yield* decisionBlocks(entry, placeOf(entry));
  if (others.length > 0) yield '\n';
  yield* errors(session);
}

function* header({ session, counts }: SessionStream, saved: ReadonlySet<string>): Iterable<string> {
  const { turns: _, errors, permissions, sub_sessions: __, ...rest } = session;
  const parent = parentOf(session, saved);
  const links = subSessionsOf(session, saved);
  yield `# Session ${code(session.session_name)}\n\n`;
  yield facts([
    ['Id', session.session_id],
    ['Created', session.created_at],
    ['Updated', session.updated_at],
    ['Workspace', session.workspace],
    ['Role', session.role],
    ['Polyglav version', session.version],
  ]);
  yield `- Parent session: ${parent === undefined ? '-' : linkWords(parent)}\n`;
  const parts = [...counts.parts.values()].reduce((sum, count) => sum + count, 0);
  yield `- Turns: ${counts.turns}\n- Parts: ${parts}\n- Permission decisions: ${permissions.length}\n- Errors: ${errors.length}\n`;
  yield `- Sub-sessions: ${links.length === 0 ? '-' : links.map(linkWords).join(', ')}\n\n`;
  yield 'Left out: what only the provider can read (`provider_data`). It is in the session file.\n\n';
  yield* otherFields(rest, HEADER_FIELDS);
}

function linkWords({ name, note }: Link): string {
  return `${code(name)}${note}`;
}

function* turnHeader({ turn, tools }: TurnFacts): Iterable<string> {
  yield `## Turn ${turn.index}\n\n`;
  yield facts(turnFacts(turn, tools));
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
    yield heading(`System note${part.kind === undefined ? '' : ` (${code(part.kind)})`}`) + fence(part.text);
  else if (isKind(part, 'command')) {
    yield heading('Command') + fence(part.text);
    if (part.summary !== undefined) yield `\nSummary that the model goes on with:\n\n${quote(part.summary)}`;
    if (part.compact_from !== undefined)
      yield (
        `\nContext boundary: from here on the model is sent the summary and the turns from ${part.compact_from} on. ` +
        'The turns before that stay in this log.\n'
      );
  } else if (isKind(part, 'tool')) yield* toolBlocks(part, heading, decisions.at(-1));
  else yield heading(`Part of the unknown type ${code(part.type)}`) + fence(json(part), 'json');
  yield '\n';
  yield* otherFields(part, PART_FIELDS.get(part.type) ?? Object.keys(part));
  for (const entry of decisions) yield* decisionBlocks(entry);
  if (decisions.length > 0) yield '\n';
}

function* toolBlocks(
  part: ToolPart,
  heading: (title: string) => string,
  decision: PermissionEntry | undefined,
): Iterable<string> {
  yield heading(`Tool call ${code(part.name)}`);
  if (part.round !== undefined) yield `Round ${part.round} of this turn.\n\n`;
  yield `Arguments:\n\n${fence(json(part.input), 'json')}\n`;
  const result = `Result${part.is_error === true ? ` (${notRun(decision) ?? 'error'})` : ''}`;
  yield part.output === undefined ? `${result}: none recorded.\n` : `${result}:\n\n${fence(part.output)}`;
  if (part.analysis !== undefined) yield `\nAnalysis:\n\n${quote(part.analysis)}`;
  for (const file of part.files ?? []) {
    yield file.before === file.after && file.before !== null
      ? `\n- Read ${code(file.path)}: ${code(file.before)}\n`
      : `\n- Changed ${code(file.path)}: ${code(file.before ?? 'no file')} → ${code(file.after ?? 'no file')}\n`;
    yield* otherFields(file, FILE_FIELDS, ' of this change');
  }
}

function* errors(session: Session): Iterable<string> {
  yield '## Errors\n\n';
  if (session.errors.length === 0) yield 'None.\n';
  for (const entry of session.errors) {
    yield `- ${code(entry.timestamp)} code ${entry.code}\n\n${fence(entry.message)}\n`;
    yield* otherFields(entry, ERROR_FIELDS, ' of this error');
  }
}

function* decisionBlocks(entry: PermissionEntry, place = ''): Iterable<string> {
  const { tool, action, decision, path, timestamp, by } = entry;
  const on = path === undefined ? '' : ` on ${code(path)}`;
  const rule = by === undefined ? '' : ` by ${code(by)}`;
  yield `- Permission: ${code(tool)}${on} **${decision}**${rule} (policy: ${action})${place} ${code(timestamp)}\n`;
  yield* otherFields(entry, PERMISSION_FIELDS, ' of this decision');
}

/** Of a decision that does not stand at the call it names. */
function placeOf({ turn, part }: PermissionEntry): string {
  const words = [...(turn === undefined ? [] : [`turn ${turn}`]), ...(part === undefined ? [] : [`part ${part}`])];
  return words.length === 0 ? '' : ` for ${words.join(', ')}`;
}

function timeOf(part: Part): string {
  return typeof part.timestamp === 'string' ? `${code(part.timestamp)}\n\n` : '';
}

/** An empty or missing value is shown as "-", so that every list describes itself. */
function facts(values: readonly (readonly [name: string, value: string | undefined])[]): string {
  return values
    .map(([name, value]) => `- ${name}: ${value === undefined || value === '' ? '-' : code(value)}\n`)
    .join('');
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

const FILE_FIELDS = ['path', 'before', 'after'];
const PERMISSION_FIELDS = ['tool', 'action', 'decision', 'path', 'timestamp', 'turn', 'part', 'by'];
const ERROR_FIELDS = ['code', 'message', 'timestamp'];

/** What another program or a newer version wrote beside the fields that are known; `whose`: of an entry in a list. */
function* otherFields(value: object, known: readonly string[], whose = ''): Iterable<string> {
  const other = Object.entries(value).filter(([key, field]) => !known.includes(key) && field !== undefined);
  if (other.length === 0) return;
  // A list ends at a blank line.
  yield `${whose === '' ? '' : '\n'}Other fields${whose}:\n\n${fence(json(Object.fromEntries(other)), 'json')}\n`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
