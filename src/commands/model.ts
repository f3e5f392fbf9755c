/** `/model [selector]`: show the models, or switch. */
import { checkSelector, modelInForce, providerOf, selectorFault } from '../agent/plan.ts';
import type { LoadedConfig } from '../config/load.ts';
import { providerNames } from '../config/schema.ts';
import { code } from '../transcript/blocks.ts';
import { CommandError, type Command, type CommandContext } from './command.ts';

export const model: Command = {
  name: 'model',
  args: '[model]',
  help: 'Show the models, or switch to one: <provider>/<model>, or a model of the same provider by its name alone.',
  async complete({ engine }, typed) {
    const { selectors } = await engine.models(new AbortController().signal);
    return selectors.filter((selector) => selector.startsWith(typed));
  },
  async run(context, args) {
    if (args === '') return { text: await list(context) };
    // Checked before a session is made for it, so that a wrong word leaves nothing behind.
    const loaded = await context.engine.config();
    const selector = checkedSelector(args, loaded, (await context.run?.model()) ?? loaded.config.model);
    const run = await context.ensureRun();
    await run.setModel(selector);
    return { text: `Model: ${code(selector)}.` };
  },
};

async function list({ engine, run }: CommandContext): Promise<string> {
  const { selectors, problems } = await engine.models(new AbortController().signal);
  const loaded = await engine.config();
  const current = modelInForce(run?.session, loaded.config);
  const fault = selectorFault(current, providerNames(loaded.config), loaded);
  const mark = fault === undefined ? ' (current)' : ` (current, cannot be used now): ${code(fault)}`;
  const lines = [...new Set([current, ...selectors])].map(
    (selector) => `- ${code(selector)}${selector === current ? mark : ''}`,
  );
  return [...lines, ...problems.map((problem) => `- not listed: ${code(problem)}`)].join('\n');
}

/** `word` as `<provider>/<model>`; a bare model name keeps the provider of `current`. Throws for what is none. */
export function checkedSelector(word: string, loaded: LoadedConfig, current: string | undefined): string {
  const known = providerNames(loaded.config);
  if (known.includes(word))
    throw new CommandError(
      `${JSON.stringify(word)} is the name of a provider. Write <provider>/<model>, such as "demo/demo".`,
    );
  const selector = word.includes('/') || current === undefined ? word : `${providerOf(current)}/${word}`;
  checkSelector(selector, known, loaded);
  return selector;
}
