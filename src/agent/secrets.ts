/** The values of provider keys and of secret headers, which must not reach a log, an export or the panel (R15). */
import { variable, type HeaderSecret } from '../config/secretValues.ts';

export interface Secrets {
  /** Names of the environment variables that hold them; child processes do not get these. */
  names: string[];
  /** Puts the name of the variable or header where its value stood. */
  redact(text: string): string;
  /** The same for every string of JSON-like data, keys included. */
  redactAll<T>(value: T): T;
  inPieces(): RedactedPieces;
}

/** `redact` for a text that comes in pieces. */
export interface RedactedPieces {
  /** What is certain of the text and was not given yet: an end that may be the beginning of a key waits for the next piece. */
  push(piece: string): string;
  /** What still waits when no piece comes any more. */
  end(): string;
}

/** A shorter value is no key, and to look for it would garble ordinary text. */
const SHORTEST = 8;

/**
 * `names`: of the variables that hold keys. `open`: names that the configuration gives to providers and models. They stand in every
 * log, so a value among them (local servers take any word for a key) is no secret.
 */
export function secretsOf(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  headers: readonly HeaderSecret[] = [],
  open: readonly string[] = [],
): Secrets {
  const inHeaders = headers.filter(({ value }) => value.length >= SHORTEST);
  const secrets = [
    ...names.map((name) => ({ place: `key of $${name}`, value: variable(env, name) ?? '' })),
    ...inHeaders.map(({ header, value }) => ({ place: `value of the header ${header}`, value })),
  ]
    .filter(({ value }) => value.length >= SHORTEST && !open.some((word) => word.includes(value)))
    // A key that contains another one goes first.
    .sort((a, b) => b.value.length - a.value.length);
  const values = secrets.map(({ value }) => value);
  const redact = (text: string) =>
    secrets.reduce((clean, { place, value }) => clean.replaceAll(value, () => `[${place}]`), text);
  return {
    names: [...names, ...holding(inHeaders, env)],
    redact,
    redactAll: (value) => (secrets.length === 0 ? value : mapped(value, redact)),
    inPieces() {
      let held = '';
      return {
        push(piece) {
          const text = held + piece;
          const end = openEnd(text, values);
          held = text.slice(end);
          return redact(text.slice(0, end));
        },
        end() {
          const rest = redact(held);
          held = '';
          return rest;
        },
      };
    },
  };
}

/** A copy of JSON-like data with each of its strings, keys included, as `change` gives it. */
function mapped<T>(value: T, change: (text: string) => string): T;
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapped<unknown>(item, change)]));
}

/** Names of the variables that a header's value was taken from. */
function holding(headers: readonly HeaderSecret[], env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).filter((name) => headers.some(({ value }) => variable(env, name) === value));
}

/** Where the end begins that may go on to one of `values` (longest first); the length of the text when there is none. */
function openEnd(text: string, values: readonly string[]): number {
  const longest = values[0]?.length ?? 0;
  // A whole value that begins before the last `longest` units may reach into these.
  for (let at = Math.max(0, text.length - 2 * longest); at < text.length; at++) {
    const end = text.slice(at);
    if (values.some((value) => value.length > end.length && value.startsWith(end))) return at;
    const whole = values.find((value) => end.startsWith(value));
    if (whole !== undefined) at += whole.length - 1;
  }
  return text.length;
}
