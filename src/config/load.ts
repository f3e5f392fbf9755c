/** Finds, reads, checks and puts together the configuration files. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { visible } from '../session/visible.ts';
import { parted, unconfirmedOf, withoutAllows, type Unconfirmed } from './consent.ts';
import { emptyLayer, parseLayer, type ConfigPlace, type ConfigProblem, type ParsedLayer } from './layer.ts';
import { didYouMean } from '../text/nearest.ts';
import { systemFault } from '../text/systemFault.ts';
import { folderRules, foldersOfProject } from './folders.ts';
import { keysTakenBy } from './projectLimits.ts';
import type { Layer, PermissionLayer, PermissionRules } from './permissionSchema.ts';
import { EMPTY_CONFIG, keyEnvs, providerNames, type Config, type ConfigFile } from './schema.ts';
import { headerSecrets } from './secretValues.ts';
import { answerTo, trustedFile } from './trusted.ts';

export type { ConfigProblem, Unconfirmed };

export interface LoadedConfig {
  config: Config;
  /** Not empty: prompts are refused with them. A file that has one counts as empty. */
  problems: ConfigProblem[];
  /** The rules of these are not known, because a file has a problem; `config` has none of them. */
  unknown_layers?: readonly PermissionLayer[];
  /** What the project's file brings and does not count, because the user has not said yes to it. */
  unconfirmed?: Unconfirmed;
  /** It was read for a workspace that the editor does not trust. */
  restricted?: true;
  /** The rules as the files have them, counted or not. */
  sections?: readonly RuleSection[];
}

interface RuleSection {
  layer: PermissionLayer;
  rules: PermissionRules;
  /** Where something stands that the section has at this path. */
  at(place: readonly string[]): ConfigPlace;
}

export interface ConfigPlaces {
  /** Absolute path of the project's folder; undefined when there is none. */
  workspace: string | undefined;
  /** The user's own folder. */
  home: string;
  /** The editor does not trust the workspace: nobody's rule allows anything, and of the project's file only its asks and denies count. */
  restricted?: boolean;
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
 * a problem, never an exception.
 */
export async function loadConfig({ workspace, home, restricted = false }: ConfigPlaces): Promise<LoadedConfig> {
  const userFile = userConfigFile(home);
  const user = await readLayer(userFile);
  const project = await readProject(workspace, userFile, user.value);
  const problems = [...project.problems, ...user.problems];
  // Without the user's file nobody can say which keys and names the project must leave alone.
  const brought = user.problems.length === 0 ? project.value : {};
  const { held, free } = parted(brought);
  const asked = restricted ? undefined : unconfirmedOf(held, user.value, project);
  const { answer, problem } = asked === undefined ? { answer: 'yes' } : await answerTo(asked, home);
  if (problem !== undefined) problems.push({ file: trustedFile(home), key: '', message: problem });
  const counted = restricted ? onlyRules(free) : answer === 'yes' ? brought : free;
  const inFolder = workspace === undefined ? [] : await folderRules(user.value, workspace);
  const merged = merge(counted, user.value, inFolder, brought);
  const config = restricted ? { ...merged, permissions: withoutAllows(merged.permissions) } : merged;
  const waiting = answer === 'yes' || problem !== undefined ? undefined : asked;
  const unconfirmed =
    waiting === undefined || answer === undefined ? waiting : { ...waiting, declined_in: trustedFile(home) };
  const unknown: PermissionLayer[] =
    user.problems.length > 0 ? ['project', 'folder', 'user'] : project.problems.length > 0 ? ['project'] : [];
  if (problems.length === 0 && config.model !== undefined) {
    const file = counted.model === undefined ? userFile : project.file;
    problems.push(...unknownProvider(config, config.model, file, unconfirmed));
  }
  return {
    config,
    problems,
    ...(unknown.length === 0 ? {} : { unknown_layers: unknown }),
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
    ...(restricted ? { restricted } : {}),
    sections: [
      ...sectionOf('project', project.value.permissions, project, []),
      ...Object.entries(user.value.folders ?? {}).flatMap(([path, { permissions: rules }]) =>
        rules !== undefined && inFolder.includes(rules) ? sectionOf('folder', rules, user, ['folders', path]) : [],
      ),
      ...sectionOf('user', user.value.permissions, user, []),
    ],
  };
}

/** `above`: what the section stands under in its file. */
function sectionOf(
  layer: PermissionLayer,
  rules: PermissionRules | undefined,
  { at }: ParsedLayer,
  above: readonly string[],
): RuleSection[] {
  return rules === undefined ? [] : [{ layer, rules, at: (place) => at([...above, 'permissions', ...place]) }];
}

interface ProjectLayer extends ParsedLayer {
  file: string;
  /** Absolute real path of the project's folder. */
  folder: string;
}

async function readProject(workspace: string | undefined, userFile: string, user: ConfigFile): Promise<ProjectLayer> {
  const nothing = { ...emptyLayer(''), file: '', folder: '' };
  if (workspace === undefined) return nothing;
  const file = join(workspace, '.polyglav', 'config.json');
  // A workspace that is the home folder itself has one file for both: it is the user's.
  if ((await realPathOf(file)) === (await realPathOf(userFile))) return nothing;
  const layer = await readLayer(file, (value) => [
    ...foldersOfProject(value, userFile),
    ...keysTakenBy(value, user, userFile),
  ]);
  return { ...layer, file, folder: await realPathOf(workspace) };
}

/** `/home/me/p/.polyglav/config.json:3:5: mode must be "build" or "plan", not "biuld".` */
export function describeProblem({ file, key, message, line, column }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${key === '' ? '' : `${key} `}${message}`;
}

function onlyRules({ permissions }: ConfigFile): ConfigFile {
  return permissions === undefined ? {} : { permissions };
}

/** `brought`: all that the project's file says, also what does not count. A key that it names is one all the same. */
function merge(project: ConfigFile, user: ConfigFile, folder: readonly PermissionRules[], brought: ConfigFile): Config {
  const over = { ...user, ...project };
  const known = [user.providers ?? {}, brought.providers ?? {}];
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
    providers: { ...user.providers, ...project.providers },
    models: { ...user.models, ...project.models },
    permissions: [...rules('project', project), ...inFolder, ...rules('user', user)],
    key_envs: known.flatMap(keyEnvs),
    header_secrets: known
      .flatMap((layer) => Object.values(layer))
      .flatMap((provider) => ('headers' in provider ? headerSecrets(provider.headers ?? {}) : [])),
  };
}

/** One that the project brings and nobody has confirmed is known here: which model answers may still be chosen by hand. */
function unknownProvider(
  config: Config,
  model: string,
  file: string,
  unconfirmed: Unconfirmed | undefined,
): ConfigProblem[] {
  const provider = model.slice(0, model.indexOf('/'));
  const known = providerNames(config);
  if (known.includes(provider) || unconfirmed?.providers.some(({ name }) => name === provider) === true) return [];
  const message = `names the provider ${visible(JSON.stringify(provider))}, which no configuration has; there are: ${known.join(', ')}.`;
  return [{ file, key: 'model', message: message + didYouMean(provider, known) }];
}

async function readLayer(file: string, limits?: Parameters<typeof parseLayer>[2]): Promise<ParsedLayer> {
  const refused = (message: string) => emptyLayer(file, { message });
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
    if (code === 'ENOENT' || code === 'ENOTDIR') return emptyLayer(file);
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
