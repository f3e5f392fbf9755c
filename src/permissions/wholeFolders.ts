/** What the rules say of a command that reads all that is in a folder, as `grep -r` does: what a search would hold back asks (F13). */
import { promises as fs, type Dirent } from 'node:fs';
import path from 'node:path';

import { matchesGlob } from '../text/glob.ts';
import { READING } from './reading.ts';
import type { Judgement, Rules } from './rules.ts';
import type { WholeFolder } from './shell/readLine.ts';
import { secretOf, SHELL_LINE } from './shipped.ts';
import { PathSubject } from './subjects.ts';

interface Place {
  tool: string;
  workspace: string;
  rules: Rules;
}

/** In all folders that a line reads. */
const MOST_ENTRIES = 5000;

/** One reason is enough. Links are not followed; what is outside is asked anyway. */
export async function judgeWholes(wholes: readonly WholeFolder[], place: Place): Promise<Judgement[]> {
  let left = MOST_ENTRIES;
  for (const whole of wholes) {
    const folders = [whole.real];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (new PathSubject(place.workspace, folder).isOutside) continue;
      const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
      left -= entries.length;
      if (left < 0)
        return [{ action: 'ask', by: SHELL_LINE, ask_reason: 'it reads more files than can be looked through' }];
      for (const entry of entries) {
        if (!whole.hidden && entry.name.startsWith('.')) continue;
        const real = path.join(folder, entry.name);
        if (entry.isDirectory()) {
          // What Git packs is no text, and a lot.
          if (!real.endsWith(`${path.sep}.git${path.sep}objects`)) folders.push(real);
        } else if (isRead(entry, whole)) {
          const [held] = heldBack(new PathSubject(place.workspace, real), place);
          if (held !== undefined) return [held];
        }
      }
    }
  }
  return [];
}

function isRead(entry: Dirent, { names }: WholeFolder): boolean {
  return entry.isFile() && (names.length === 0 || names.some((glob) => matchesGlob(glob, entry.name, { slash: true })));
}

/** A line that would be denied if it named the file asks: the command may leave it out, by an option that is not known here. */
function heldBack(subject: PathSubject, { tool, rules }: Place): Judgement[] {
  const held = [tool, READING].flatMap((each) => rules.holding(each, (rule) => subject.matches(rule)));
  return [
    ...secretOf(subject, { tool, rules }).map(({ by, ask_reason = '' }): Judgement => ({
      action: 'ask',
      by,
      ask_reason,
    })),
    ...held.map(({ by }): Judgement => ({
      action: 'ask',
      by: SHELL_LINE,
      ask_reason: `reads ${subject.shown}, for which there is the rule ${by}`,
    })),
  ];
}
