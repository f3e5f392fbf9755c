/** The engine with the parts that the command line gives it. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { Engine } from '../agent/engine.ts';
import { NOT_SAVED } from '../agent/runLog.ts';
import { savedSessions, type Sessions } from '../agent/target.ts';
import { LatestConfig } from '../config/latest.ts';
import { loadConfig, polyglavHome, type LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { UserRules } from '../config/userRules.ts';
import type { Asker } from '../permissions/ask.ts';
import { createProviders } from '../providers/registry.ts';
import type { Session } from '../session/schema.ts';
import { SessionStore } from '../session/store.ts';
import type { Transforms } from '../session/transforms.ts';
import { visible } from '../session/visible.ts';
import { sentence } from '../text/sentence.ts';
import { systemFault } from '../text/systemFault.ts';
import { diskFiles } from '../tools/diskFiles.ts';
import { tools } from '../tools/registry.ts';
import { Watchdog } from '../tools/watchdog.ts';
import { findRipgrep } from '../tools/ripgrepBinary.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Output } from './output.ts';
import { packagedRipgrep } from './ripgrep.ts';
import { EXIT } from './usage.ts';

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

/** Lets `work` use an engine, and closes it. Returns the exit code. */
export async function withEngine(
  options: CliEngineOptions,
  work: (engine: Engine) => Promise<number>,
): Promise<number> {
  return closing(await createEngine(options), work, process.stderr);
}

/** An engine, as far as it is closed here. */
interface Closed {
  runs(): readonly { readonly name: string; readonly session: Pick<Session, 'errors'> }[];
  close(): Promise<void>;
}

/**
 * Closes what `work` used, and returns its exit code. When both fail, what came first is thrown, and the other is told on `stderr`.
 * A turn that failed because it could not be saved has told it already.
 */
export async function closing<E extends Closed>(
  engine: E,
  work: (engine: E) => Promise<number>,
  stderr: NodeJS.WritableStream,
): Promise<number> {
  let code: number;
  try {
    code = await work(engine);
  } catch (error) {
    await engine
      .close()
      .catch((also: unknown) => stderr.write(`polyglav: ${visible(notClosed(engine, also).message)}\n`));
    throw error;
  }
  try {
    await engine.close();
  } catch (error) {
    if (code !== EXIT.failed || !isTold(engine)) throw notClosed(engine, error);
  }
  return code;
}

function notClosed(engine: Closed, error: unknown): Error {
  const names = engine.runs().map(({ name }) => JSON.stringify(name));
  return new Error(
    `The file of the session ${names.join(', ')} could not be put in order: ${sentence(systemFault(error))} ` +
      'What was saved stands in its journal; whoever opens it next goes on from there.',
    { cause: error },
  );
}

function isTold(engine: Closed): boolean {
  return engine.runs().some(({ session }) => session.errors.at(-1)?.message.startsWith(NOT_SAVED));
}

async function createEngine({ workspace, asker, stdout, overrides, max_rounds }: CliEngineOptions): Promise<Engine> {
  const latest = new LatestConfig(async () => {
    const loaded = await loadConfiguration(workspace);
    return { ...loaded, config: { ...loaded.config, ...overrides } };
  });
  return new Engine({
    store: openStore(workspace, latest.transforms),
    loadConfig: latest.load,
    providers: (config) => createProviders(config, process.env),
    tools,
    asker,
    rules: new UserRules({ workspace, home: polyglavHome(process.env) }),
    files: diskFiles,
    watchdog: new Watchdog(path.join(import.meta.dirname, 'watchdog.js'), (message) =>
      process.stderr.write(`polyglav: ${visible(message)}\n`),
    ),
    ripgrep: await findRipgrep(await packagedRipgrep(), process.env),
    pace: (signal) => stdout.ready(signal),
    env: process.env,
    ...(max_rounds === undefined ? {} : { max_rounds }),
  });
}
