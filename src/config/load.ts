/** Finds, reads, checks and puts together the configuration files. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { visible } from '../session/visible.ts';
import { parseLayer, type ConfigProblem } from './layer.ts';
import { didYouMean } from '../text/nearest.ts';
import { systemFault } from '../text/systemFault.ts';
import { folderRules, foldersOfProject } from './folders.ts';
import { overreaches } from './projectLimits.ts';
import {
  EMPTY_CONFIG,
  headerSecrets,
  keyEnvs,
  providerNames,
  type Config,
  type ConfigFile,
  type Layer,
  type PermissionRules,
} from './schema.ts';

export type { ConfigProblem };

export interface LoadedConfig {
  config: Config;
  /** Not empty: prompts are refused with them. A file that has one counts as empty. */
  problems: ConfigProblem[];
}

/** Far above what a person writes; a larger file was put there by mistake. */
const MAX_BYTES = 1024 * 1024;

/** The user's own folder: `$POLYGLAV_HOME`, else `~/.polyglav`. */
export function polyglavHome(env: NodeJS.ProcessEnv): string {
  const set = env['POLYGLAV_HOME'];
  return set === undefined || set === '' ? join(homedir(), '.polyglav') : resolve(set);
}

/** The user's own file in `home`. */
export function userConfigFile(home: string): string {
  return join(home, 'config.json');
}

/**
 * The project's `.polyglav/config.json` over `config.json` in `home`. A missing file is an empty layer; every other fault is
 * a problem, never an exception. Without a workspace (none open, or not trusted) only the user's file is read.
 */
export async function loadConfig(places: { workspace: string | undefined; home: string }): Promise<LoadedConfig> {
  const userFile = userConfigFile(places.home);
  const projectFile = places.workspace === undefined ? undefined : join(places.workspace, '.polyglav', 'config.json');
  const user = await readLayer(userFile);
  // A workspace that is the home folder itself has one file for both: it is the user's.
  const project =
    projectFile === undefined || (await realPathOf(projectFile)) === (await realPathOf(userFile))
      ? { value: {}, problems: [] }
      : await readLayer(projectFile, (value) => [
          ...foldersOfProject(value, userFile),
          ...overreaches(value, user.value, userFile),
        ]);
  const problems = [...project.problems, ...user.problems];
  // Without the user's file nobody can say which keys and names the project must leave alone.
  const folder = places.workspace === undefined ? [] : await folderRules(user.value, places.workspace);
  const config = merge(user.problems.length === 0 ? project.value : {}, user.value, folder);
  if (problems.length === 0 && config.model !== undefined) {
    const file = project.value.model === undefined ? userFile : (projectFile ?? userFile);
    problems.push(...unknownProvider(config, config.model, file));
  }
  return { config, problems };
}

/** `/home/me/p/.polyglav/config.json:3:5: mode must be "build" or "plan", not "biuld".` */
export function describeProblem({ file, key, message, line, column }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${key === '' ? '' : `${key} `}${message}`;
}

function merge(project: ConfigFile, user: ConfigFile, folder: readonly PermissionRules[]): Config {
  const over = { ...user, ...project };
  const providers = [user.providers ?? {}, project.providers ?? {}];
  const rules = (layer: Layer, file: ConfigFile) =>
    file.permissions === undefined ? [] : [{ layer, rules: file.permissions }];
  const inFolder = folder.map((each) => ({ layer: 'folder' as const, rules: each }));
  return {
    ...EMPTY_CONFIG,
    ...(over.model === undefined ? {} : { model: over.model }),
    ...(over.mode === undefined ? {} : { mode: over.mode }),
    ...(over.system_prompt === undefined ? {} : { system_prompt: over.system_prompt }),
    ...(over.reasoning === undefined ? {} : { reasoning: over.reasoning }),
    ...(over.noise_tools === undefined ? {} : { noise_tools: over.noise_tools }),
    ...(over.session_tool_max_chars === undefined ? {} : { session_tool_max_chars: over.session_tool_max_chars }),
    ...(over.print_max_chars === undefined ? {} : { print_max_chars: over.print_max_chars }),
    providers: Object.assign({}, ...providers) as Config['providers'],
    models: { ...user.models, ...project.models },
    permissions: [...rules('project', project), ...inFolder, ...rules('user', user)],
    key_envs: providers.flatMap(keyEnvs),
    header_secrets: providers
      .flatMap((layer) => Object.values(layer))
      .flatMap((provider) => ('headers' in provider ? headerSecrets(provider.headers ?? {}) : [])),
  };
}

function unknownProvider(config: Config, model: string, file: string): ConfigProblem[] {
  const provider = model.slice(0, model.indexOf('/'));
  const known = providerNames(config);
  if (known.includes(provider)) return [];
  const message = `names the provider ${visible(JSON.stringify(provider))}, which no configuration has; there are: ${known.join(', ')}.`;
  return [{ file, key: 'model', message: message + didYouMean(provider, known) }];
}

async function readLayer(
  file: string,
  limits?: Parameters<typeof parseLayer>[2],
): Promise<ReturnType<typeof parseLayer>> {
  const refused = (message: string) => ({ value: {}, problems: [{ file, key: '', message }] });
  let bytes: Buffer;
  try {
    // Before it is opened: opening a pipe would wait for its writer.
    const info = await stat(file);
    if (info.isDirectory()) return refused('is a folder; it must be a JSON file.');
    if (!info.isFile()) return refused('is not a regular file; it must be a JSON file.');
    if (info.size > MAX_BYTES) return refused('is larger than 1 MiB; a configuration is far smaller.');
    bytes = await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { value: {}, problems: [] };
    return refused(`cannot be read: ${systemFault(error)}. Make it readable, or remove it.`);
  }
  const text = decode(bytes);
  return text === undefined ? refused('is not UTF-8 text; save it as UTF-8.') : parseLayer(text, file, limits);
}

function realPathOf(file: string): Promise<string> {
  return realpath(file).catch(() => resolve(file));
}

/** Without its byte order mark; undefined when it is not UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
