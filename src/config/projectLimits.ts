/**
 * What a project's file may not do, whatever the user says to it (P5). Its author need not be the person whose keys it would use:
 * a folder that was cloned cannot take a key to a host that the key's owner never named.
 */
import { originOf } from './consent.ts';
import type { LayerFault } from './layer.ts';
import { keyEnvs, SHIPPED_PROVIDERS, type ConfigFile, type ProviderConfig } from './schema.ts';

/** Where `project` takes keys that are not its own; `userFile` is the path of the user's file, for the messages. */
export function keysTakenBy(project: ConfigFile, user: ConfigFile, userFile: string): LayerFault[] {
  const owned: Record<string, ProviderConfig> = { ...SHIPPED_PROVIDERS, ...user.providers };
  const bound = originsOfKeys([SHIPPED_PROVIDERS, owned]);
  return Object.entries(project.providers ?? {}).flatMap(([name, provider]) => {
    const replaced = Object.hasOwn(owned, name) ? owned[name] : undefined;
    if (replaced !== undefined && keyEnvs({ replaced }).length > 0)
      return {
        path: ['providers', name],
        message: `is a provider with a key, which a project cannot change. Give this one another name, or set it in ${userFile}.`,
      };
    if (keyEnvs({ provider }).some((key) => bound.get(sameName(key))?.has(originOf(provider)) === false))
      return {
        path: ['providers', name, 'api_key_env'],
        message: `names the key of another provider, which a project cannot send elsewhere. If that is what you want, set this provider in ${userFile}.`,
      };
    return [];
  });
}

/**
 * The origins that each key was entered for. A shipped provider's key stays bound to its origin when the user's file puts another
 * provider in its place.
 */
function originsOfKeys(
  layers: readonly Readonly<Record<string, ProviderConfig>>[],
): Map<string, Set<string | undefined>> {
  const origins = new Map<string, Set<string | undefined>>();
  for (const provider of layers.flatMap((layer) => Object.values(layer)))
    for (const key of keyEnvs({ provider }))
      origins.set(sameName(key), (origins.get(sameName(key)) ?? new Set()).add(originOf(provider)));
  return origins;
}

/** Windows takes one variable for another that differs in case alone. */
function sameName(variable: string): string {
  return variable.toUpperCase();
}
