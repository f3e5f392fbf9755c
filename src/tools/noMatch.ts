/** What to tell a model whose text is not in the file: the nearest lines, and what it most likely got wrong. */
import { shorten } from '../text/codePoints.ts';
import { occurrences } from '../text/occurrences.ts';
import { similarityTo } from '../text/similarity.ts';

const ALIKE = 0.5;
const MOST_LINES = 8;
const LONGEST_LINE = 200;
/** Characters of lines of about the right length, which are compared one by one: what a large file of like lines costs. */
export const MOST_COMPARED = 2_000_000;

/** `text` and `old` have `\n` for every line ending. `alikeness` is there so that what it costs can be counted. */
export function noMatch(shown: string, text: string, old: string, alikeness = similarityTo): string {
  if (text === '') return `${shown} is empty; use file_write to give it content.`;
  return [
    `The text to replace (old) is not in ${shown}; nothing was changed.${hint(text, old)}`,
    ...nearestLines(text, old, alikeness),
  ].join('\n');
}

function hint(text: string, old: string): string {
  const oldLines = old.split('\n').filter((line) => line.trim() !== '');
  if (oldLines.length > 0 && oldLines.every((line) => /^\s*\d+\t/.test(line)))
    return ' It begins its lines with the line numbers of file_read; leave these out.';
  const squeezed = withoutSpace(old);
  if (squeezed !== '' && occurrences(withoutSpace(text), squeezed, 1, false).length > 0)
    return ' It is there with other white space (indentation, line breaks).';
  return '';
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** The stretch of the file around the line that is most like the longest line of `old`. */
function nearestLines(text: string, old: string, alikeness: typeof similarityTo): string[] {
  const lines = text.split('\n');
  const oldLines = old.split('\n');
  const longest = oldLines.reduce(
    (best, line, at) => (line.trim().length > (oldLines[best] ?? '').trim().length ? at : best),
    0,
  );
  const wanted = comparable(oldLines[longest] ?? '');
  let best = { at: -1, alike: ALIKE };
  const alikenessOf = alikeness(wanted);
  let compared = 0;
  for (const [at, line] of lines.entries()) {
    const candidate = comparable(line);
    // Lengths alone tell of most lines that they cannot be the nearest.
    if ((2 * Math.min(candidate.length, wanted.length)) / (candidate.length + wanted.length + 1) <= best.alike)
      continue;
    compared += candidate.length;
    if (compared > MOST_COMPARED || best.alike === 1) break;
    const alike = alikenessOf(candidate);
    if (alike > best.alike) best = { at, alike };
  }
  if (best.at === -1) return [];
  const from = Math.max(0, best.at - Math.min(longest, MOST_LINES - 1));
  const near = lines.slice(from, from + Math.min(oldLines.length, MOST_LINES));
  return [
    'The nearest lines are:',
    ...near.map((line, index) => `${from + index + 1}\t${shorten(line, LONGEST_LINE)}`),
  ];
}

function comparable(line: string): string {
  return shorten(line.trim().replace(/^\d+\t/, ''), LONGEST_LINE);
}
