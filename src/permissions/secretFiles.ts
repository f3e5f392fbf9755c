/** Files that hold passwords and keys by custom: the policy asks even before they are read (P2). */

export const SECRET_GLOB = '.env*';

/** True when a name in the path is one of these; in whatever letter case, since many disks do not tell it. */
export function mayHoldSecrets(path: string): boolean {
  return path.split(/[\\/]/).some((name) => name.toLowerCase().startsWith('.env'));
}
