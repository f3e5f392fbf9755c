/**
 * Whether a script of `sed` has nothing but addresses and commands that print, delete or substitute. Others read and write files
 * (`r`, `w`) and run commands (`e`). It is gone through once, from left to right.
 */

const COMMANDS = 'pdqnNgGhHxlPD=';
const FLAGS = 'gpiI0123456789';
/** Which character ends an expression with brackets differs among programs, so it may not be in them. */
const SEPARATORS = '/|#,';

/** Each part takes what is at its place and gives the place behind it; undefined when it is none of what is known. */
type Place = number | undefined;

export function isPlainSed(script: string): boolean {
  let at: Place = 0;
  do {
    at = command(script, addresses(script, at));
    if (at === undefined) return false;
    at = skip(script, at, ' ', 1);
    if (at < script.length && !isOneOf(script[at], ';\n')) return false;
    at = skip(script, at + 1, ' ', 1);
  } while (at < script.length);
  return true;
}

function addresses(script: string, start: number): Place {
  let at: Place = address(script, start);
  if (at === undefined || at === start) return at;
  if (script[at] === ',') {
    const second = at + 1;
    at = address(script, second);
    if (at === undefined || at === second) return undefined;
  }
  return skip(script, skip(script, at, '!', 1), ' ', 1);
}

/** Where there is none, its place. */
function address(script: string, at: number): Place {
  if (script[at] === '$') return at + 1;
  if (script[at] !== '/') return skip(script, at, '0123456789');
  const end = expression(script, at + 1, '/');
  return end === undefined ? undefined : skip(script, end, 'I', 1);
}

function command(script: string, at: Place): Place {
  if (at === undefined) return undefined;
  if (isOneOf(script[at], COMMANDS)) return at + 1;
  const separator = script[at + 1];
  if (script[at] !== 's' || separator === undefined || !isOneOf(separator, SEPARATORS)) return undefined;
  const middle = expression(script, at + 2, separator);
  const end = middle === undefined ? undefined : replacement(script, middle, separator);
  return end === undefined ? undefined : skip(script, end, FLAGS);
}

/** Up to and with its separator. */
function expression(script: string, start: number, separator: string): Place {
  for (let at = start; at < script.length; at++) {
    const character = script[at];
    if (character === separator) return at + 1;
    if (character === '\n') return undefined;
    if (character === '\\' && isOneOf(script[++at], '\n')) return undefined;
    if (character !== '[') continue;
    const first = skip(script, at + 1, '^', 1);
    for (at = first; script[at] !== ']'; at++)
      if (at >= script.length || isOneOf(script[at], `${separator}[\\\n`)) return undefined;
    if (at === first) return undefined;
  }
  return undefined;
}

function replacement(script: string, start: number, separator: string): Place {
  for (let at = start; at < script.length; at++) {
    if (script[at] === separator) return at + 1;
    if (script[at] === '\\') at++;
    if (script[at] === '\n') return undefined;
  }
  return undefined;
}

function skip(script: string, start: number, characters: string, most = Infinity): number {
  let at = start;
  while (at - start < most && isOneOf(script[at], characters)) at++;
  return at;
}

function isOneOf(character: string | undefined, characters: string): boolean {
  return character !== undefined && characters.includes(character);
}
