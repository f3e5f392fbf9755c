/** The permission rules of the moment: a person may deny something while a turn runs, and "always" counts from the next call on. */
import type { LoadedConfig } from '../config/load.ts';
import type { PermissionConfig } from '../config/permissionSchema.ts';

/**
 * Reads the files anew each time. While one of them is broken, nothing that was in force is lifted: the last good rules hold on,
 * together with what the other files say now. `begun`: the rules at the start of the turn.
 */
export function freshRules(
  load: () => Promise<LoadedConfig>,
  begun: PermissionConfig,
): () => Promise<PermissionConfig> {
  let good = begun;
  return async () => {
    const { config, problems } = await load();
    if (problems.length > 0) return [...good, ...config.permissions];
    return (good = config.permissions);
  };
}
