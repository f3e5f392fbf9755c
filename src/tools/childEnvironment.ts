/** The environment of every child process: the person's own, without keys (R15) and without what only the editor needs. */

/** What the editor sets for its own processes would make an editor or Electron that is started from here misbehave. */
const OF_THE_EDITOR = /^(ELECTRON_|VSCODE_)/i;
/** A shorter value is no key, and would take harmless variables with it. */
const SHORTEST_KEY = 8;

/**
 * `env` without the variables of `secret` and without any that hold the same value under another name; `extra` is added.
 * Names are compared as the system does: on Windows letter case does not matter.
 */
export function childEnvironment(
  secret: readonly string[],
  extra: Readonly<Record<string, string>> = {},
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const comparable = (name: string) => (process.platform === 'win32' ? name.toUpperCase() : name);
  const names = new Set(secret.map(comparable));
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const keys = entries
    .filter(([name]) => names.has(comparable(name)))
    // As the provider sends it: the line break at the end of a key file is no part of the key.
    .map(([, value]) => value.trim())
    .filter((value) => value.length >= SHORTEST_KEY);
  const harmless = entries.filter(
    ([name, value]) =>
      !names.has(comparable(name)) && !OF_THE_EDITOR.test(name) && !keys.some((key) => value.includes(key)),
  );
  return { ...Object.fromEntries(harmless), ...extra };
}
