/** What the rules say of a command that reads all that is in a folder, as `grep -r` does: what a search would hold back asks (F13). */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { matchesGlob } from '../text/glob.ts';
import { isInside } from './paths.ts';
import { READING } from './reading.ts';
import type { Judgement, Rules } from './rules.ts';
import type { WholeFolder } from './shell/readLine.ts';
import { outsideOf, secretOf, SHELL_LINE } from './shipped.ts';
import { PathSubject } from './subjects.ts';

interface Place {
  tool: string;
  workspace: string;
  rules: Rules;
}

/** In all folders that a line reads. */
const MOST_ENTRIES = 5000;

/** One reason is enough. Links are followed where the command does; what is outside is asked anyway. */
export async function judgeWholes(wholes: readonly WholeFolder[], place: Place): Promise<Judgement[]> {
  let left = MOST_ENTRIES;
  for (const whole of wholes) {
    const folders = [{ folder: whole.real, taken: whole.names.length === 0 }];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      const { folder } = at;
      if (new PathSubject(place.workspace, folder).isOutside) continue;
      const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
      left -= entries.length;
      if (left < 0)
        return [{ action: 'ask', by: SHELL_LINE, ask_reason: 'it reads more files than can be looked through' }];
      for (const entry of entries) {
        if (!whole.hidden && entry.name.startsWith('.')) continue;
        const real = path.join(folder, entry.name);
        // A folder of such a name is taken with all that is in it.
        const taken = at.taken || whole.names.some((glob) => matchesGlob(glob, entry.name, { slash: true }));
        if (entry.isDirectory()) {
          // What Git packs is no text, and a lot.
          if (!real.endsWith(`${path.sep}.git${path.sep}objects`)) folders.push({ folder: real, taken });
        } else if (taken) {
          const [held] = entry.isSymbolicLink()
            ? await judgeLink(real, whole, place)
            : entry.isFile()
              ? heldBack(new PathSubject(place.workspace, real), place)
              : [];
          if (held !== undefined) return [held];
        }
      }
    }
  }
  return [];
}

async function judgeLink(link: string, { links, real: folder }: WholeFolder, place: Place): Promise<Judgement[]> {
  const real = links === undefined ? undefined : await fs.realpath(link).catch(() => undefined);
  if (real === undefined) return [];
  if (links === 'all' && !isInside(folder, real)) {
    const { shown } = new PathSubject(place.workspace, link);
    return [{ action: 'ask', by: SHELL_LINE, ask_reason: `it may go through a link that leads on, ${shown}` }];
  }
  if ((await fs.stat(real).catch(() => undefined))?.isDirectory() !== false) return [];
  const subject = new PathSubject(place.workspace, real);
  return [...outsideOf(subject), ...heldBack(subject, place)];
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
