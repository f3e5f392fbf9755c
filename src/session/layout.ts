/**
 * How a session stands in its file: JSON with one part per line, the keys that never change first, the keys of a turn that
 * can change until it ends after its parts. Any key order loads; this one lets the file be extended at its end.
 */
import type { Session, Turn } from './schema.ts';

const HEADER = ['created_at', 'parent_id', 'role', 'session_id', 'session_name', 'version', 'workspace'] as const;
const TAIL = ['errors', 'permissions', 'sub_sessions', 'updated_at'] as const;
const BEFORE_PARTS = ['index', 'started_at', 'mode', 'reasoning'] as const;
const AFTER_PARTS = ['model', 'provider', 'usage', 'ended_at', 'status'] as const;

/** The whole file, with a newline at the end. A key in `absent` is left out for as long as it holds nothing. */
export function renderSession(session: Session, absent: ReadonlySet<string> = new Set()): string {
  const known = new Set<string>([...HEADER, 'turns', ...TAIL]);
  const unknown = Object.keys(session).filter((key) => !known.has(key));
  const written = (key: string) => !absent.has(key) || (session[key] as string | unknown[]).length > 0;
  const lines = [
    ...entries(session, [...HEADER, ...unknown].filter(written)),
    `"turns":${list(session.turns.map(renderTurn))}`,
    ...TAIL.filter(written).map((key) => {
      const value = session[key];
      return `${json(key)}:${Array.isArray(value) ? list(value.map(json)) : json(value)}`;
    }),
  ];
  return `{${lines.join(',\n')}}\n`;
}

function renderTurn(turn: Turn): string {
  const known = new Set<string>([...BEFORE_PARTS, 'parts', ...AFTER_PARTS]);
  const unknown = Object.keys(turn).filter((key) => !known.has(key));
  return `{${[
    ...entries(turn, BEFORE_PARTS),
    `"parts":${list(turn.parts.map(json))}`,
    ...entries(turn, [...unknown, ...AFTER_PARTS]),
  ].join(',')}}`;
}

/** `"key":value` for each key that is there; absent keys stay absent. */
function entries(object: Record<string, unknown>, keys: readonly string[]): string[] {
  return keys.filter((key) => object[key] !== undefined).map((key) => `${json(key)}:${json(object[key])}`);
}

function list(items: string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n]`;
}

function json(value: unknown): string {
  return JSON.stringify(value);
}
