/**
 * Ties the active session to the panel: a snapshot whenever the panel connects or the session changes, then everything that
 * happens, numbered. While no panel is connected nothing is computed or posted.
 */
import type * as vscode from 'vscode';

import type { RunEvent } from '../agent/events.ts';
import type { Run } from '../agent/run.ts';
import type { HostMessage, TurnPage } from '../protocol/messages.ts';
import type { CurrentDesk, Desk } from './desk.ts';
import { PanelChannel } from './panelChannel.ts';
import { emptyPanelState, panelState, readFacts, shownSession, type Facts } from './panelState.ts';
import { turnPage } from './turnPage.ts';

const PICK_A_FOLDER = 'Several folders are open. Choose the one that Polyglav works in: its sessions are kept there.';
const NO_TURNS: TurnPage = { turns: [], before: 0, errors: [], permissions: [] };

interface Bound {
  desk: Desk;
  run: Run | undefined;
  channel: PanelChannel;
  facts: Facts;
  unsubscribe(): void;
}

export class PanelBinding implements vscode.Disposable {
  readonly #current: CurrentDesk;
  readonly #post: (message: HostMessage) => void;
  readonly #onFault: (error: unknown) => void;
  readonly #following: vscode.Disposable;
  #connected = false;
  /** The folder whose unsent texts the page has got since it was loaded. */
  #told: Desk | undefined;
  #bound: Bound | undefined;
  /** The newest attempt to bind; one that was overtaken while it waited leaves the work to it. */
  #attempt = 0;
  #binding: Promise<void> = Promise.resolve();

  constructor(current: CurrentDesk, post: (message: HostMessage) => void, onFault: (error: unknown) => void) {
    this.#current = current;
    this.#post = post;
    this.#onFault = onFault;
    this.#following = current.follow((desk) => {
      this.#rebind();
      return desk === undefined ? [] : [desk.active.onDidChange(() => this.#rebind())];
    });
  }

  /** Whether somebody is there to see what is posted. */
  get connected(): boolean {
    return this.#connected;
  }

  /** The panel was made, or lost count: it gets everything anew. Settles when the snapshot is posted. */
  async connect(): Promise<void> {
    this.#connected = true;
    this.#told = undefined;
    await this.#bind();
  }

  disconnect(): void {
    this.#connected = false;
    this.#unbind();
  }

  /** Reads again what comes from files: the configuration, and with it model and mode. */
  async refresh(): Promise<void> {
    const bound = this.#bound;
    if (bound === undefined) return;
    bound.facts = await readFacts(bound.desk);
    if (this.#bound === bound) bound.channel.state(panelState(bound.desk, bound.facts));
  }

  /** The page before position `before`; nothing when the panel asks about a session that is not shown any more. */
  older(epoch: string, before: number): void {
    const bound = this.#bound;
    if (bound === undefined || bound.channel.epoch !== epoch) return;
    const session = shownSession(bound.desk.active);
    if (session !== undefined) this.#post({ type: 'older', epoch, page: turnPage(session, before) });
  }

  /** Puts the kept texts of the shown session into the composer; the page says which it has. */
  deliverOffers(): void {
    const bound = this.#bound;
    if (bound?.run === undefined) return;
    for (const offer of bound.desk.ledger.offersOf(bound.run.name)) this.#post({ type: 'prefill', ...offer });
  }

  #rebind(): void {
    if (this.#connected) this.#bind().catch(this.#onFault);
  }

  #bind(): Promise<void> {
    this.#unbind();
    this.#attempt += 1;
    this.#binding = this.#bindAs(this.#attempt);
    return this.#binding;
  }

  async #bindAs(attempt: number): Promise<void> {
    const { desk } = this.#current;
    if (desk === undefined) {
      const { problem, mustPick } = this.#current;
      const problems = [...(problem === undefined ? [] : [problem]), ...(mustPick ? [PICK_A_FOLDER] : [])];
      new PanelChannel(this.#post).snapshot(emptyPanelState(problems.map((text) => ({ text }))), NO_TURNS);
      return;
    }
    await desk.active.restore();
    const facts = await readFacts(desk);
    if (attempt !== this.#attempt) return this.#binding;
    if (!this.#connected) return;
    // From here without a pause: what the snapshot does not hold comes as an event.
    const { run } = desk.active;
    if (this.#told !== desk) this.#post({ type: 'unsent', sessions: desk.unsent.all() });
    this.#told = desk;
    const channel = new PanelChannel(this.#post);
    const endings = [desk.engine.onDidChange(() => this.#changed()), run?.subscribe((event) => this.#happened(event))];
    const unsubscribe = () => endings.forEach((end) => end?.());
    this.#bound = { desk, run, channel, facts, unsubscribe };
    const session = shownSession(desk.active);
    channel.snapshot(panelState(desk, facts), session === undefined ? NO_TURNS : turnPage(session));
    this.deliverOffers();
  }

  #unbind(): void {
    this.#bound?.unsubscribe();
    this.#bound?.channel.close();
    this.#bound = undefined;
  }

  #changed(): void {
    this.#bound?.channel.state(panelState(this.#bound.desk, this.#bound.facts));
  }

  #happened(event: RunEvent): void {
    const bound = this.#bound;
    if (bound === undefined) return;
    switch (event.type) {
      case 'log':
        bound.channel.event(event.event);
        // The end of a turn may be that of a command which changed model or mode.
        if (event.event.type === 'turn_ended') this.refresh().catch(this.#onFault);
        break;
      case 'output':
        bound.channel.output(event);
        break;
      case 'state': // told by the engine, of every run: another session may ask something too
      case 'returned':
      case 'problem':
        // Kept or told by the desk, whichever session it is.
        break;
    }
  }

  dispose(): void {
    this.disconnect();
    this.#following.dispose();
  }
}
