import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { namedTarget, readTarget, savedSessions, targetOf } from '../../../src/agent/target.ts';
import { Bench, turn } from '../../support/engine.ts';

describe('agent/target', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  const saved = async (options: object) => {
    const file = await bench.engine.store.create(options);
    await file.close();
    return file.session.session_name;
  };

  it('takes names, ids and numbers of runs (R4)', async () => {
    const name = await saved({});
    const id = name.split('_').at(-1)!;
    const run = await bench.create();
    const { engine } = bench;
    assert.equal(await targetOf(engine, `#${id}`), name);
    assert.equal(await targetOf(engine, name), name);
    assert.equal(await targetOf(engine, `session:${name}`), name);
    assert.equal(await targetOf(engine, `#${run.session.session_id}`), run.name);
    assert.equal(await targetOf(engine, '#1'), run.name);
    assert.equal(engine.numberOf(run), 1);
    await assert.rejects(targetOf(engine, '#2'), { name: 'SessionError', message: /no run #2\. There are #1 to #1/ });
    await assert.rejects(targetOf(savedSessions(engine.store), '#1'), { message: /No session is open here/ });
    await assert.rejects(targetOf(engine, '#zzzzzz'), { message: /no session #zzzzzz/ });
    await assert.rejects(targetOf(engine, ''), { name: 'SessionError', message: /cannot be empty/ });
    await engine.release(run.name);
    assert.equal(await targetOf(engine, '#1'), run.name, 'its saved session');
  });

  it('asks whether another name was meant, but guesses none of the generated ones', async () => {
    const generated = await saved({});
    for (const name of ['refactoring', 'my notes', 'todo 1', 'todo 2']) await saved({ name });
    const meant: [selector: string, near: string | undefined][] = [
      ['refact', 'refactoring'],
      ['session:refactorign', 'refactoring'],
      ['my', 'my notes'],
      ['My Notes', 'my notes'],
      [generated.slice(0, -1), generated],
      [`${generated.slice(0, -6)}zzzzzz`, undefined],
      ['todo', 'todo 1'],
      ['m', undefined],
      ['reviewer', undefined],
    ];
    for (const [selector, near] of meant)
      await assert.rejects(targetOf(bench.engine, selector), {
        name: 'SessionError',
        message: `There is no session ${JSON.stringify(selector.replace('session:', ''))}. ${near === undefined ? '"polyglav sessions" (in the chat: /sessions) lists them.' : `Did you mean ${JSON.stringify(near)}?`}`,
      });
  });

  it('takes no id from an explicit name', async () => {
    await saved({ name: 'notes_ab12cd' });
    await assert.rejects(targetOf(bench.engine, '#ab12cd'), { message: /no session #ab12cd/ });
  });

  it('looks into no session for a generated name', async () => {
    const name = await saved({});
    const { store } = bench.engine;
    const list = mock.method(store, 'list', () => Promise.reject(new Error('the sessions were read')));
    assert.equal(await targetOf(savedSessions(store), name), name);
    list.mock.restore();
  });

  it('takes a role for its live session, else for its newest; `session:` says the name', async () => {
    await saved({ role: 'reviewer' });
    await wait(5);
    const newest = await saved({ role: 'reviewer' });
    await saved({ name: 'reviewer' });
    const { engine } = bench;
    assert.equal(await targetOf(engine, 'reviewer'), newest);
    assert.equal(await targetOf(engine, 'session:reviewer'), 'reviewer');
    assert.equal(await namedTarget(engine, 'reviewer'), 'reviewer');
    const older = (await engine.store.list()).find(({ role, name }) => role === 'reviewer' && name !== newest)!.name;
    await bench.open(older);
    assert.equal(await targetOf(engine, 'reviewer'), older);
  });

  it('reads a live session from memory and a saved one from disk, and switches nothing', async () => {
    bench.provider.answer(['hello']);
    const run = await bench.create('live');
    await turn(run);
    const read = (name: string) =>
      readTarget(bench.engine, name, async ({ session, counts }) => [session.session_name, counts.turns]);
    assert.deepEqual(await read('live'), ['live', run.session.turns.length]);
    await saved({ name: 'saved' });
    assert.deepEqual(await read('saved'), ['saved', 0]);
    assert.deepEqual(bench.engine.runs(), [run]);
    await writeFile(bench.fileOf('broken'), '{');
    await assert.rejects(read('broken'), { name: 'SessionError', message: /not JSON/ });
  });

  it('gives no session back in which a turn runs', async () => {
    const { run } = await bench.hanging();
    await assert.rejects(bench.engine.release(run.name), { name: 'Refusal', message: /A turn runs in the session/ });
    assert.deepEqual(bench.engine.runs(), [run]);
    await run.stop();
  });
});
