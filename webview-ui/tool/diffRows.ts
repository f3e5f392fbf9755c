/** The lines of an edit: what went, what came, what stayed. The record holds the replaced and the new text, not the file. */
import { diffLines, diffWordsWithSpace } from 'diff';

export interface Piece {
  text: string;
  /** Differs from the line it took the place of. */
  changed: boolean;
}

export type DiffRow = { kind: 'same' | 'added' | 'removed'; pieces: Piece[] } | { kind: 'gap'; lines: number };

export interface Diff {
  rows: DiffRow[];
  added: number;
  removed: number;
}

/** So many unchanged lines stay around a change. */
const CONTEXT = 3;
/** Beyond these, a diff costs more than it tells: all old lines go, all new ones come. */
const MOST = { edits: 1500, characters: 200_000, line: 400 };

interface Change {
  kind: 'same' | 'added' | 'removed';
  lines: string[];
}

export function diffOf(before: string, after: string): Diff {
  const changes = changesOf(before, after);
  const lines = (kind: Change['kind']) =>
    changes.reduce((sum, change) => sum + (change.kind === kind ? change.lines.length : 0), 0);
  const rows = changes.flatMap((change, at) => {
    if (change.kind === 'same') return unchanged(change.lines, at === 0, at === changes.length - 1);
    return changedRows(change, change.kind === 'removed' ? changes[at + 1] : changes[at - 1]);
  });
  return { rows, added: lines('added'), removed: lines('removed') };
}

function changesOf(before: string, after: string): Change[] {
  const small = before.length + after.length <= MOST.characters;
  const changes = small ? diffLines(closed(before), closed(after), { maxEditLength: MOST.edits }) : undefined;
  if (changes !== undefined)
    return changes.map(({ added, removed, value }) => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      lines: linesOf(value),
    }));
  return [
    { kind: 'removed', lines: linesOf(before) },
    { kind: 'added', lines: linesOf(after) },
  ];
}

/** With a line feed at its end, so that a last line without one is not another line for that. */
function closed(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function unchanged(lines: string[], first: boolean, last: boolean): DiffRow[] {
  const row = (text: string): DiffRow => ({ kind: 'same', pieces: [{ text, changed: false }] });
  const head = first ? 0 : CONTEXT;
  const tail = last ? 0 : CONTEXT;
  const hidden = lines.length - head - tail;
  if (hidden <= 1) return lines.map(row);
  return [
    ...lines.slice(0, head).map(row),
    { kind: 'gap', lines: hidden },
    ...lines.slice(lines.length - tail).map(row),
  ];
}

/** Where as many lines came as went, each is shown with what changed inside it. */
function changedRows({ kind, lines }: Change, other: Change | undefined): DiffRow[] {
  const paired = other !== undefined && other.kind !== 'same' && other.lines.length === lines.length;
  return lines.map((line, at) => {
    const partner = paired ? other.lines[at] : undefined;
    const pieces =
      partner === undefined
        ? undefined
        : kind === 'removed'
          ? within(line, partner, 'removed')
          : within(partner, line, 'added');
    return { kind, pieces: pieces ?? [{ text: line, changed: false }] };
  });
}

/** Undefined when too little stayed for the parts to say more than the whole. */
function within(before: string, after: string, side: 'added' | 'removed'): Piece[] | undefined {
  if (before.length > MOST.line || after.length > MOST.line) return undefined;
  const changes = diffWordsWithSpace(before, after);
  const same = changes.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (same * 3 < Math.max(before.trim().length, after.trim().length)) return undefined;
  const other = side === 'added' ? 'removed' : 'added';
  return changes.filter((change) => !change[other]).map((change) => ({ text: change.value, changed: change[side] }));
}
