import assert from 'node:assert/strict';

import type { Session } from '../../../src/session/schema.ts';
import { PromptLedger } from '../../../src/vscode/promptLedger.ts';
import { WindowMemory } from '../../support/windowMemory.ts';

const AT = '2026-08-17T12:00:00.123+00:00';

function session(...prompts: string[]): Session {
  const turns = prompts.map((text, at) => ({
    index: at + 1,
    status: 'ok' as const,
    parts: [{ type: 'user', text, timestamp: AT }],
  }));
  return {
    ...{ created_at: AT, parent_id: '', role: '', session_id: '', session_name: 's', version: '', updated_at: AT },
    ...{ turns, errors: [], permissions: [], sub_sessions: [] },
  };
}

/** A run as it is at one moment. */
function run(session: Session, queue: { id: string; text: string }[] = [], interrupted?: string) {
  return { session, queue, interrupted };
}

describe('the ledger of sent prompts', () => {
  let memory: WindowMemory;
  let ledger: PromptLedger;
  beforeEach(() => {
    memory = new WindowMemory();
    ledger = new PromptLedger(memory);
  });
  const reload = () => (ledger = new PromptLedger(memory));
  const offered = (name: string) => ledger.offersOf(name).map(({ text }) => text);
  const deliver = async (name: string) => {
    for (const { id } of ledger.offersOf(name)) await ledger.delivered(id);
  };
  const has = (id: string, text: string, log: Session | undefined) => ledger.has(id, text, async () => log);

  it('knows after a reload that a prompt is in the log', async () => {
    await ledger.enter('1', session('go on'));
    reload();
    assert.equal(
      await has('1', 'go on', session('go on')),
      false,
      'the same words of an earlier turn are not this prompt',
    );
    assert.equal(await has('1', 'go on', session('go on', 'go on')), true);
    assert.equal(await has('2', 'go on', session('go on', 'go on')), false);
    assert.equal(await has('1', 'go on', undefined), false, 'a session that is gone has no prompt');
  });

  it('finds a prompt whose half characters were replaced', async () => {
    await ledger.enter('1', session());
    assert.equal(await has('1', ' a\uD800 ', session('a\uFFFD')), true);
  });

  it('never runs a command twice, and forgets what was refused', async () => {
    await ledger.enter('1', null);
    reload();
    assert.equal(await has('1', '/session new', session()), true);
    await ledger.forget('1');
    assert.equal(await has('1', '/session new', session()), false);
  });

  it('gives back, once, what was still queued when the window went away', async () => {
    const queue = [
      { id: '1', text: 'one' },
      { id: '2', text: 'two' },
    ];
    await ledger.enter('2', session('zero'));
    await ledger.mirror(run(session('zero'), queue));
    assert.equal(await has('2', 'two', session('zero')), true);
    reload();
    await ledger.recover(run(session('zero', 'one')));
    assert.deepEqual(offered('s'), ['two'], 'the first one had begun');
    await deliver('s');
    assert.deepEqual(offered('s'), []);
    await ledger.recover(run(session('zero', 'one')));
    assert.deepEqual(offered('s'), []);
    assert.equal(await has('2', 'two', session('zero', 'one')), true, 'a repetition must not send it');
  });

  it('does not lose it to the empty queue of the new run', async () => {
    await ledger.mirror(run(session('zero'), [{ id: '1', text: 'one' }]));
    reload();
    await ledger.mirror(run(session('zero'), []));
    assert.deepEqual(offered('s'), ['one']);
  });

  it('offers the interrupted prompt first, then what waited behind it', async () => {
    await ledger.mirror(run(session('zero'), [{ id: '1', text: 'one' }]));
    reload();
    await ledger.recover(run(session('zero'), [], 'zero'));
    assert.deepEqual(offered('s'), ['zero', 'one']);
  });

  it('offers what was interrupted elsewhere while the session was given back, once for each time', async () => {
    const before = session('zero');
    await ledger.recover(run(before));
    const after = session('zero', 'one');
    for (let told = 0; told < 2; told++) await ledger.mirror(run(after, [], 'one'));
    assert.deepEqual(offered('s'), ['one']);
    await deliver('s');
    await ledger.recover(run(session('zero', 'one', 'two'), [], 'two'));
    assert.deepEqual(offered('s'), ['two']);
  });

  it('follows the queue', async () => {
    const log = session();
    await ledger.mirror(run(log, [{ id: '1', text: 'one' }]));
    await ledger.mirror(run(log, []));
    reload();
    await ledger.recover(run(session()));
    assert.deepEqual(offered('s'), []);
  });

  it('keeps offers of each session until the composer has them, under the same id', async () => {
    await ledger.offer('s', 'a');
    await ledger.offer('t', 'b');
    await ledger.offer('s', 'c');
    const before = ledger.offersOf('s');
    reload();
    assert.deepEqual(ledger.offersOf('s'), before);
    assert.deepEqual(offered('s'), ['a', 'c']);
    await ledger.delivered(before[0]!.id);
    await ledger.delivered(before[0]!.id);
    reload();
    assert.deepEqual(offered('s'), ['c']);
    assert.deepEqual(offered('t'), ['b']);
  });

  for (const name of ['__proto__', 'constructor', 'toString'])
    it(`serves a session that is called ${name} like any other`, async () => {
      const log = { ...session('zero'), session_name: name };
      assert.deepEqual(offered(name), []);
      await ledger.mirror(run(log, [{ id: '1', text: 'one' }]));
      await ledger.enter('1', log);
      assert.equal(await has('1', 'one', log), true);
      await ledger.offer(name, 'two');
      reload();
      await ledger.recover(run(log));
      assert.deepEqual(offered(name), ['two', 'one']);
    });

  it('stays bounded', async () => {
    for (let id = 0; id < 300; id += 1) await ledger.enter(String(id), null);
    assert.equal(await has('0', 'x', session()), false);
    assert.equal(await has('299', 'x', session()), true);
  });
});
