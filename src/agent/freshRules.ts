/** The permission rules of the moment: a person may deny something while a turn runs, and "always" counts from the next call on. */
import type { LoadedConfig } from '../config/load.ts';
import type { PermissionConfig } from '../config/permissionSchema.ts';

/** Reads the files anew each time. While one of them is broken, what it last said holds. `begun`: the rules at the start of the turn. */
export function freshRules(
  load: () => Promise<LoadedConfig>,
  begun: PermissionConfig,
): () => Promise<PermissionConfig> {
  let known = begun;
  return async () => {
    const { config, unknown_layers = [] } = await load();
    known = [...known.filter(({ layer }) => unknown_layers.includes(layer)), ...config.permissions];
    return known;
  };
}
