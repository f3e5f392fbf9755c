/** What is worth a word in a configuration that is in force, for the person whose it is: it refuses nothing. */
import type { ConfigProblem, LoadedConfig } from '../config/load.ts';
import { ruleHints } from '../permissions/hints.ts';

/** More would not be read; the others come when these are mended. */
const MOST = 10;

/** `workspace` is the absolute real path of the folder that the configuration is for. */
export async function configHints({ sections = [] }: LoadedConfig, workspace: string): Promise<ConfigProblem[]> {
  const found = await Promise.all(
    sections.map(async ({ layer, rules, at }) =>
      (await ruleHints(layer, rules, workspace)).map(({ place, message }) => ({ ...at(place), message })),
    ),
  );
  return found.flat().slice(0, MOST);
}
