/** The values of provider keys, which must not reach a log, an export or the panel (R15). */
export interface Secrets {
  /** Names of the environment variables that hold them; child processes do not get these. */
  names: string[];
  /** Puts the variable's name where a key's value stood. */
  redact(text: string): string;
}

/** A shorter value is no key, and to look for it would garble ordinary text. */
const SHORTEST = 8;

export function secretsOf(names: readonly string[], env: NodeJS.ProcessEnv): Secrets {
  const values = names
    .map((name) => ({ name, value: env[name] ?? '' }))
    .filter(({ value }) => value.length >= SHORTEST)
    // A key that contains another one goes first.
    .sort((a, b) => b.value.length - a.value.length);
  return {
    names: [...names],
    redact: (text) => values.reduce((clean, { name, value }) => clean.replaceAll(value, `[key of $${name}]`), text),
  };
}
