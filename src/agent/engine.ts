/**
 * The engine owns the live runs of one workspace folder and knows nothing of the place it runs in: the extension host, the
 * command line and the tests hand it the same parts.
 */
import { nanoid } from 'nanoid';

import type { LoadedConfig } from '../config/load.ts';
import { providerNames, secretEnvNames, type Config } from '../config/schema.ts';
import { SessionGrants } from '../permissions/grants.ts';
import { ProviderError } from '../providers/provider.ts';
import { isKind, timestampOf, type Session } from '../session/schema.ts';
import type { SessionStore } from '../session/store.ts';
import { SessionShell } from '../tools/sessionShell.ts';
import { withTimeLimit } from '../tools/withTimeLimit.ts';
import type { EngineOptions, EngineParts } from './parts.ts';
import { goneMode, usableModel } from './plan.ts';
import { Refusal } from './refusal.ts';
import { folderNote, resumption } from './resume.ts';
import { Run } from './run.ts';
import { secretsOf } from './secrets.ts';

const MAX_ROUNDS = 1000;
/** An endpoint that lists its models slower than this is left out of the list. */
const MODELS_TIMEOUT_MS = 4000;

export class Engine {
  readonly store: SessionStore;
  readonly #parts: EngineParts;
  readonly #runs = new Map<string, Promise<Run>>();
  readonly #live = new Map<string, Run>();
  /** Being made or opened. */
  readonly #coming = new Set<Promise<Run>>();
  /** Being given back: who opens one again waits for that. */
  readonly #closing = new Map<string, Promise<void>>();
  /** What was allowed for a session, for as long as the engine lives: also when it was given back meanwhile. */
  readonly #grants = new Map<string, SessionGrants>();
  /** Likewise, as its commands left it. */
  readonly #shells = new Map<string, SessionShell>();
  /** Names of the sessions that were ever live here, in the order of opening: `#1` is the first. */
  readonly #opened: string[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(options: EngineOptions) {
    this.store = options.store;
    this.#parts = {
      ...options,
      max_rounds: options.max_rounds ?? MAX_ROUNDS,
      now: options.now ?? (() => new Date()),
      newId: () => nanoid(),
      secrets: (config) => secretsOf(secretEnvNames(config), options.env, config.header_secrets, namesOf(config)),
    };
  }

  runs(): Run[] {
    return [...this.#live.values()];
  }

  /** The name of the session that was the `number`th to be opened here; undefined when there were not so many. */
  numbered(number: number): string | undefined {
    return this.#opened[number - 1];
  }

  /** The number, from 1, by which a run is known as `#<number>`. */
  numberOf({ name }: Run): number {
    return this.#opened.indexOf(name) + 1;
  }

  config(): Promise<LoadedConfig> {
    return this.#parts.loadConfig();
  }

  /** Throws {@link Refusal} when no prompt could be sent to the session; undefined: to a new one. */
  async assertReady(session?: Session): Promise<void> {
    const loaded = await this.#parts.loadConfig();
    usableModel(session, loaded, this.#parts.providers(loaded.config).names());
  }

  /** Makes a session with its file. Throws SessionError when the name is refused or taken. */
  create(name?: string): Promise<Run> {
    return this.#awaited(this.#create(name));
  }

  async #create(name: string | undefined): Promise<Run> {
    const notices: string[] = [];
    const file = await this.store.create({ name }, (notice) => notices.push(notice));
    // A session of that name that was deleted leaves it nothing.
    this.#grants.delete(file.session.session_name);
    this.#shells.delete(file.session.session_name);
    const run = new Run(file, this.#parts, { notices, ...this.#keptOf(file.session) });
    this.#runs.set(run.name, Promise.resolve(run));
    return this.#adopt(run);
  }

  /** Opens a session to be continued: a turn that was left running is closed first (R9). Throws SessionError. */
  open(name: string): Promise<Run> {
    const known = this.#runs.get(name);
    if (known !== undefined) return known;
    const opening = this.#awaited(Promise.resolve(this.#closing.get(name)).then(() => this.#open(name)));
    this.#runs.set(name, opening);
    opening.catch(() => {
      // One of that name may have been made meanwhile.
      if (this.#runs.get(name) === opening) this.#runs.delete(name);
    });
    return opening;
  }

  /**
   * Gives a session back that is open here, if it is. Throws Refusal while it works; SessionError when it could not be put in
   * order, and is closed all the same: what must not be lost is saved before.
   */
  async release(name: string): Promise<void> {
    // Of a live one at once: nobody must come to work with it between a look at it and its end.
    const run = this.#live.get(name) ?? (await this.#runs.get(name));
    if (run === undefined) return this.#closing.get(name);
    if (run.state !== 'idle') throw new Refusal(`A turn runs in the session ${JSON.stringify(name)}. Stop it first.`);
    this.#runs.delete(name);
    this.#live.delete(name);
    const closing = run.close();
    const closed = closing.catch(() => undefined).finally(() => this.#closing.delete(name));
    this.#closing.set(name, closed);
    await closing;
    this.#changed();
  }

  /** `<provider>/<model>` for each model that the providers list; an endpoint that does not answer is named in `problems`. */
  async models(signal: AbortSignal): Promise<{ selectors: string[]; problems: string[] }> {
    const { config } = await this.#parts.loadConfig();
    const providers = this.#parts.providers(config);
    const problems: string[] = [];
    const listedBy = async (name: string, limit: AbortSignal) => {
      try {
        return (await providers.get(name).models(limit)).map((model) => `${name}/${model}`);
      } catch (error) {
        problems.push(`${name}: ${error instanceof ProviderError ? error.message : 'did not answer in time'}`);
        return [];
      }
    };
    const listed = await withTimeLimit(MODELS_TIMEOUT_MS, signal, (limit) =>
      Promise.all(providers.names().map((name) => listedBy(name, limit))),
    );
    const configured = [...(config.model === undefined ? [] : [config.model]), ...Object.keys(config.models)];
    return { selectors: [...new Set([...configured, ...listed.flat()])], problems };
  }

  /** Calls `listener` when a run was added or a run's state changed. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops every turn and writes everything. */
  async close(): Promise<void> {
    await this.#end((run) => run.close());
  }

  /** Ends all work, to be taken up by another engine as after a crash (R9). */
  async suspend(): Promise<void> {
    await this.#end((run) => run.suspend());
  }

  /** What is only being made or opened has its end as soon as it is there. */
  async #end(end: (run: Run) => Promise<void>): Promise<void> {
    const live = this.runs();
    const coming = [...this.#coming].map(async (each) => {
      const run = await each.catch(() => undefined);
      if (run !== undefined && !live.includes(run)) await end(run);
    });
    await allEnded([...live.map(end), ...coming, ...this.#closing.values()]);
  }

  #awaited(coming: Promise<Run>): Promise<Run> {
    const gone = () => this.#coming.delete(coming);
    this.#coming.add(coming);
    coming.then(gone, gone);
    return coming;
  }

  async #open(name: string): Promise<Run> {
    const { file, notices } = await this.store.open(name);
    try {
      const { events, interrupted } = resumption(file.session, timestampOf(this.#parts.now()));
      await Promise.all(events.map((event) => file.append(event)));
      const note = await folderNote(file.session, this.store.workspace);
      const gone = goneMode(file.session, (await this.#parts.loadConfig()).config);
      const told = gone === undefined ? notices : [...notices, gone];
      return this.#adopt(
        new Run(file, this.#parts, { interrupted, notices: told, note, ...this.#keptOf(file.session) }),
      );
    } catch (error) {
      // Nobody has it then, so nobody may hold it. What could not be written is found anew by whoever opens it next.
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  #keptOf(session: Session): { grants: SessionGrants; shell: SessionShell } {
    const name = session.session_name;
    const grants = this.#grants.get(name) ?? new SessionGrants();
    const shell =
      this.#shells.get(name) ?? new SessionShell(this.store.workspace, ranCommands(session) ? [NEW_SHELL] : []);
    this.#grants.set(name, grants);
    this.#shells.set(name, shell);
    return { grants, shell };
  }

  #adopt(run: Run): Run {
    this.#live.set(run.name, run);
    if (!this.#opened.includes(run.name)) this.#opened.push(run.name);
    run.subscribe((event) => {
      if (event.type === 'state') this.#changed();
    });
    this.#changed();
    return run;
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const NEW_SHELL = '[The shell is new: this ran in the workspace folder, without what was exported before.]';

function ranCommands({ turns }: Session): boolean {
  return turns.some(({ parts }) => parts.some((part) => isKind(part, 'tool') && part.name === 'run_command'));
}

/** What a configuration calls its providers and models. */
function namesOf(config: Config): string[] {
  return [
    ...providerNames(config),
    ...Object.keys(config.models),
    ...(config.model === undefined ? [] : [config.model]),
  ];
}

/** Settles when all have settled, then throws the first reason: one that fails must not leave the others at work. */
async function allEnded(work: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
