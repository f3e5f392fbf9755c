/** The engine with the parts that the command line gives it. */
import { realpath } from 'node:fs/promises';

import { Engine } from '../agent/engine.ts';
import { savedSessions, type Sessions } from '../agent/target.ts';
import { LatestConfig } from '../config/latest.ts';
import { loadConfig, polyglavHome, type LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Asker } from '../permissions/ask.ts';
import { createProviders } from '../providers/registry.ts';
import { SessionStore } from '../session/store.ts';
import type { Transforms } from '../session/transforms.ts';
import { visible } from '../session/visible.ts';
import { sentence } from '../text/sentence.ts';
import { diskFiles } from '../tools/diskFiles.ts';
import { tools } from '../tools/registry.ts';
import { findRipgrep } from '../tools/ripgrepBinary.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Output } from './output.ts';
import { packagedRipgrep } from './ripgrep.ts';
import { messageOf } from './usage.ts';

export const { version } = packageJson;

/** The current directory, without a search upward. */
export function workspaceFolder(): Promise<string> {
  return realpath(process.cwd());
}

export function loadConfiguration(workspace: string): Promise<LoadedConfig> {
  return loadConfig({ workspace, home: polyglavHome(process.env) });
}

/** The folder's sessions, to be read and deleted: no configuration is needed for that. */
export async function openSessions(): Promise<Sessions> {
  return savedSessions(openStore(await workspaceFolder()));
}

export function openStore(workspace: string, transforms?: () => Transforms): SessionStore {
  const program = 'the polyglav command line';
  return new SessionStore(workspace, { version, program, ...(transforms === undefined ? {} : { transforms }) });
}

export interface CliEngineOptions {
  workspace: string;
  asker: Asker;
  /** Where what happens is shown: a slow reader slows the work down. */
  stdout: Output;
  /** What flags say, over every layer. */
  overrides: Pick<Config, 'model' | 'mode'>;
  max_rounds: number | undefined;
}

/** Lets `work` use an engine, and closes it. */
export async function withEngine<T>(options: CliEngineOptions, work: (engine: Engine) => Promise<T>): Promise<T> {
  return closing(await createEngine(options), work, process.stderr);
}

/** Closes what `work` used. When both fail, what came first is thrown, and the other is told on `stderr`. */
export async function closing<E extends { close(): Promise<void> }, T>(
  engine: E,
  work: (engine: E) => Promise<T>,
  stderr: NodeJS.WritableStream,
): Promise<T> {
  let done: T;
  try {
    done = await work(engine);
  } catch (error) {
    await engine
      .close()
      .catch((also: unknown) =>
        stderr.write(`polyglav: The session could not be closed in order: ${visible(sentence(messageOf(also)))}\n`),
      );
    throw error;
  }
  await engine.close();
  return done;
}

async function createEngine({ workspace, asker, stdout, overrides, max_rounds }: CliEngineOptions): Promise<Engine> {
  const latest = new LatestConfig(async () => {
    const { config, problems } = await loadConfiguration(workspace);
    return { config: { ...config, ...overrides }, problems };
  });
  return new Engine({
    store: openStore(workspace, latest.transforms),
    loadConfig: latest.load,
    providers: (config) => createProviders(config, process.env),
    tools,
    asker,
    files: diskFiles,
    ripgrep: await findRipgrep(await packagedRipgrep(), process.env),
    pace: (signal) => stdout.ready(signal),
    env: process.env,
    ...(max_rounds === undefined ? {} : { max_rounds }),
  });
}
