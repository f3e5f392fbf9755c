/** `/permissions`: every decision of a session, with what was decided on and who or which rule did (P6). */
import { isKind, type PermissionEntry, type ToolPart } from '../session/schema.ts';
import type { SessionStream } from '../session/stream.ts';
import { plural } from './facts.ts';
import { excerpt, type Piece } from './pieces.ts';

/** A decision as it stands in the record, and the call in words; undefined when the log does not have it. */
export type AuditEntry = PermissionEntry & { call?: string };

const MOST_OF_A_CALL = 200;
/** By which argument a person knows a call. */
const TELLING = ['command', 'path', 'url', 'pattern', 'query'] as const;

/** In recorded order. In memory, beside the decisions themselves, is a line for each call that one of them names. */
export async function* auditEntries(stream: SessionStream): AsyncGenerator<AuditEntry> {
  const { permissions } = stream.session;
  const calls = new Map<string, string>();
  const named = new Set(permissions.map(({ turn, part }) => `${turn}.${part}`));
  let turn = 0;
  for await (const item of named.size === 0 ? [] : stream.items()) {
    if (item.type === 'turn') turn = item.turn.index;
    else if (isKind(item.part, 'tool') && named.has(`${turn}.${item.number}`))
      calls.set(`${turn}.${item.number}`, callWords(item.part));
  }
  for (const entry of permissions) {
    const call = calls.get(`${entry.turn}.${entry.part}`);
    yield call === undefined ? entry : { ...entry, call };
  }
}

/** The same for a person: how many there are, then two lines for each. */
export async function* audit(stream: SessionStream): AsyncGenerator<Piece> {
  const { permissions, session_name } = stream.session;
  yield { text: excerpt(session_name), style: 'heading' };
  if (permissions.length === 0) yield { text: 'No decisions yet.' };
  else yield { text: `${plural(permissions.length, 'decision')}: ${counts(permissions)}` };
  for await (const { tool, decision, action, by, path, timestamp, turn, part, call } of auditEntries(stream)) {
    const place = turn === undefined || part === undefined ? '-' : `#${turn}.${part}`;
    yield { text: [place, decision, excerpt(tool), ...(call === undefined ? [] : [call])].join('  ') };
    const who = by === undefined ? (action === 'ask' ? ['asked'] : []) : [WHO.get(by) ?? `by ${excerpt(by, 500)}`];
    const where = path === undefined ? [] : [excerpt(path, 4096)];
    const detail = [excerpt(timestamp), ...who, ...where].filter((text) => text !== '');
    yield { text: `    ${detail.join('  ')}`, style: 'dim' };
  }
}

/** What a person's answer, or the want of one, was; anything else that decided is a rule. */
const WHO: ReadonlyMap<string, string> = new Map([
  ['once', 'asked: allowed once'],
  ['session', 'allowed for the session'],
  ['always', 'asked: always allowed from then on'],
  ['refused', 'asked: not allowed'],
  ['dismissed', 'asked: closed without an answer'],
  ['withdrawn', 'asked: withdrawn, since the turn was stopped'],
  ['no terminal', 'nobody could be asked'],
  ['--yes', 'asked: answered by --yes'],
]);

/** `9 granted, 2 declined, 1 denied` */
function counts(permissions: readonly PermissionEntry[]): string {
  return (['granted', 'declined', 'denied'] as const)
    .map((decision) => [permissions.filter((entry) => entry.decision === decision).length, decision] as const)
    .filter(([count]) => count > 0)
    .map(([count, decision]) => `${count} ${decision}`)
    .join(', ');
}

function callWords({ input }: ToolPart): string {
  const telling = TELLING.map((key) => (Object.hasOwn(input, key) ? input[key] : undefined));
  const words = telling.find((value) => typeof value === 'string') ?? JSON.stringify(input);
  return excerpt(words, MOST_OF_A_CALL);
}
