/**
 * What a project's file may bring only with the user's yes to exactly that (P2, P5): its author need not be the person whose
 * machine it is read on. The yes is to a hash of the values alone, so comments, order and other settings change nothing about it.
 */
import { createHash } from 'node:crypto';

import { allowsIn, ruleText, type Rule } from './rules.ts';
import { type PermissionConfig, type PermissionRules } from './permissionSchema.ts';
import { SHIPPED_PROVIDERS, type ConfigFile, type ProviderConfig } from './schema.ts';

/** What waits for the user's yes. */
export interface Unconfirmed {
  /** Absolute path of the project's file. */
  file: string;
  /** Absolute real path of the folder that the yes is for. */
  folder: string;
  /** Of exactly this content. */
  sha256: string;
  /** The user said no to it: absolute path of the file that says so. */
  declined_in?: string;
  /** The text of each rule that allows something, as it stands in a decision: `run_command "git *" allow`; the widest first. */
  allows: string[];
  /** Those with a key first. */
  providers: BroughtProvider[];
}

export interface BroughtProvider {
  name: string;
  /** `https://models.example:8080/v1`: where prompts would go; undefined for one without a network. */
  address: string | undefined;
  /** Name of the environment variable whose value would go there as the key. */
  key: string | undefined;
  /** Names of the headers that it would set. */
  headers: string[];
  /** The user, or what ships, has one of the same name, whose place it would take. */
  replaces: boolean;
}

/** A part of a file: what needs the yes of it, and what counts without. Undefined: nothing. */
type Parting = (value: unknown) => { held?: unknown; free?: unknown };

/** Everything that needs the yes. What stands under another key counts at once. */
const NEEDS_CONSENT: Partial<Record<keyof ConfigFile, Parting>> = {
  permissions: (rules) => ({
    held: withLeaves(rules, (action) => action === 'allow'),
    free: withLeaves(rules, (action) => action !== 'allow'),
  }),
  providers: (providers) => ({ held: providers }),
};

/** A project's file in two: what needs the yes, and what counts without. */
export function parted(file: ConfigFile): { held: ConfigFile; free: ConfigFile } {
  const held: Record<string, unknown> = {};
  const free: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(file)) {
    const parting = NEEDS_CONSENT[key as keyof ConfigFile];
    const parts = parting === undefined ? { free: value } : parting(value);
    if (!isEmpty(parts.held)) held[key] = parts.held;
    if (parts.free !== undefined) free[key] = parts.free;
  }
  return { held, free };
}

/** The same rules of every layer, without those that allow something. */
export function withoutAllows(permissions: PermissionConfig): PermissionConfig {
  return permissions.flatMap(({ layer, rules }) => {
    const left = withLeaves(rules, (action) => action !== 'allow') as PermissionRules | undefined;
    return left === undefined ? [] : [{ layer, rules: left }];
  });
}

/** Undefined when `held`, as {@link parted} gives it, is empty. `user`: the user's own file. */
export function unconfirmedOf(
  held: ConfigFile,
  user: ConfigFile,
  { file, folder }: Pick<Unconfirmed, 'file' | 'folder'>,
): Unconfirmed | undefined {
  if (isEmpty(held)) return undefined;
  const known = { ...SHIPPED_PROVIDERS, ...user.providers };
  return {
    file,
    folder,
    sha256: createHash('sha256')
      .update(JSON.stringify(sorted(held)))
      .digest('hex'),
    allows: allowsIn(held.permissions ?? {})
      .toSorted((one, other) => narrowness(one) - narrowness(other))
      .map(ruleText),
    providers: Object.entries(held.providers ?? {})
      .map(([name, provider]) => brought(name, provider, Object.hasOwn(known, name)))
      .toSorted((one, other) => Number(one.key === undefined) - Number(other.key === undefined)),
  };
}

/** What would be hurt most by going unseen is first: rules for all tools, for all calls of one, for all paths or commands. */
function narrowness({ tool, pattern }: Rule): number {
  if (tool === undefined) return 0;
  if (pattern === undefined) return 1;
  return /^[*/. ]+$/.test(pattern) ? 2 : 3;
}

function brought(name: string, provider: ProviderConfig, replaces: boolean): BroughtProvider {
  if (!('base_url' in provider)) return { name, address: undefined, key: undefined, headers: [], replaces };
  return {
    name,
    address: new URL(provider.base_url).href.replace(/\/$/, ''),
    key: provider.api_key_env,
    headers: Object.keys(provider.headers ?? {}),
    replaces,
  };
}

/** Scheme, host and port that a provider's requests go to; undefined for one without a network. */
export function originOf(provider: ProviderConfig): string | undefined {
  return 'base_url' in provider ? new URL(provider.base_url).origin : undefined;
}

/** A copy with the leaves alone that `keep` wants, and without objects that are left empty; undefined when nothing is left. */
function withLeaves(value: unknown, keep: (leaf: unknown) => boolean): unknown {
  if (!isObject(value)) return value !== undefined && keep(value) ? value : undefined;
  const left = Object.entries(value)
    .map(([key, inner]) => [key, withLeaves(inner, keep)] as const)
    .filter(([, inner]) => inner !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** The same value with the keys of each object in one order. */
function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  const byKey = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byKey.map(([key, inner]) => [key, sorted(inner)]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (isObject(value) && Object.keys(value).length === 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
