/** The question before something is destroyed. */
import type { Confirmation } from '../commands/command.ts';
import { askLine, atTerminal } from './lineQuestion.ts';
import { UsageError } from './usage.ts';
import { plainLines } from './visible.ts';

/** `yes`: a flag has answered. Throws UsageError when there is nobody to ask. */
export async function confirmed({ question, detail }: Confirmation, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!atTerminal())
    throw new UsageError(`${question} There is no terminal to ask in, so nothing was done. --yes answers with yes.`);
  const answer = await askLine({
    above: `${plainLines(question)}\n${plainLines(detail)}\n`,
    prompt: 'Really? (y = yes, n = no) [n] ',
  });
  return /^(y|yes)$/i.test(answer?.trim() ?? '');
}
