/** What the panel shows around the turns. */
import { configHints } from '../agent/configHints.ts';
import { DEFAULT_MODE } from '../agent/modes.ts';
import { modeInForce, modelInForce, selectorFault } from '../agent/plan.ts';
import { commands } from '../commands/registry.ts';
import type { ConfigProblem } from '../config/load.ts';
import { providerNames } from '../config/schema.ts';
import type { PanelState, Problem } from '../protocol/messages.ts';
import { DEFAULT_MODEL } from '../providers/registry.ts';
import { describeHolder } from '../session/lock.ts';
import type { Session } from '../session/schema.ts';
import { labelOf, titleOf } from '../session/state.ts';
import { shorten } from '../text/codePoints.ts';
import type { Desk } from './desk.ts';
import { pendingAsks } from './pendingAsks.ts';
import { shownPath } from './shownPath.ts';

/** The question itself shows all of it. */
const MAX_REASON = 500;

/** What takes reading files to know; the rest is read from the run at the moment it is sent. */
export interface Facts {
  model: string;
  model_fault: string | undefined;
  mode: string;
  problems: Problem[];
  withheld: PanelState['withheld'];
}

export async function readFacts({ engine, active, workspace }: Desk): Promise<Facts> {
  const loaded = await engine.config();
  const { config, problems, unconfirmed, restricted } = loaded;
  const hints = await configHints(loaded, workspace);
  const session = shownSession(active);
  const model = modelInForce(session, config);
  return {
    model,
    // Of a faulty configuration it is not known which providers there are, and the banner says so.
    model_fault: problems.length > 0 ? undefined : selectorFault(model, providerNames(config), loaded),
    mode: modeInForce(session, config).name,
    problems: [
      ...problems.map((problem) => problemIn(problem, workspace)),
      ...hints.map((hint): Problem => ({ ...problemIn(hint, workspace), hint: true })),
    ],
    withheld: restricted ? 'untrusted' : unconfirmed === undefined ? undefined : 'unconfirmed',
  };
}

export function panelState({ engine, active }: Desk, facts: Facts): PanelState {
  const { run } = active;
  return {
    folder: true,
    session: shownState(active),
    run: run?.state ?? 'idle',
    // What this session asks stands first.
    asks: pendingAsks(engine)
      .toSorted((one, other) => Number(one.name !== run?.name) - Number(other.name !== run?.name))
      .map(({ ask: { id, title, detail, reason, no_rule }, name, label }) => ({
        id,
        title,
        ...(name === run?.name ? {} : { session: label }),
        ...(detail === undefined ? {} : { detail }),
        ...(reason === undefined ? {} : { reason: shorten(reason.replaceAll('\n', '; '), MAX_REASON) }),
        ...(no_rule === undefined ? {} : { no_rule }),
      })),
    queue: run === undefined ? [] : [...run.queue],
    model: facts.model,
    ...(facts.model_fault === undefined ? {} : { model_fault: facts.model_fault }),
    demo: facts.model.startsWith('demo/'),
    mode: facts.mode,
    commands: commands.map(({ name, args, help }) => ({ name, args, help })),
    problems: [...(active.problem === undefined ? [] : [{ text: active.problem }]), ...facts.problems],
    ...(facts.withheld === undefined ? {} : { withheld: facts.withheld }),
  };
}

/** `Line 3: mode must be "build" or "plan", not "biuld".`, under the name of the file. */
function problemIn({ file, key, message, line }: ConfigProblem, workspace: string): Problem {
  const where = line === undefined ? '' : `Line ${line}${key === '' ? ' ' : ': '}`;
  const what = key === '' ? message : `${key} ${message}`;
  return { text: `${where}${what}`, file: { path: file, shown: shownPath(file, workspace) } };
}

/** The session that the panel shows, whoever writes it. */
export function shownSession({ run, followed }: Desk['active']): Session | undefined {
  return run?.session ?? followed?.session;
}

function shownState(active: Desk['active']): PanelState['session'] {
  const session = shownSession(active);
  if (session === undefined) return null;
  const shown = { name: session.session_name, title: labelOf(session.session_name, titleOf(session)) };
  const holder = active.run === undefined ? active.followed?.holder : undefined;
  return holder === undefined ? shown : { ...shown, held_by: describeHolder(holder) };
}

/** Without a folder, or before one of several is picked. */
export function emptyPanelState(problems: Problem[]): PanelState {
  return {
    folder: false,
    session: null,
    run: 'idle',
    asks: [],
    queue: [],
    model: DEFAULT_MODEL,
    demo: true,
    mode: DEFAULT_MODE,
    commands: [],
    problems,
  };
}
