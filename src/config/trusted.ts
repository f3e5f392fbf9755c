/** `trusted.json` in the user's folder: for each project folder, by its real path, the hash of what the user said yes to, and no. */
import { join } from 'node:path';

import { ForThePerson } from '../session/forThePerson.ts';
import { changeShared, readShared, SharedFileError } from '../session/sharedFile.ts';
import { systemFault } from '../text/systemFault.ts';
import type { Unconfirmed } from './consent.ts';

type Answers = Record<string, unknown>;
/** What is kept for one folder. */
interface Entry {
  sha256?: string;
  /** When the yes was said. */
  at?: string;
  declined?: string;
}

const BROKEN =
  'is not the JSON object that Polyglav keeps here. Mend it, or remove it: then every project is asked about anew.';

export function trustedFile(home: string): string {
  return join(home, 'trusted.json');
}

/**
 * What the user said to exactly this; undefined when nothing. With a `problem` nobody can tell: it says why, and follows the file's
 * path.
 */
export async function answerTo(
  { folder, sha256 }: Unconfirmed,
  home: string,
): Promise<{ answer?: 'yes' | 'no'; problem?: string }> {
  try {
    const bytes = await readShared(trustedFile(home));
    const entry = bytes === undefined ? {} : entryOf(parse(bytes), folder);
    if (entry.sha256 === sha256) return { answer: 'yes' };
    return entry.declined === sha256 ? { answer: 'no' } : {};
  } catch (error) {
    const unreadable = `cannot be read: ${systemFault(error)}. Make it readable, or remove it.`;
    return { problem: error instanceof SyntaxError ? BROKEN : unreadable };
  }
}

/**
 * Keeps the user's yes, in place of an earlier one for this folder: of two contents the older one may be what somebody took back
 * for a reason. Throws for the person when the file cannot be changed; it is then as it was.
 */
export function confirm({ folder, sha256 }: Unconfirmed, home: string, now = new Date()): Promise<void> {
  return keep(folder, home, () => ({ sha256, at: now.toISOString() }));
}

/** Keeps the user's no, beside an earlier yes to something else. Throws as {@link confirm} does. */
export function decline({ folder, sha256 }: Unconfirmed, home: string): Promise<void> {
  return keep(folder, home, (before) => ({ ...before, declined: sha256 }));
}

async function keep(folder: string, home: string, entry: (before: Entry) => Entry): Promise<void> {
  const file = trustedFile(home);
  const change = (before: Buffer | undefined) => {
    let answers: Answers = {};
    try {
      if (before !== undefined) answers = parse(before);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new SharedFileError(`${file} ${BROKEN}`);
    }
    const all = { ...answers, [folder]: entry(entryOf(answers, folder)) };
    return Buffer.from(`${JSON.stringify(all, null, 2)}\n`);
  };
  await changeShared(file, change).catch((error: unknown) => {
    if (error instanceof ForThePerson) throw error;
    throw new SharedFileError(`${file} could not be written: ${systemFault(error)}.`, { cause: error });
  });
}

/** Anything else that stands there is no answer. */
function entryOf(answers: Answers, folder: string): Entry {
  const found = Object.hasOwn(answers, folder) ? answers[folder] : undefined;
  return typeof found === 'object' && found !== null ? found : {};
}

/** Throws SyntaxError when it is no JSON object. */
function parse(bytes: Buffer): Answers {
  const value: unknown = JSON.parse(decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no object');
  return value as Answers;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SyntaxError('no UTF-8');
  }
}
