/** What holds for the next turn: the model and the mode in force, by the log and the configuration, and what follows from them. */
import { waysToConfirm } from '../config/consentText.ts';
import { describeProblem, type LoadedConfig } from '../config/load.ts';
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
  const { config, problems } = loaded;
  if (problems.length > 0) throw new Refusal(problems.map(describeProblem).join('\n'), 'configuration');
  const selector = modelInForce(session, config);
  const fault = selectorFault(selector, known, loaded);
  if (fault === undefined) return selector;
  const whose = isRecorded(session) ? `This session uses the model ${JSON.stringify(selector)}. ` : '';
  throw new Refusal(`${whose}${fault}`, 'configuration');
}

/**
 * The selector (`<provider>/<model>`) in force: the session's own, whether or not it can be used now. Another in its place would get
 * the prompts without anybody's word. Without a session: what a new one begins with.
 */
export function modelInForce(session: Session | undefined, config: Config): string {
  return (session === undefined ? undefined : modelOf(session)) ?? config.model ?? DEFAULT_MODEL;
}

function isRecorded(session: Session | undefined): boolean {
  return session !== undefined && modelOf(session) !== undefined;
}

/** That the session's mode is none any more, and which one it goes on in (R9); undefined when it still is one. */
export function goneMode(session: Session, config: Config): string | undefined {
  const recorded = modeOf(session);
  if (recorded === undefined || findMode(recorded) !== undefined) return undefined;
  const { name } = modeInForce(session, config);
  return `There is no mode ${JSON.stringify(recorded)} any more, in which this session was; it goes on in the mode ${name}. Another is chosen with /mode.`;
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

/** What of a configuration says why a provider is not there. */
type Withheld = Pick<LoadedConfig, 'unconfirmed' | 'restricted'>;

/** Throws {@link Refusal} unless `selector` is `<provider>/<model>` with one of the `known` providers. */
export function checkSelector(selector: string, known: readonly string[], withheld: Withheld): void {
  const fault = selectorFault(selector, known, withheld);
  if (fault !== undefined) throw new Refusal(fault, SELECTOR.test(selector) ? 'configuration' : undefined);
}

/** Why the model cannot be used now, and how to go on; undefined when it can. */
export function selectorFault(
  selector: string,
  known: readonly string[],
  { unconfirmed, restricted }: Withheld,
): string | undefined {
  const provider = providerOf(selector);
  const providers = `the providers are: ${known.join(', ')}.${didYouMean(provider, known)}`;
  if (!SELECTOR.test(selector))
    return `${JSON.stringify(selector)} is no model. Write <provider>/<model>; ${providers}`;
  if (known.includes(provider)) return undefined;
  if (unconfirmed?.providers.some(({ name }) => name === provider) === true)
    return (
      `The provider ${JSON.stringify(provider)} is one that ${unconfirmed.file} brings, and is not used until you confirm it. ` +
      `${waysToConfirm(unconfirmed)} Or choose another model.`
    );
  const trust =
    restricted === true ? ' In a folder that is not trusted, the providers of its own file do not count.' : '';
  return (
    `There is no provider ${JSON.stringify(provider)}; ${providers}${trust} ` +
    'Others go under providers in the configuration. Or choose another model.'
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
