/** The values of provider keys, which must not reach a log, an export or the panel (R15). */
export interface Secrets {
  /** Names of the environment variables that hold them; child processes do not get these. */
  names: string[];
  /** Puts the variable's name where a key's value stood. */
  redact(text: string): string;
  /**
   * A `redact` for a text that comes in pieces. An end that may be the beginning of a key waits for the next piece; what still
   * waits when no piece comes any more is never shown.
   */
  inPieces(): (piece: string) => string;
}

/** A shorter value is no key, and to look for it would garble ordinary text. */
const SHORTEST = 8;

export function secretsOf(names: readonly string[], env: NodeJS.ProcessEnv): Secrets {
  const secrets = names
    // As the provider sends it: the line break at the end of a key file is no part of the key.
    .map((name) => ({ name, value: env[name]?.trim() ?? '' }))
    .filter(({ value }) => value.length >= SHORTEST)
    // A key that contains another one goes first.
    .sort((a, b) => b.value.length - a.value.length);
  const values = secrets.map(({ value }) => value);
  const redact = (text: string) =>
    secrets.reduce((clean, { name, value }) => clean.replaceAll(value, `[key of $${name}]`), text);
  return {
    names: [...names],
    redact,
    inPieces() {
      let held = '';
      return (piece) => {
        const text = held + piece;
        const open = openEnd(text, values);
        held = text.slice(open);
        return redact(text.slice(0, open));
      };
    },
  };
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
