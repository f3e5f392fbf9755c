/** Files that hold passwords and keys by custom: the policy asks even before they are read (P2). */
import { matchesGlob, parseGlob, type Glob } from '../text/glob.ts';
import { foldedName } from './names.ts';

/** The kind that a search leaves out before it opens anything. */
export const SECRET_GLOB = '.env*';

/** Names that surely mean a secret; a public key (`id_rsa.pub`) is none. */
const FILES = [
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  'id_rsa',
  'id_dsa',
  'id_{ecdsa,ed25519}{,_sk}',
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
];
/** These also with all that is in them. */
const FOLDERS = [SECRET_GLOB, '.ssh', '.gnupg', '.aws'];

interface Kind {
  name: string;
  glob: Glob;
  isFolder: boolean;
}

const KINDS: readonly Kind[] = [
  ...FOLDERS.map((name) => ({ name, isFolder: true })),
  ...FILES.map((name) => ({ name, isFolder: false })),
].flatMap((kind) => {
  const glob = parseGlob(kind.name);
  return 'error' in glob ? [] : [{ ...kind, glob }];
});

/** The kinds of secret file, as patterns, that a path is by its names; in whatever letter case, since many disks do not tell it. */
export function secretKinds(path: string): string[] {
  const names = path.split(/[\\/]/).map(foldedName);
  return KINDS.filter(({ glob, isFolder }) =>
    (isFolder ? names : names.slice(-1)).some((name) => matchesGlob(glob, name, { slash: true })),
  ).map(({ name }) => name);
}

export function mayHoldSecrets(path: string): boolean {
  return secretKinds(path).length > 0;
}
