/** What the rules say of a path that a command line may change, though it does not say so. */
import type { Judgement, Rules } from './rules.ts';
import { SHELL_LINE } from './shipped.ts';
import type { PathSubject } from './subjects.ts';

/** The tools whose rules hold files back from being changed by whatever changes them. */
export const WRITING = ['file_write', 'file_edit'];

/** A word may be what the command writes to, as in `cp a b`. */
export function mayChange(subject: PathSubject, rules: Rules): Judgement[] {
  return WRITING.flatMap((tool) => rules.holding(tool, (rule) => subject.matches(rule))).map(({ by, action }) => ({
    action: 'ask',
    by: SHELL_LINE,
    ask_reason: `may change ${subject.shown}, for which there is the rule ${by}`,
    ...(action === 'deny' ? { only_once: true } : {}),
  }));
}
