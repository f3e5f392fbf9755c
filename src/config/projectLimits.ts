/**
 * What a project's file may not do (P5). Its author need not be the person whose machine and keys it would use: a folder that
 * was cloned can neither allow itself anything nor take a key to a host that the key's owner never named.
 */
import type { LayerFault } from './layer.ts';
import { allowsIn } from './rules.ts';
import { keyEnvs, SHIPPED_PROVIDERS, type ConfigFile, type ProviderConfig } from './schema.ts';

/** What `project` says that only the user's file may say; `userFile` is that file's path, for the messages. */
export function overreaches(project: ConfigFile, user: ConfigFile, userFile: string): LayerFault[] {
  return [...allowedIn(project, userFile), ...keysTakenBy(project, user, userFile)];
}

function allowedIn({ permissions }: ConfigFile, userFile: string): LayerFault[] {
  return allowsIn(permissions ?? {}).map(({ place }) => ({
    path: ['permissions', ...place],
    message: `must be "ask" or "deny": a project cannot allow itself anything. What you want to allow belongs in ${userFile}.`,
  }));
}

function keysTakenBy(project: ConfigFile, user: ConfigFile, userFile: string): LayerFault[] {
  const owned: Record<string, ProviderConfig> = { ...SHIPPED_PROVIDERS, ...user.providers };
  // A shipped provider's key stays its owner's when the user's file puts another provider in its place. Windows takes one
  // variable for another that differs in case alone.
  const keys = [SHIPPED_PROVIDERS, owned].flatMap(keyEnvs).map((key) => key.toUpperCase());
  return Object.entries(project.providers ?? {}).flatMap(([name, provider]) => {
    const replaced = Object.hasOwn(owned, name) ? owned[name] : undefined;
    if (replaced !== undefined && keyEnvs({ replaced }).length > 0)
      return {
        path: ['providers', name],
        message: `is a provider with a key, which a project cannot change. Give this one another name, or set it in ${userFile}.`,
      };
    if (keyEnvs({ provider }).some((key) => keys.includes(key.toUpperCase())))
      return {
        path: ['providers', name, 'api_key_env'],
        message: `names the key of another provider, which a project cannot send elsewhere. If that is what you want, set this provider in ${userFile}.`,
      };
    return [];
  });
}
