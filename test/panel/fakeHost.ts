/** The host as a test plays it: a session that grows by the real fold, and what is said about it. */
import type { HostMessage, PanelState, TurnPage, Unsent } from '../../src/protocol/messages.ts';
import type { PartFill, SessionEvent } from '../../src/session/events.ts';
import { reduce } from '../../src/session/reduce.ts';
import type { Part, PermissionEntry, Session, TurnStatus, Usage } from '../../src/session/schema.ts';
import type { Panel } from './panelPage.ts';
import { load } from './panelPage.ts';

const COMMANDS = [
  { name: 'help', args: '', help: 'List the commands' },
  { name: 'mode', args: '<name>', help: 'Change the mode' },
  { name: 'model', args: '<selector>', help: 'Change the model' },
  { name: 'session', args: '', help: 'Say which session this is' },
  { name: 'session load', args: '<name>', help: 'Load a session' },
  { name: 'session new', args: '[name]', help: 'Begin a new session' },
  { name: 'sessions', args: '', help: 'List the sessions' },
];

export class FakeHost {
  readonly panel: Panel;
  readonly session: Session;
  state: PanelState;
  /** Of the turns, so many are in a snapshot. */
  pageSize = 1000;
  /** Takes prompts by itself. */
  accepts = true;
  /** Its copy of what the page had not sent. */
  readonly unsent: Record<string, Unsent> = {};
  /** What it knows for the arguments of commands. */
  lines = ['/mode build', '/mode plan'];
  #epoch = 0;
  #seq = 0;
  /** Milliseconds since the epoch; time passes only when a test says so. */
  #now = Date.parse('2026-08-17T12:00:00.000Z');

  constructor(panel: Panel, state: Partial<PanelState> = {}) {
    this.panel = panel;
    this.session = {
      ...{ created_at: '', parent_id: '', role: '', session_id: 'a1b2c3', session_name: 'ses_20260817120000_a1b2c3' },
      ...{ version: '0.1.0', turns: [], errors: [], permissions: [], sub_sessions: [], updated_at: '' },
    };
    this.state = {
      folder: true,
      session: { name: this.session.session_name, title: 'Rename the greeting' },
      run: 'idle',
      asks: [],
      queue: [],
      model: 'ollama/llama3.2',
      demo: false,
      mode: 'build',
      commands: COMMANDS,
      problems: [],
      ...state,
    };
    panel.onMessage = async (message) => {
      if (message.type === 'complete')
        await panel.post({
          ...{ type: 'completions', text: message.text },
          lines: this.lines.filter((line) => line.startsWith(message.text)),
        });
      if (message.type === 'unsent') this.unsent[message.session] = message.unsent;
      if (message.type === 'ready') {
        await panel.post({ type: 'unsent', sessions: structuredClone(this.unsent) });
        await this.snapshot();
      }
      if (message.type === 'send' && this.accepts) await panel.post({ type: 'accepted', id: message.id });
      if (message.type === 'older' && message.epoch === String(this.#epoch))
        await panel.post({ type: 'older', epoch: message.epoch, page: this.page(message.before) });
    };
  }

  async open(): Promise<void> {
    await load(this.panel);
    await this.panel.page.locator('polyglav-panel > *').first().waitFor({ state: 'attached' });
    await this.panel.until(() => this.panel.sentOf('ready').length > 0, 'ready');
    await this.panel.page.locator('polyglav-composer, main.start').first().waitFor();
  }

  page(end = this.session.turns.length): TurnPage {
    const before = Math.max(0, end - this.pageSize);
    const { errors, permissions, turns } = this.session;
    return structuredClone({ turns: turns.slice(before, end), before, errors, permissions });
  }

  async snapshot(): Promise<void> {
    this.#epoch += 1;
    this.#seq = 1;
    const message: HostMessage = {
      type: 'snapshot',
      epoch: String(this.#epoch),
      seq: 1,
      state: this.state,
      page: this.page(),
    };
    await this.panel.post(message);
  }

  /** The message that an event makes; it has happened, whether or not it is posted. */
  event(event: SessionEvent): HostMessage {
    reduce(this.session, structuredClone(event));
    this.#seq += 1;
    return { type: 'event', epoch: String(this.#epoch), seq: this.#seq, event };
  }

  change(state: Partial<PanelState>): HostMessage {
    this.state = { ...this.state, ...state };
    this.#seq += 1;
    return { type: 'state', epoch: String(this.#epoch), seq: this.#seq, state: this.state };
  }

  output(part: number, piece: string): HostMessage {
    this.#seq += 1;
    return { type: 'output', epoch: String(this.#epoch), seq: this.#seq, part, piece };
  }

  /** Lets time pass and says what time it is. */
  at(ms = 0): string {
    this.#now += ms;
    return new Date(this.#now).toISOString().replace('Z', '+00:00');
  }

  start(prompt: string): HostMessage {
    const at = this.at(1000);
    const index = this.session.turns.length + 1;
    const parts: Part[] = [{ type: 'user', text: prompt, timestamp: at }];
    const turn = {
      index,
      started_at: at,
      status: 'running' as const,
      model: 'llama3.2',
      provider: 'ollama',
      mode: 'build',
      parts,
    };
    return this.event({ type: 'turn_started', at, turn });
  }

  add(part: Record<string, unknown> & { type: string }, ms = 0): HostMessage {
    const at = this.at(ms);
    return this.event({ type: 'part_added', at, part: { timestamp: at, ...part } });
  }

  extend(text: string): HostMessage {
    return this.event({ type: 'part_extended', at: this.at(), text });
  }

  fill(part: number, fill: PartFill): HostMessage {
    return this.event({ type: 'part_filled', at: this.at(), part, fill });
  }

  permit(part: number, entry: Partial<PermissionEntry>): HostMessage {
    const at = this.at();
    const turn = this.session.turns.length;
    const whole: PermissionEntry = {
      tool: 'run_command',
      action: 'ask',
      decision: 'granted',
      timestamp: at,
      by: 'once',
      turn,
      part: part + 1,
      ...entry,
    };
    return this.event({ type: 'permission', at, entry: whole });
  }

  fail(code: number, message: string): HostMessage {
    const at = this.at();
    return this.event({ type: 'error', at, entry: { code, message, timestamp: at } });
  }

  end(status: Exclude<TurnStatus, 'running'> = 'ok', usage?: Usage, ms = 0): HostMessage {
    return this.event({ type: 'turn_ended', at: this.at(ms), status, ...(usage === undefined ? {} : { usage }) });
  }
}
