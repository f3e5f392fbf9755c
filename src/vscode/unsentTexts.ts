/**
 * The host's copy of what the page holds and the log does not: drafts, and prompts on their way (T9). What VS Code keeps for a
 * page reaches its store some seconds late, and a reload would lose what was typed in them. One key for each session, so that
 * two windows on one folder do not overwrite each other's drafts.
 */
import { createHash } from 'node:crypto';

import { z } from 'zod';

import { unsent, type Unsent } from '../protocol/messages.ts';
import type { Memory } from './memory.ts';

const KEY = 'unsent-';
/** Sessions in which nothing is unsent, of which a page may still have an older draft. */
const EMPTY_KEPT = 50;

const stored = z.object({ session: z.string(), unsent });
type Stored = z.infer<typeof stored>;

export class UnsentTexts {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** By session; '' is the new one. What cannot be read counts as forgotten. */
  all(): Record<string, Unsent> {
    return Object.fromEntries(this.#stored().map((entry) => [entry.session, entry.unsent]));
  }

  /** Settles when a reload cannot lose it. A copy that is older than the one that is here is passed over. */
  async keep(session: string, unsent: Unsent): Promise<void> {
    const key = keyOf(session);
    const before = stored.safeParse(this.#memory.get(key));
    if (before.success && before.data.unsent.at > unsent.at) return;
    await this.#memory.update(key, { session, unsent } satisfies Stored);
    if (isEmpty(unsent)) await this.#prune();
  }

  async #prune(): Promise<void> {
    const empty = this.#stored().filter((entry) => isEmpty(entry.unsent));
    const old = empty.sort((a, b) => b.unsent.at - a.unsent.at).slice(EMPTY_KEPT);
    await Promise.all(old.map(({ session }) => this.#memory.update(keyOf(session), undefined)));
  }

  #stored(): Stored[] {
    const keys = this.#memory.keys().filter((key) => key.startsWith(KEY));
    return keys.flatMap((key) => {
      const { data } = stored.safeParse(this.#memory.get(key));
      return data === undefined ? [] : [data];
    });
  }
}

function isEmpty({ draft, sends }: Unsent): boolean {
  return draft === '' && sends.length === 0;
}

/** A key is a file name, and a session's name may be as long as those are. */
function keyOf(session: string): string {
  return KEY + createHash('sha256').update(session).digest('hex').slice(0, 32);
}
