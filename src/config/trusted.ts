/** `trusted.json` in the user's folder: for each project folder, by its real path, the hash of what the user said yes to. */
import { join } from 'node:path';

import { ForThePerson } from '../session/forThePerson.ts';
import { changeShared, readShared, SharedFileError } from '../session/sharedFile.ts';
import { systemFault } from '../text/systemFault.ts';
import type { Unconfirmed } from './consent.ts';

type Confirmations = Record<string, unknown>;

const BROKEN =
  'is not the JSON object that Polyglav keeps here. Mend it, or remove it: then every project is asked about anew.';

export function trustedFile(home: string): string {
  return join(home, 'trusted.json');
}

/** Whether the user said yes to exactly this. With a `problem` nobody can tell: it says why, and follows the file's path. */
export async function isConfirmed(
  { folder, sha256 }: Unconfirmed,
  home: string,
): Promise<{ confirmed: boolean; problem?: string }> {
  try {
    const bytes = await readShared(trustedFile(home));
    if (bytes === undefined) return { confirmed: false };
    const entry = parse(bytes)[folder] as { sha256?: unknown } | null | undefined;
    return { confirmed: entry?.sha256 === sha256 };
  } catch (error) {
    const unreadable = `cannot be read: ${systemFault(error)}. Make it readable, or remove it.`;
    return { confirmed: false, problem: error instanceof SyntaxError ? BROKEN : unreadable };
  }
}

/**
 * Keeps the user's yes, in place of an earlier one for this folder: of two contents the older one may be what somebody took back
 * for a reason. Throws for the person when the file cannot be changed; it is then as it was.
 */
export async function confirm({ folder, sha256 }: Unconfirmed, home: string, now = new Date()): Promise<void> {
  const file = trustedFile(home);
  const change = (before: Buffer | undefined) => {
    let confirmations: Confirmations = {};
    try {
      if (before !== undefined) confirmations = parse(before);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new SharedFileError(`${file} ${BROKEN}`);
    }
    const all = { ...confirmations, [folder]: { sha256, at: now.toISOString() } };
    return Buffer.from(`${JSON.stringify(all, null, 2)}\n`);
  };
  await changeShared(file, change).catch((error: unknown) => {
    if (error instanceof ForThePerson) throw error;
    throw new SharedFileError(`${file} could not be written: ${systemFault(error)}.`, { cause: error });
  });
}

/** Throws SyntaxError when it is no JSON object. */
function parse(bytes: Buffer): Confirmations {
  const value: unknown = JSON.parse(decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no object');
  return value as Confirmations;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SyntaxError('no UTF-8');
  }
}
