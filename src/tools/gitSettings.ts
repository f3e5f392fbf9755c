/**
 * Settings of git for the commands that are run: a project can bring a folder that git takes for a repository, with settings
 * that name programs, and `git status` in it would run them.
 */

const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  // Of what lies about in a project, only a `.git` is a repository; writing in one is denied.
  ['safe.bareRepository', 'explicit'],
  // Names a program to run at every look, or has a daemon started that would end with the command.
  ['core.fsmonitor', 'false'],
];
const MOST = 1000;

/** `env` with these settings besides those that it has in the same way; what is incomplete there is left out. */
export function withGitSettings(env: Readonly<Record<string, string>>): Record<string, string> {
  const { GIT_CONFIG_COUNT, ...others } = env;
  const settings = [...settingsIn(others, Number(GIT_CONFIG_COUNT ?? 0)), ...SETTINGS];
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { ...others, ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(settings.length) };
}

function settingsIn(env: Readonly<Record<string, string>>, count: number): (readonly [string, string])[] {
  const length = Number.isInteger(count) && count > 0 ? Math.min(count, MOST) : 0;
  return Array.from({ length }, (_, index) => index).flatMap((index) => {
    const [key, value] = [env[`GIT_CONFIG_KEY_${index}`], env[`GIT_CONFIG_VALUE_${index}`]];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
}
