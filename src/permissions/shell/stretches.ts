/**
 * The stretches of a word that a program may take for a path (P4): `f=@.env;type=a/b`, `-nfkey`, `{"path":".env"}`. How programs
 * write them is not known, so each one between characters that are rare in paths counts: rather too many than too few.
 */

export interface Stretch {
  text: string;
  /** What is not whole may go on. */
  whole: boolean;
  /**
   * Whether it counts also where nothing is there. Prose, code and addresses are full of names such as `.key`, of which only what is
   * there counts.
   */
  sure: boolean;
}

/** Of one word, that begin where a path does by custom. */
const MOST = 50;

/** `!` says what is left out. */
const OF_PATHS = String.raw`\p{L}\p{N}\p{M}_./~!\-`;
const BREAK = new RegExp(`[^${OF_PATHS}]`, 'gu');
/** Neither prose nor code. */
const PLAIN = new RegExp(`^[${OF_PATHS}@=:,;<%+#]*$`, 'u');
const URL = /(^|[=:,@])((?!fileb?:)[a-z][a-z0-9+.-]*:\/\/)[^\s<>"{}|\\^`]*/gi;

/** Undefined when there are too many. `prose`: no program takes for a file what has blanks in it. */
export function stretchesOf(text: string, whole: boolean, prose: boolean): Stretch[] | undefined {
  const customary = customaryOf(text, whole);
  if (customary === undefined || (prose && /\s/.test(text))) return customary;
  return [...customary, ...betweenBreaks(text, whole)];
}

/** Behind `=`, `:`, `,`, `@` and `<`, and behind the letter of an option. */
function customaryOf(text: string, whole: boolean): Stretch[] | undefined {
  // The name of a scheme may be a folder's.
  const plain = text.replace(URL, (url, before: string) => (/\/\.\.(\/|$)/.test(url) ? url : before));
  const starts = new Set<number>();
  if (!plain.startsWith('-')) starts.add(0);
  starts.add(plain.indexOf('=') + 1);
  if (/^-[^-]./.test(plain)) starts.add(2);
  if (plain.startsWith('@')) starts.add(1);
  // `HEAD:.env`
  starts.add(plain.lastIndexOf(':') + 1);
  for (const { index } of plain.matchAll(/[=:,@<](?=\/|~|\.\.)/g)) starts.add(index + 1);
  for (const { index, 0: scheme } of plain.matchAll(FILE)) starts.add(index + scheme.length);
  if (plain.startsWith('-')) {
    const first = plain.search(/\/|~|\./);
    if (first > 0) starts.add(first);
  }
  if (starts.size > MOST) return undefined;
  return [...starts]
    .filter((start) => start > 0 || !plain.startsWith('-'))
    .map((start) => ({ text: plain.slice(start).replace(/^file:\/\/(localhost)?(?=\/)/i, ''), whole, sure: true }));
}

const LONGEST_PATH = 4096;
/** There are no files of such names. */
const LONG_NAME = /^[^/]{256}/;
const FILE = /\bfileb?:\/\/(localhost(?=\/))?/gi;

function betweenBreaks(text: string, whole: boolean): Stretch[] {
  const urls = [...text.matchAll(URL)].map(({ index, 0: url, 1: before = '', 2: scheme = '' }) => ({
    start: index + before.length,
    path: index + before.length + scheme.length,
    end: index + url.length,
  }));
  const plain = PLAIN.test(text);
  const breaks = [...text.matchAll(BREAK)].map(({ index, 0: character }) => ({
    at: index,
    behind: index + character.length,
  }));
  // `-nfkey`
  const letters = Array.from(/^-[a-z0-9]+/i.exec(text)?.[0] ?? '', (_, index) => index).slice(2);
  const starts = new Set([0, ...breaks.map(({ behind }) => behind), ...letters, ...urls.map(({ path }) => path)]);
  const found: Stretch[] = [];
  let next = 0;
  for (const start of [...starts].sort((one, other) => one - other)) {
    while (next < breaks.length && (breaks[next]?.at ?? 0) < start) next++;
    const url = urls.find(({ start: first, end }) => first <= start && start < end);
    const isAbsolute = /^[/~]/.test(text.slice(start, start + 1));
    // `//host/a`, and `/a` in what an address asks for, are no paths.
    if (url !== undefined && isAbsolute && start !== url.path && text[start - 1] !== '@') continue;
    const end = breaks[next]?.at;
    const one = text.slice(start, end);
    if (LONG_NAME.test(one)) continue;
    // In a list that is what is left out.
    if (!/[\p{L}\p{N}_]/u.test(one) || /^\.(git|polyglav)$/.test(one)) continue;
    const sure = plain && url === undefined && !isAbsolute && !one.startsWith('..') && !letters.includes(start);
    found.push({ text: one, whole: whole || end !== undefined, sure: sure && (start > 0 || end !== undefined) });
    if (end !== undefined && text.length - start <= LONGEST_PATH && !LONG_NAME.test(text.slice(start, start + 256)))
      found.push({ text: text.slice(start), whole, sure: false });
  }
  return found;
}
