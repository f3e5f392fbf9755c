/** Files that hold passwords and keys by custom: the policy asks even before they are read (P2). */
import { foldedName } from './names.ts';

/** Names that surely mean a secret; a public key (`id_rsa.pub`) is none. */
const FILES = new Set([
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ecdsa_sk',
  'id_ed25519',
  'id_ed25519_sk',
  'secring.gpg',
  '.npmrc',
  '.netrc',
  '_netrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.git-credentials',
  '.dockercfg',
  '.s3cfg',
  '.vault-token',
  'credentials',
  'credentials.json',
]);
const ENDINGS = ['.pem', '.key', '.p12', '.pfx', '.jks', '.keystore', '.kdbx', '.ppk'];
/** These also with all that is in them. */
const FOLDERS = new Set(['.ssh', '.gnupg', '.aws']);
/** `.env`, `.env.local`, `.envrc`; likewise. */
const BEGINNING = '.env';

/** The kinds of secret file, as patterns, that a path is by its names; in whatever letter case, since many disks do not tell it. */
export function secretKinds(path: string): string[] {
  const names = path.split(/[\\/]/).map(foldedName);
  const kinds = names.flatMap((name) => {
    if (name.startsWith(BEGINNING)) return [`${BEGINNING}*`];
    return FOLDERS.has(name) ? [name] : [];
  });
  const file = names.at(-1) ?? '';
  if (FILES.has(file)) kinds.push(file);
  const ending = ENDINGS.find((one) => file.endsWith(one));
  if (ending !== undefined) kinds.push(`*${ending}`);
  return [...new Set(kinds)];
}
