import assert from 'node:assert/strict';

import type { Engine } from '../../../src/agent/engine.ts';
import type { Run } from '../../../src/agent/run.ts';
import { ActiveSession } from '../../../src/vscode/activeSession.ts';
import { PromptLedger } from '../../../src/vscode/promptLedger.ts';
import { Bench, gate } from '../../support/engine.ts';
import { WindowMemory } from '../../support/windowMemory.ts';

describe('the active session', () => {
  let bench: Bench;
  let memory: WindowMemory;
  let engine: Engine;
  let active: ActiveSession;
  let slow: ReturnType<typeof gate>;

  beforeEach(async () => {
    bench = await Bench.make();
    memory = new WindowMemory();
    slow = gate();
    const real = bench.engine;
    for (const name of ['slow', 'fast']) await bench.create(name);
    engine = Object.assign(Object.create(real) as Engine, {
      open: async (name: string): Promise<Run> => {
        if (name === 'slow') await slow.opened;
        return real.open(name);
      },
      create: async (name?: string): Promise<Run> => {
        await slow.opened;
        return real.create(name);
      },
    });
    active = new ActiveSession(engine, new PromptLedger(memory), memory);
  });
  afterEach(() => bench.close());

  it('is the one that was asked for last, also when an earlier one loads for longer', async () => {
    const first = active.load('slow');
    await active.load('fast');
    slow.open();
    assert.equal((await first).name, 'slow');
    assert.equal(active.run?.name, 'fast');
    assert.equal(memory.get('polyglav.session'), 'fast');
  });

  it('stays none when a new one was asked for while another loaded', async () => {
    const first = active.load('slow');
    await active.startNew();
    slow.open();
    await first;
    assert.equal(active.run, undefined);
  });

  it('is not the one that is being made when the person has gone to another meanwhile', async () => {
    await active.restore();
    const [made, twice] = [active.begin(), active.begin()];
    await active.load('fast');
    slow.open();
    assert.equal((await made).name, (await twice).name);
    assert.equal(active.run?.name, 'fast');
  });

  it('is told to whoever listens, until they stop', async () => {
    let told = 0;
    const stop = active.onDidChange(() => (told += 1));
    await active.load('fast');
    await active.load('fast');
    assert.equal(told, 1);
    stop();
    await active.startNew();
    assert.equal(told, 1);
  });
});
