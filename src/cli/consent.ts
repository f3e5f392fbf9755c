/** The question at the terminal whether what the project's configuration brings may count (P2, P5); no flag answers it. */
import { configHints } from '../agent/configHints.ts';
import { confirm, decline } from '../config/trusted.ts';
import { consentLines, consentSummary, waysToConfirm } from '../config/consentText.ts';
import { describeProblem, polyglavHome, userConfigFile, type LoadedConfig } from '../config/load.ts';
import { loadConfiguration } from './engine.ts';
import { atTerminal } from './lineQuestion.ts';
import { askBelow } from './longQuestion.ts';
import { plainLine } from './visible.ts';

/**
 * The configuration for a prompt, after the person was asked what of it may count; undefined when they pressed Ctrl+C instead. Without
 * a terminal, and after an earlier no, it is said on standard error what does not count.
 */
export async function confirmedConfiguration(workspace: string): Promise<LoadedConfig | undefined> {
  const loaded = await loadConfiguration(workspace);
  for (const hint of await configHints(loaded, workspace))
    process.stderr.write(`Hint: ${plainLine(describeProblem(hint), 4096)}\n`);
  const { unconfirmed } = loaded;
  if (unconfirmed === undefined) return loaded;
  const home = polyglavHome(process.env);
  const file = plainLine(unconfirmed.file, 4096);
  const declined = unconfirmed.declined_in !== undefined;
  if (declined || !atTerminal()) {
    const why = declined ? 'you said no to it' : 'you have not confirmed it';
    const what = plainLine(consentSummary(unconfirmed), 4096);
    const how = `${plainLine(waysToConfirm(unconfirmed), 4096)} Or write what you want of it into ${userConfigFile(home)}.`;
    process.stderr.write(`Not used, because ${why}: ${what} of ${file}. ${how}\n`);
    return loaded;
  }
  const cancelled = new AbortController();
  const answer = await askBelow([`${file} brings what is used only with your yes:`, ...consentLines(unconfirmed)], {
    prompt: 'Use it, until it changes? (y = yes, n = no, Enter = ask again next time) ',
    onInterrupt: () => cancelled.abort(),
  });
  if (cancelled.signal.aborted) return undefined;
  const word = answer?.trim() ?? '';
  if (/^(n|no)$/i.test(word)) await decline(unconfirmed, home);
  if (!/^(y|yes)$/i.test(word)) return loaded;
  await confirm(unconfirmed, home);
  return loadConfiguration(workspace);
}
