/** The journals of one session, as its owner lets one follow the other. */
import { rm } from 'node:fs/promises';

import { syncFolder } from './disk.ts';
import { Journal, journalPath, listJournals, type Front } from './journal.ts';
import { journalFolder, type Place } from './source.ts';

/** More journals than an owner ever makes. */
const PER_OWNER = 1_000_000;

export class JournalSeries {
  readonly #folder: string;
  readonly #name: string;
  /** Of the journal made last. */
  #number: number;

  /**
   * `owner`: the number of its lock. Each has its own numbers, higher than those of the owners before it: one that wakes up when
   * its session was taken over neither outranks a journal of the new owner nor removes it.
   */
  constructor({ dir, name }: Place, owner: number) {
    this.#folder = journalFolder(dir);
    this.#name = name;
    this.#number = (owner - 1) * PER_OWNER;
  }

  /**
   * A new journal, durable. When it cannot be made nothing of it is left; where not even that is sure, `old` is marked as failed:
   * a reader takes the newest whole journal, so later entries in the old one would be lost.
   */
  async next(front: Front, base: Buffer, old: Journal | undefined): Promise<Journal> {
    const number = ++this.#number;
    try {
      const journal = await Journal.create(this.#folder, this.#name, number, front, base);
      try {
        await syncFolder(this.#folder);
      } catch (error) {
        await journal.close().catch(() => undefined);
        throw error;
      }
      return journal;
    } catch (error) {
      // Something stands under that name which is not ours: the next is as good.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return this.next(front, base, old);
      await rm(journalPath(this.#folder, this.#name, number), { force: true })
        .then(() => syncFolder(this.#folder))
        .catch(() => {
          if (old !== undefined) old.failed = true;
        });
      throw error;
    }
  }

  /** One that came too late: the session has another owner by now. */
  async drop(journal: Journal): Promise<void> {
    await journal.close().catch(() => undefined);
    await rm(journal.path, { force: true });
  }

  /** All but the newest. */
  async removeOlder(): Promise<void> {
    await this.#remove((number) => number < this.#number);
  }

  async removeAll(): Promise<void> {
    await this.#remove((number) => number <= this.#number);
  }

  async #remove(which: (number: number) => boolean): Promise<void> {
    // Oldest first: cut off in between, the newest is still the one that counts.
    for (const { path, number } of (await listJournals(this.#folder, this.#name)).toReversed())
      if (which(number)) await rm(path, { force: true });
  }
}
