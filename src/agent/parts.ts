/** What the engine is built of. The place it runs in (extension host, command line, a test) brings these. */
import type { LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { RuleBook } from '../permissions/always.ts';
import type { Asker } from '../permissions/ask.ts';
import type { ProviderSet } from '../providers/registry.ts';
import type { SessionStore } from '../session/store.ts';
import type { FileAccess, Tool } from '../tools/tool.ts';
import type { Watchdog } from '../tools/watchdog.ts';
import type { Secrets } from './secrets.ts';

export interface EngineOptions {
  store: SessionStore;
  /** Read anew at the start of each turn, so that a mended file counts at once. */
  loadConfig(): Promise<LoadedConfig>;
  providers(config: Config): ProviderSet;
  tools: Tool[];
  asker: Asker;
  /** Where "always" writes its rule; without one that answer is not offered. */
  rules?: RuleBook;
  files: FileAccess;
  ripgrep: string | undefined;
  /** Ends commands that this program leaves behind when it is killed. */
  watchdog?: Watchdog;
  /**
   * Settles when the front end can take more of what runs tell it, or the signal fires. Between the pieces of an answer, and of a
   * command's output, the work waits for it; without one it waits for nothing.
   */
  pace?(signal: AbortSignal): Promise<void>;
  env: NodeJS.ProcessEnv;
  max_rounds?: number;
  now?: () => Date;
}

/** What the engine hands to each run. */
export interface EngineParts extends Omit<EngineOptions, 'env' | 'max_rounds' | 'now'> {
  max_rounds: number;
  now(): Date;
  newId(): string;
  secrets(config: Config): Secrets;
}
