import assert from 'node:assert/strict';
import fc from 'fast-check';

import type { HostMessage, PanelState, TurnPage } from '../../../src/protocol/messages.ts';
import type { SessionEvent } from '../../../src/session/events.ts';
import { reduce, runningTurn } from '../../../src/session/reduce.ts';
import type { Session } from '../../../src/session/schema.ts';
import { PanelStore, type StoreMessage } from '../../../webview-ui/store.ts';

const STATE: PanelState = {
  ...{ folder: true, session: { name: 'ses_1', title: '' }, run: 'idle', asks: [], queue: [] },
  ...{ model: 'demo/demo', demo: true, mode: 'build', commands: [], problems: [] },
};

/** The host's side: the session itself, and numbered messages about it. */
class Host {
  readonly session: Session = emptySession();
  epoch = 0;
  #seq = 0;
  #second = 0;

  snapshot(size = 1000): StoreMessage {
    this.epoch += 1;
    this.#seq = 1;
    return { type: 'snapshot', epoch: `e${this.epoch}`, seq: 1, state: STATE, page: this.page(size) };
  }

  page(size: number, end = this.session.turns.length): TurnPage {
    const before = Math.max(0, end - size);
    const { turns, errors, permissions } = this.session;
    return structuredClone({ turns: turns.slice(before, end), before, errors, permissions });
  }

  event(event: SessionEvent): StoreMessage {
    reduce(this.session, structuredClone(event));
    return { type: 'event', epoch: `e${this.epoch}`, seq: this.#next(), event };
  }

  output(part: number, piece: string): StoreMessage {
    return { type: 'output', epoch: `e${this.epoch}`, seq: this.#next(), part, piece };
  }

  /** What happens next, chosen by a number: always something that may. */
  step(choice: number): StoreMessage {
    this.#second += 1;
    const at = new Date(this.#second * 1000).toISOString();
    const turn = runningTurn(this.session);
    if (turn === undefined) {
      const index = this.session.turns.length + 1;
      const parts = [{ type: 'user', text: `prompt ${index}`, timestamp: at }];
      return this.event({ type: 'turn_started', at, turn: { index, started_at: at, status: 'running', parts } });
    }
    const last = turn.parts.length - 1;
    switch (choice % 7) {
      case 0:
        return this.event({ type: 'turn_ended', at, status: 'ok' });
      case 1:
        return this.event({ type: 'part_added', at, part: { type: 'tool', name: 'x', input: {}, timestamp: at } });
      case 2:
        if (turn.parts[last]?.['output'] !== undefined || turn.parts[last]?.type !== 'tool')
          return this.output(last, '.');
        return this.event({ type: 'part_filled', at, part: last, fill: { output: `out ${choice}`, is_error: false } });
      case 3:
        return this.event({
          type: 'permission',
          at,
          entry: { tool: 'x', action: 'ask', decision: 'granted', timestamp: at },
        });
      case 4:
        return this.event({ type: 'error', at, entry: { code: 500, message: 'no', timestamp: at } });
      case 5:
        if (turn.parts[last]?.type === 'text') return this.event({ type: 'part_extended', at, text: ` ${choice}` });
        return this.event({ type: 'part_added', at, part: { type: 'text', text: 'a', timestamp: at } });
      default:
        return this.output(last, 'piece');
    }
  }

  #next(): number {
    this.#seq += 1;
    return this.#seq;
  }
}

function emptySession(): Session {
  return {
    ...{ created_at: '', parent_id: '', role: '', session_id: '', session_name: 'ses_1', version: '' },
    ...{ turns: [], errors: [], permissions: [], sub_sessions: [], updated_at: '' },
  };
}

function turnsOf(store: PanelStore): unknown {
  return structuredClone([...store.turns]);
}

describe('the panel’s store', () => {
  it('folds what arrives in order into what the host has', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 60 }), (choices) => {
        const host = new Host();
        const store = new PanelStore();
        store.apply(host.snapshot());
        for (const choice of choices) assert.equal(store.apply(host.step(choice)), 'view');
        assert.deepEqual(turnsOf(store), host.session.turns);
      }),
    );
  });

  it('ends, after the next snapshot, with what the host has, whatever was lost, doubled or late', () => {
    const fate = fc.record({ choice: fc.nat(1000), copies: fc.nat(2), delay: fc.nat(5), rebind: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(fate, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (fates, size) => {
        const host = new Host();
        const messages: { message: StoreMessage; at: number }[] = [{ message: host.snapshot(size), at: -1 }];
        fates.forEach(({ choice, copies, delay, rebind }, at) => {
          const message = rebind === 0 ? host.snapshot(size) : host.step(choice);
          for (let copy = 0; copy < copies; copy += 1) messages.push({ message, at: at + delay * (copy + 1) });
        });
        const store = new PanelStore();
        for (const { message } of messages.sort((one, other) => one.at - other.at)) {
          store.apply(structuredClone(message));
          const indexes = store.turns.map((turn) => turn.index);
          assert.deepEqual(
            indexes,
            indexes.map((_, at) => store.before + at + 1),
            'no turn twice, none missing between',
          );
        }
        store.apply(host.snapshot(size));
        assert.equal(store.turns.length + store.before, host.session.turns.length);
        assert.deepEqual(turnsOf(store), host.session.turns.slice(store.before));
      }),
    );
  });

  it('asks anew after a gap, and folds nothing until then', () => {
    const host = new Host();
    const store = new PanelStore();
    store.apply(host.snapshot());
    store.apply(host.step(0));
    host.step(5);
    assert.equal(store.apply(host.step(5)), 'resync');
    assert.equal(store.apply(host.step(5)), 'resync');
    assert.equal(store.turns[0]?.parts.length, 1);
    assert.equal(store.apply(host.snapshot()), 'view');
    assert.deepEqual(turnsOf(store), host.session.turns);
  });

  it('passes over late messages of an earlier binding, and asks after those of an unknown one', () => {
    const host = new Host();
    const store = new PanelStore();
    assert.equal(store.apply(host.step(0)), 'resync');
    const first = host.snapshot();
    const late = host.step(1);
    store.apply(first);
    store.apply(host.snapshot());
    assert.equal(store.apply(late), 'nothing');
    assert.equal(store.apply(first), 'nothing');
    assert.deepEqual(turnsOf(store), host.session.turns);
  });

  it('puts older turns before the others once, and keeps them over a resync', () => {
    const host = new Host();
    for (let turn = 0; turn < 10; turn += 1) [1, 0].forEach((choice) => host.step(choice));
    const store = new PanelStore();
    store.apply(host.snapshot(3));
    assert.equal(store.before, 7);
    const older: HostMessage = { type: 'older', epoch: 'e1', page: host.page(4, 7) };
    assert.equal(store.apply(older), 'view');
    assert.equal(store.apply(older), 'nothing');
    assert.equal(store.before, 3);
    store.apply(host.snapshot(3));
    assert.equal(store.before, 3);
    assert.deepEqual(turnsOf(store), host.session.turns.slice(3));
  });

  it('counts the changes of a turn, so that only what changed is drawn again', () => {
    const host = new Host();
    const store = new PanelStore();
    store.apply(host.snapshot());
    [0, 0, 0].forEach((choice) => store.apply(host.step(choice)));
    const [first, second] = store.turns;
    const before = store.revision(first!);
    store.apply(host.step(5));
    assert.equal(store.turns[1], second);
    assert.equal(store.revision(first!), before);
    assert.ok(store.revision(second!) > 0);
  });

  it('holds the live output of a call until its result comes', () => {
    const host = new Host();
    const store = new PanelStore();
    store.apply(host.snapshot());
    store.apply(host.step(0));
    store.apply(host.step(1));
    store.apply(host.output(1, 'one '));
    store.apply(host.output(1, 'two'));
    assert.equal(store.output(1), 'one two');
    store.apply(host.step(2));
    assert.equal(store.output(1), '');
  });

  it('finds the errors and the decisions of a turn', () => {
    const host = new Host();
    const store = new PanelStore();
    store.apply(host.snapshot());
    [0, 4, 0, 0].forEach((choice) => store.apply(host.step(choice)));
    const entry = { tool: 'x', action: 'ask', decision: 'declined', timestamp: '', turn: 2, part: 3 } as const;
    store.apply(host.event({ type: 'permission', at: '', entry }));
    const [first, second] = store.turns;
    assert.equal(store.errorsOf(first!).length, 1);
    assert.equal(store.errorsOf(second!).length, 0);
    assert.equal(store.permissionOf(second!, 2)?.decision, 'declined');
    assert.equal(store.permissionOf(second!, 1), undefined);
  });

  it('finds the error of a turn by its end, also where no beginning is recorded', () => {
    const host = new Host();
    const at = (second: number) => new Date(second * 1000).toISOString();
    const store = new PanelStore();
    store.apply(host.snapshot());
    [1, 2].forEach((index) => {
      const entry = { code: 500, message: `no ${index}`, timestamp: at(index) };
      store.apply(host.event({ type: 'turn_started', at: at(0), turn: { index, status: 'running', parts: [] } }));
      store.apply(host.event({ type: 'error', at: at(index), entry }));
      store.apply(host.event({ type: 'turn_ended', at: at(index), status: 'error' }));
    });
    assert.deepEqual(
      store.turns.map((turn) => store.errorsOf(turn).map(({ message }) => message)),
      [['no 1'], ['no 2']],
    );
  });

  it('lets go of the oldest of very many turns, and takes them back', () => {
    const host = new Host();
    for (let turn = 0; turn < 300; turn += 1) [1, 0].forEach((choice) => host.step(choice));
    const store = new PanelStore();
    store.apply(host.snapshot());
    store.trim();
    assert.equal(store.turns.length, 80);
    assert.equal(store.before, 220);
    store.apply(host.step(1));
    assert.equal(store.turns.at(-1)?.index, 301);
    store.apply({ type: 'older', epoch: 'e1', page: host.page(20, 220) });
    assert.equal(store.turns[0]?.index, 201);
  });
});
