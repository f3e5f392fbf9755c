/** What holds for the next turn: the model and the mode in force, by the log and the configuration, and what follows from them. */
import { waysToConfirm } from '../config/consentText.ts';
import { describeProblem, type LoadedConfig, type Unconfirmed } from '../config/load.ts';
import { didYouMean } from '../text/nearest.ts';
import { SELECTOR, type Config } from '../config/schema.ts';
import { effectiveLimit, outputLimitChars } from '../context/budget.ts';
import type { PermissionConfig } from '../permissions/policy.ts';
import { DEFAULT_MODEL } from '../providers/registry.ts';
import type { Session } from '../session/schema.ts';
import { firstModeOf, modelOf, modeOf } from '../session/state.ts';
import { freshRules } from './freshRules.ts';
import { DEFAULT_MODE, findMode, modeNames, type Mode } from './modes.ts';
import type { EngineParts } from './parts.ts';
import { Refusal } from './refusal.ts';
import { systemPrompt } from './systemPrompt.ts';
import type { TurnPlan } from './turn.ts';

export interface RunPlan extends TurnPlan {
  /** Of the moment at which it is called. */
  permissions(): Promise<PermissionConfig>;
  /** The workspace is not trusted: no rule allows anything, so none is offered to be written. */
  restricted: boolean;
  /** Most characters (code points) of one tool output. */
  max_output_chars: number;
}

/** Checks all that can be checked before anything is written. Throws {@link Refusal}. */
export async function planOf(session: Session, parts: EngineParts): Promise<RunPlan> {
  const loaded = await parts.loadConfig();
  const { config } = loaded;
  const providers = parts.providers(config);
  const selector = usableModel(session, loaded, providers.names());
  const mode = modeInForce(session, config);
  const entry = config.models[selector];
  return {
    provider: providers.get(providerOf(selector)),
    model: selector.slice(providerOf(selector).length + 1),
    mode,
    tools: mode.tools(parts.tools),
    reasoning: entry?.reasoning ?? config.reasoning,
    max_output_tokens: entry?.max_output_tokens,
    system_prompt: systemPrompt(parts.store.workspace, config.system_prompt),
    max_rounds: parts.max_rounds,
    secrets: parts.secrets(config),
    restricted: loaded.restricted === true,
    permissions: freshRules(() => parts.loadConfig(), config.permissions),
    max_output_chars: outputLimitChars(effectiveLimit(entry ?? {})),
  };
}

/**
 * The selector in force, of one of the `known` providers; `session` undefined: for a new one. Throws {@link Refusal} where no prompt
 * can be sent.
 */
export function usableModel(session: Session | undefined, loaded: LoadedConfig, known: readonly string[]): string {
  const { config, problems, unconfirmed } = loaded;
  if (problems.length > 0) throw new Refusal(problems.map(describeProblem).join('\n'), 'configuration');
  const selector = modelInForce(session, config, known);
  checkSelector(selector, known, unconfirmed);
  return selector;
}

/**
 * The selector (`<provider>/<model>`) in force. A recorded one counts only if its provider is among the `known` ones (R15).
 * Without a session: what a new one begins with.
 */
export function modelInForce(session: Session | undefined, config: Config, known: readonly string[]): string {
  const recorded = session === undefined ? undefined : modelOf(session);
  if (recorded !== undefined && known.includes(providerOf(recorded))) return recorded;
  return config.model ?? DEFAULT_MODEL;
}

/** The mode in force; without a session, what a new one begins with. */
export function modeInForce(session: Session | undefined, config: Config): Mode {
  const recorded = session === undefined ? [] : [modeOf(session), firstModeOf(session)];
  for (const name of [...recorded, config.mode]) {
    const mode = name === undefined ? undefined : findMode(name);
    if (mode !== undefined) return mode;
  }
  return checkMode(DEFAULT_MODE);
}

/**
 * Throws {@link Refusal} unless `selector` is `<provider>/<model>` with one of the `known` providers. `unconfirmed`: what would be
 * known after the user's yes.
 */
export function checkSelector(selector: string, known: readonly string[], unconfirmed?: Unconfirmed): void {
  const provider = providerOf(selector);
  const providers = `the providers are: ${known.join(', ')}.${didYouMean(provider, known)}`;
  if (!SELECTOR.test(selector))
    throw new Refusal(`${JSON.stringify(selector)} is no model. Write <provider>/<model>; ${providers}`);
  if (known.includes(provider)) return;
  if (unconfirmed?.providers.some(({ name }) => name === provider) === true)
    throw new Refusal(
      `The provider ${JSON.stringify(provider)} is one that ${unconfirmed.file} brings, and is not used until you confirm it. ` +
        `${waysToConfirm(unconfirmed)} Or choose another model.`,
      'configuration',
    );
  throw new Refusal(
    `There is no provider ${JSON.stringify(provider)}; ${providers} Others go under providers in the configuration.`,
    'configuration',
  );
}

/** Throws {@link Refusal} when there is no such mode. */
export function checkMode(name: string): Mode {
  const mode = findMode(name);
  if (mode !== undefined) return mode;
  const names = modeNames();
  throw new Refusal(
    `There is no mode ${JSON.stringify(name)}. The modes are: ${names.join(', ')}.${didYouMean(name, names)}`,
  );
}

/** What stands before the first slash. */
export function providerOf(selector: string): string {
  return selector.split('/', 1)[0] ?? '';
}
