import assert from 'node:assert/strict';

import type { Run } from '../../../src/agent/run.ts';
import type { CommandContext } from '../../../src/commands/command.ts';
import type { HostMessage } from '../../../src/protocol/messages.ts';
import { ActiveSession } from '../../../src/vscode/activeSession.ts';
import type { Desk } from '../../../src/vscode/desk.ts';
import { PromptIntake } from '../../../src/vscode/promptIntake.ts';
import { PromptLedger } from '../../../src/vscode/promptLedger.ts';
import { Bench, promptsOf, silence, until } from '../../support/engine.ts';
import { WindowMemory } from '../../support/windowMemory.ts';

/** The part of a command's context that these tests use. */
function contextOf({ engine, active }: Desk): CommandContext {
  return {
    engine,
    run: active.run,
    load: (name: string) => active.load(name, true).then(({ session }) => session),
    ensureRun: () => active.ensure(),
    activate: (run: Run) => active.activate(run),
  } as CommandContext;
}

describe('the intake of prompts', () => {
  let bench: Bench;
  let memory: WindowMemory;
  let desk: Desk;
  let intake: PromptIntake;
  let said: string[];
  let causes: (string | undefined)[];
  let faults: string[];

  beforeEach(async () => {
    bench = await Bench.make();
    bench.provider.otherwise = () => ['done'];
    memory = new WindowMemory();
    const { engine } = bench;
    const ledger = new PromptLedger(memory);
    desk = { engine, ledger, active: new ActiveSession(engine, ledger, memory) } as unknown as Desk;
    said = [];
    causes = [];
    faults = [];
    const post = (message: HostMessage) => {
      if (message.type === 'accepted' || message.type === 'refused') said.push(`${message.type} ${message.id}`);
      if (message.type === 'refused') causes.push(message.due_to);
    };
    intake = new PromptIntake(post, contextOf, (error) => faults.push((error as Error).message));
  });
  afterEach(() => bench.close());

  const take = (id: string, session: string, text = `prompt ${id}`) => intake.take(desk, { id, session, text });
  const active = () => desk.active.run?.name ?? '';
  const idle = () => until(() => bench.engine.runs().every(({ state }) => state === 'idle'));
  const promptsIn = async (name: string) => promptsOf((await bench.engine.open(name)).session);

  it('goes on after a write that failed', async () => {
    memory.broken.add('polyglav.sent');
    await take('1', '');
    assert.deepEqual(said, ['refused 1']);
    assert.ok(faults.length > 0);
    memory.broken.clear();
    await take('2', active());
    assert.deepEqual(said, ['refused 1', 'accepted 2']);
    assert.deepEqual(await promptsIn(active()), ['prompt 2']);
  });

  it('does not refuse a prompt that was taken, whatever fails afterwards', async () => {
    bench.provider.answer([silence]);
    await take('1', '');
    memory.broken.add('polyglav.queued');
    await take('2', active());
    assert.deepEqual(said, ['accepted 1', 'accepted 2']);
    assert.deepEqual(
      desk.active.run?.queue.map(({ id }) => id),
      ['2'],
    );
    assert.deepEqual(faults, ['no space left for polyglav.queued']);
  });

  it('sends a prompt to the session that it was written in, whatever is shown by now', async () => {
    await bench.create('one');
    await bench.create('two');
    await desk.active.load('one');
    const taken = take('1', 'one');
    await desk.active.load('two');
    await taken;
    await take('2', 'one');
    await idle();
    assert.deepEqual(await promptsIn('one'), ['prompt 1', 'prompt 2']);
    assert.deepEqual(await promptsIn('two'), []);
    assert.equal(active(), 'two');
  });

  it('begins a new session for one that was written for a new one, and leaves what is shown', async () => {
    await bench.create('old');
    await desk.active.load('old');
    await take('1', '');
    await idle();
    assert.equal(active(), 'old');
    assert.deepEqual(await promptsIn('old'), []);
    const made = (await bench.engine.store.list()).find(({ name }) => name !== 'old')!;
    // Nobody looks at it, so it is given back.
    await until(async () => (await bench.engine.store.holder(made.name)) === undefined);
    assert.deepEqual(await promptsIn(made.name), ['prompt 1']);
  });

  it('keeps together what was sent before the panel knew the name of the session that it began', async () => {
    await Promise.all([take('1', ''), take('2', ''), take('3', '')]);
    await idle();
    assert.deepEqual(await promptsIn(active()), ['prompt 1', 'prompt 2', 'prompt 3']);
    assert.equal(bench.engine.runs().length, 1);
  });

  it('follows a command to the session that it led to', async () => {
    await Promise.all([take('0', ''), take('1', '', '/session new one'), take('2', ''), take('3', 'one')]);
    await Promise.all([take('4', 'one', '/session new two'), take('5', 'one'), take('6', '')]);
    await idle();
    assert.equal(active(), 'two');
    assert.deepEqual(await promptsIn('one'), ['prompt 2', 'prompt 3']);
    assert.deepEqual(await promptsIn('two'), ['prompt 5', 'prompt 6']);
  });

  it('follows no command any more when the person has gone back by another way', async () => {
    await bench.create('one');
    await bench.create('two');
    await desk.active.load('one');
    await take('1', 'one', '/session load two');
    await desk.active.load('one');
    const taken = take('2', 'one');
    await desk.active.load('two');
    await taken;
    await idle();
    assert.deepEqual(await promptsIn('one'), ['prompt 2']);
    assert.deepEqual(await promptsIn('two'), []);
  });

  it('refuses what it cannot place', async () => {
    await take('1', 'gone');
    await bench.create('old');
    await desk.active.load('old');
    await take('2', 'other', '/mode plan');
    await intake.take(undefined, { id: '3', session: '', text: 'x' });
    assert.deepEqual(said, ['refused 1', 'refused 2', 'refused 3']);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      bench.engine.runs().map(({ name }) => name),
      ['old'],
    );
  });

  it('says what a refusal is due to, where that may pass by itself', async () => {
    bench.problems = [{ file: '/config.json', key: '', message: 'is broken.' }];
    await take('1', '');
    bench.problems = [];
    const { run, done } = await bench.hanging();
    await desk.active.load(run.name);
    await take('2', run.name, '/model none/m');
    await take('3', run.name, '/mode plan');
    await take('4', run.name, '/nonsense');
    assert.deepEqual(causes, ['configuration', 'configuration', 'turn', undefined]);
    await run.stop();
    await done;
  });
});
