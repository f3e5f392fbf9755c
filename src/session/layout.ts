/**
 * How a session stands in its file: JSON with one header key, one turn's head, one part and one entry a line. The header comes
 * first, then the turns, then what grows beside them. A turn's keys that can change until it ends stand after its parts.
 * So what is finished is a prefix that never changes (the front), and the rest (the end) can be rewritten behind it.
 */
import type { Part, Turn } from './schema.ts';
import { wellFormed } from './wellFormed.ts';

export const HEADER_KEYS = [
  'created_at',
  'parent_id',
  'role',
  'session_id',
  'session_name',
  'version',
  'workspace',
] as const;
/** In the order in which they stand after the turns. */
export const SECTIONS = ['errors', 'permissions', 'sub_sessions'] as const;
export type Section = (typeof SECTIONS)[number];

const BEFORE_PARTS = ['index', 'started_at', 'mode', 'reasoning'] as const;
const AFTER_PARTS = ['model', 'provider', 'usage', 'ended_at', 'status'] as const;
/** What the end of a turn writes: never before the parts of one that runs, or it would stand there twice. */
export const ENDING_KEYS: readonly string[] = ['usage', 'ended_at', 'status'];
const TURN_KEYS = new Set<string>([...BEFORE_PARTS, 'parts', ...AFTER_PARTS]);

/** JSON text in one line; a lone surrogate becomes U+FFFD, because other readers of JSON refuse it. */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.stringify escapes lone surrogates and nothing else as \ud8xx: the common text has none and is left alone.
  return text.includes('\\ud') ? JSON.stringify(wellFormed(value)) : text;
}

/** `{"created_at":…,` … `"turns":[`, without a line break at the end. `texts` are key → JSON text, in their order. */
export function renderHeader(texts: ReadonlyMap<string, string>): string {
  return `{${[...texts].map(([key, text]) => `${json(key)}:${text},\n`).join('')}"turns":[`;
}

/** `{"index":1,…,"parts":[` */
export function renderTurnHead(turn: Turn): string {
  const before = members(turn, BEFORE_PARTS);
  return `{${before}${before === '' ? '' : ','}"parts":[`;
}

/** `],"model":…,"status":"ok"}` */
export function renderTurnFoot(turn: Turn): string {
  const unknown = Object.keys(turn).filter((key) => !TURN_KEYS.has(key));
  return `],${members(turn, [...unknown, ...AFTER_PARTS])}}`;
}

export function renderPart(part: Part): string {
  return json(part);
}

/** What closes the file after the last turn. A section that was absent and is still empty stays absent. */
export function renderSections(sections: ReadonlyMap<Section, readonly string[]>, updatedAt: string): string {
  const lists = SECTIONS.filter((section) => sections.has(section)).map((section) => {
    const texts = sections.get(section) ?? [];
    return `"${section}":[${texts.length === 0 ? '' : `\n${texts.join(',\n')}\n`}],\n`;
  });
  return `\n],\n${lists.join('')}"updated_at":${json(updatedAt)}}\n`;
}

function members(object: Record<string, unknown>, keys: readonly string[]): string {
  return keys
    .filter((key) => object[key] !== undefined)
    .map((key) => `${json(key)}:${json(object[key])}`)
    .join(',');
}
