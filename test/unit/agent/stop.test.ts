import assert from 'node:assert/strict';

import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, callsOf, gate, promptsOf, silence, tool, turn, until } from '../../support/engine.ts';

describe('agent/run, stopped (T7)', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  /** What each part of the last turn is, and its text. */
  const outline = async (run: { name: string }) =>
    (await bench.onDisk(run)).turns.at(-1)!.parts.map((part) => `${part.type}: ${String(part['text'])}`);

  describe('in a turn', () => {
    it('while it waits for the first piece, within a second (T7)', async () => {
      bench.provider.answer([silence]);
      const run = await bench.create();
      const { done } = await run.submit('Go.');
      await until(() => bench.provider.open === 1);
      await within(5000, run.stop());
      assert.equal(await done, 'cancelled');
      assert.deepEqual(await outline(run), ['user: Go.']);
    });

    it('in mid-answer keeps what had come', async () => {
      bench.provider.answer([{ thinking: 'Hm.' }, 'Half an ', 'ans', silence], ['Whole.']);
      const run = await bench.create();
      const { done } = await run.submit('Go.');
      await until(() => run.session.turns[0]!.parts.at(-1)!['text'] === 'Half an ans');
      await within(5000, run.stop());
      assert.equal(await done, 'cancelled');
      const session = await bench.onDisk(run);
      assert.deepEqual(await outline(run), ['user: Go.', 'thinking: Hm.', 'text: Half an ans']);
      assert.deepEqual(session.errors, []);
      assert.deepEqual(faultsOf(session), []);
      assert.equal(await turn(run), 'ok');
    });

    it('in mid-call records no half of a call', async () => {
      bench.provider.answer(['I write.', { call: 'file_write' }, silence], ['ok']);
      const run = await bench.create();
      await run.submit('Go.');
      await until(() => bench.provider.open === 1 && run.session.turns[0]!.parts.length === 2);
      await within(5000, run.stop());
      assert.deepEqual(await outline(run), ['user: Go.', 'text: I write.']);
      assert.equal(await turn(run), 'ok');
    });

    it('while a tool runs ends the tool, and runs none of the calls after it', async () => {
      const started = gate();
      let ended = false;
      const ran: unknown[] = [];
      bench.tools = [
        tool('file_read', async ({ path }, { signal }) => {
          ran.push(path);
          if (path !== 'slow') return 'quick';
          started.open();
          await new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          ).finally(() => (ended = true));
          return 'never';
        }),
      ];
      const read = (path: string) => ({ call: 'file_read', arguments: { path } });
      bench.provider.answer([read('first'), read('slow'), read('third')], ['ok']);
      const run = await bench.create();
      const { done } = await run.submit('Go.');
      await started.opened;
      await within(5000, run.stop());
      assert.ok(ended);
      assert.equal(await done, 'cancelled');
      assert.deepEqual(ran, ['first', 'slow']);
      const calls = callsOf(await bench.onDisk(run));
      assert.deepEqual(
        calls.map(({ is_error }) => is_error),
        [false, true, true],
      );
      assert.match(calls[1]!.output!, /[Ss]topped/);
      assert.match(calls[2]!.output!, /[Nn]ot run/);
      assert.equal(await turn(run), 'ok');
    });

    it('between two rounds makes no further request', async () => {
      bench.provider.answer([{ call: 'file_read' }]);
      const run = await bench.create();
      let stopped: Promise<void> | undefined;
      run.subscribe((event) => {
        if (event.type === 'log' && event.event.type === 'part_filled') stopped = run.stop();
      });
      assert.equal(await turn(run), 'cancelled');
      await stopped;
      assert.equal(bench.provider.requests.length, 1);
      assert.equal(callsOf(await bench.onDisk(run))[0]!.is_error, false);
    });

    it('keeps the output of a tool that finished all the same', async () => {
      const started = gate();
      bench.tools = [
        tool('file_read', async (_, { signal }) => {
          started.open();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return 'so far: 1, 2';
        }),
      ];
      bench.provider.answer([{ call: 'file_read' }]);
      const run = await bench.create();
      await run.submit('Go.');
      await started.opened;
      await run.stop();
      assert.equal(callsOf(await bench.onDisk(run))[0]!.output, 'so far: 1, 2');
      assert.equal(run.session.turns[0]!.status, 'cancelled');
      assert.equal(bench.provider.requests.length, 1);
    });
  });

  describe('ends', () => {
    it('at once when nothing runs', async () => {
      const run = await bench.create();
      await run.stop();
      assert.equal(run.session.turns.length, 0);
      bench.provider.answer(['ok']);
      assert.equal(await turn(run), 'ok');
    });

    it('a turn that is still being prepared: nothing is sent', async () => {
      const hold = gate();
      bench.restart({
        loadConfig: async () => {
          await hold.opened;
          return { config: bench.config, problems: [] };
        },
      });
      const run = await bench.create();
      const submitted = run.submit('1');
      const stopped = run.stop();
      hold.open();
      const { done } = await submitted;
      await stopped;
      assert.equal(await done, 'cancelled');
      assert.deepEqual([run.state, bench.provider.requests.length], ['idle', 0]);
      const session = await bench.onDisk(run);
      assert.deepEqual(
        session.turns.map(({ status }) => status),
        ['cancelled'],
      );
      assert.deepEqual(promptsOf(session), ['1']);
      bench.provider.answer(['ok']);
      assert.equal(await turn(run), 'ok');
    });

    it('between two turns of the queue: the second is not sent', async () => {
      const hold = gate();
      bench.provider.answer([() => hold.opened, 'one'], [silence]);
      const run = await bench.create();
      await run.submit('1');
      const second = await run.submit('2');
      let stopped: Promise<void> | undefined;
      run.subscribe((event) => {
        if (event.type === 'log' && event.event.type === 'turn_ended')
          stopped ??= Promise.resolve().then(() => run.stop());
      });
      hold.open();
      assert.equal(await second.done, 'cancelled');
      await stopped;
      assert.equal(run.state, 'idle');
      assert.equal(run.session.turns.at(-1)!.status === 'running', false);
    });

    it('once, however often it is told', async () => {
      const { run } = await bench.hanging();
      await Promise.all([run.stop(), run.stop(), run.stop()]);
      assert.deepEqual(
        (await bench.onDisk(run)).turns.map(({ status }) => status),
        ['cancelled'],
      );
    });
  });
});

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const started = performance.now();
  const value = await promise;
  assert.ok(performance.now() - started < ms, `it took ${performance.now() - started} ms`);
  return value;
}
