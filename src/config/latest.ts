/** The configuration as it was read last: what has to be known in between, without a wait, is taken from there. */
import { DEFAULT_TRANSFORMS, type Transforms } from '../session/transforms.ts';
import type { LoadedConfig } from './load.ts';
import { EMPTY_CONFIG, type Config } from './schema.ts';

export class LatestConfig {
  readonly #load: () => Promise<LoadedConfig>;
  #config: Config = EMPTY_CONFIG;

  constructor(load: () => Promise<LoadedConfig>) {
    this.#load = load;
  }

  /** Reads the files anew, as each turn does at its start. */
  readonly load = async (): Promise<LoadedConfig> => {
    const loaded = await this.#load();
    // What is broken for a moment says nothing new.
    if (loaded.problems.length === 0) this.#config = loaded.config;
    return loaded;
  };

  /** How outputs are recorded (R11). */
  readonly transforms = (): Transforms => ({
    noise_tools: this.#config.noise_tools ?? DEFAULT_TRANSFORMS.noise_tools,
    session_tool_max_chars: this.#config.session_tool_max_chars ?? DEFAULT_TRANSFORMS.session_tool_max_chars,
  });
}
