import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { interruptedPrompt } from '../../../src/agent/resume.ts';
import type { SessionEvent } from '../../../src/session/events.ts';
import { toLayout } from '../../../src/session/foreign.ts';
import { reduce } from '../../../src/session/reduce.ts';
import { isKind, type Part, type Session, type Turn } from '../../../src/session/schema.ts';
import { sessionOf } from '../../support/arbitraryRecords.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, ScriptedProvider, tool, turn } from '../../support/engine.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const user = (text: string): Part => ({ type: 'user', text, timestamp: AT });
const call = (more: object = {}): Part => ({ type: 'tool', name: 'file_read', input: {}, timestamp: AT, ...more });

describe('agent/resume', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  const put = async (session: Session) => {
    await mkdir(dirname(bench.fileOf('x')), { recursive: true });
    await writeFile(bench.fileOf(session.session_name), toLayout(JSON.stringify(session)));
  };
  const bytes = () => readFile(bench.fileOf('notes'), 'utf8');

  /** Every event of a turn with three calls in one round and one in the next, in the order in which they are written. */
  const recorded = async (): Promise<SessionEvent[]> => {
    bench.tools = [tool('file_read', () => 'read'), tool('file_write', () => 'written')];
    bench.provider.answer(
      [
        { thinking: 'Hm.' },
        'I ',
        'look.',
        { call: 'file_read' },
        { call: 'file_write', arguments: { path: 'a' } },
        { call: 'file_read' },
      ],
      [{ call: 'file_read' }],
      ['Done.'],
    );
    await turn(await bench.create('original'), 'Do it.');
    return bench.events.flatMap((event) => (event.type === 'log' ? [event.event] : []));
  };

  it('closes a turn that was cut at any event, appends only, and what is sent next is valid (R9, X1)', async () => {
    const events = await recorded();
    assert.ok(events.length >= 15);
    for (let cut = 1; cut <= events.length; cut++) {
      const before = events.slice(0, cut).reduce(reduce, sessionOf([], { session_name: `cut${cut}` }));
      await put(before);
      bench.provider.answer(['I go on.']);
      bench.restart();
      const run = await bench.open(`cut${cut}`);
      const after = await bench.onDisk(run);
      assert.deepEqual(after, run.session);
      assert.equal(run.state, 'idle');

      const finished = cut === events.length;
      const [was, is] = [before.turns[0]!, after.turns[0]!];
      assert.equal(is.status, finished ? 'ok' : 'cancelled', `cut ${cut}`);
      assert.equal(run.interrupted, finished || cut < 2 ? undefined : 'Do it.');
      for (const [position, part] of was.parts.entries())
        assert.deepEqual(
          is.parts[position],
          isKind(part, 'tool') && part.output === undefined ? { ...part, ...fillOf(is.parts[position]!) } : part,
        );
      const added = is.parts.slice(was.parts.length);
      assert.deepEqual(
        added.map((part) => [part.type, part['kind']]),
        finished ? [] : [['system', 'resume']],
      );
      assert.deepEqual(after.permissions, before.permissions);
      // What was never allowed did not run, and is not said to have.
      for (const [position, part] of was.parts.entries())
        if (isKind(part, 'tool') && part.output === undefined)
          assert.match(
            String(is.parts[position]!['output']),
            before.permissions.some((entry) => entry.part === position + 1)
              ? /^Interrupted: .* may or may not/
              : /^Not run: /,
          );

      // The provider is as strict as any, and complains in `bench.close`.
      assert.equal(await turn(run, 'Go on.'), 'ok', `cut ${cut}`);
      assert.deepEqual((await bench.onDisk(run)).turns[0], is);
    }
  });

  it('works with another provider too (R9)', async () => {
    const events = await recorded();
    const other = new ScriptedProvider('other');
    bench.others = [other];
    bench.config = { ...bench.config, model: 'other/m' };
    for (let cut = 1; cut <= events.length; cut++) {
      await put(events.slice(0, cut).reduce(reduce, sessionOf([], { session_name: `cut${cut}` })));
      other.answer(['I go on.']);
      bench.restart();
      const run = await bench.open(`cut${cut}`);
      await run.setModel('other/m');
      assert.equal(await turn(run), 'ok');
    }
  });

  it('says to the model, once, that the turn before was interrupted', async () => {
    await put(sessionOf([{ index: 1, status: 'running', parts: [user('Do it.'), call()] }]));
    bench.provider.answer(['ok'], ['ok']);
    const run = await bench.open('notes');
    await turn(run, 'And?');
    await turn(run, 'And now?');
    const { messages } = bench.provider.requests[1]!;
    const results = messages.filter(({ role }) => role === 'tool');
    assert.match(results[0]!.content, /[Ii]nterrupted/);
    const prompts = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    assert.equal(prompts.length, 3);
    assert.match(prompts[1]!, /closed while this turn ran[\s\S]*And\?$/);
    assert.equal(prompts[2], 'And now?');
  });

  it('makes a record as documented', async () => {
    const run = await bench.create();
    await bench.engine.close();
    const parts = [user('Do it.'), call({ round: 1 })];
    await put({
      ...run.session,
      turns: [{ index: 1, started_at: AT, status: 'running', mode: 'build', model: 'm', provider: 'mock', parts }],
    });
    bench.restart();
    await bench.open(run.name);
    assert.deepEqual(faultsOf(await bench.onDisk(run)), []);
  });

  it('happens once: the same run for all who open it, and nothing more at the next start', async () => {
    await put(sessionOf([{ index: 1, status: 'running', parts: [user('Do it.')] }]));
    const [first, second] = await Promise.all([bench.open('notes'), bench.open('notes')]);
    assert.equal(first, second);
    assert.equal(await bench.open('notes'), first);
    await bench.engine.close();
    const closed = await bytes();
    bench.restart();
    const again = await bench.open('notes');
    assert.equal(await bytes(), closed);
    assert.equal(again.interrupted, undefined);
    assert.equal(again.session.turns[0]!.parts.length, 2);
  });

  it('leaves the prompt to be offered until another turn begins', async () => {
    await put(sessionOf([{ index: 1, status: 'running', parts: [user('Do it.'), user('Now.')] }]));
    assert.equal(interruptedPrompt((await bench.open('notes')).session), 'Do it.\n\nNow.');
    bench.restart();
    const run = await bench.open('notes');
    assert.equal(interruptedPrompt(run.session), 'Do it.\n\nNow.');
    await run.setMode('plan');
    assert.equal(interruptedPrompt(run.session), undefined);
  });

  it('offers no prompt of a turn that ended otherwise, or that has none', () => {
    const note: Part = { type: 'system', kind: 'resume', text: 'Closed.', timestamp: AT };
    const last = (status: Turn['status'], ...parts: Part[]) =>
      interruptedPrompt(sessionOf([{ index: 1, status, parts }]));
    assert.equal(last('cancelled', user('Do it.'), note), 'Do it.');
    assert.equal(last('cancelled', user('Do it.')), undefined);
    assert.equal(last('cancelled', note, user('Do it.')), undefined);
    assert.equal(last('ok', user('Do it.'), note), undefined);
    assert.equal(last('cancelled', { type: 'command', text: '/mode plan', timestamp: AT }, note), undefined);
    assert.equal(interruptedPrompt(sessionOf([])), undefined);
  });

  it('is never done by a list or a reader (R9)', async () => {
    await put(sessionOf([{ index: 1, status: 'running', parts: [user('Do it.'), call()] }]));
    const before = await bytes();
    await bench.engine.store.list();
    await bench.engine.store.read('notes');
    assert.equal(await bytes(), before);
  });

  const untouched: Record<string, Turn[]> = {
    'a call without a result in a turn that ended': [
      { index: 1, status: 'ok', parts: [user('Do it.'), call(), call({ output: 'x', is_error: false })] },
    ],
    'an earlier turn that was left running': [
      { index: 1, status: 'running', parts: [user('Do it.'), call()] },
      { index: 2, status: 'ok', parts: [user('And?'), { type: 'text', text: 'Yes.', timestamp: AT }] },
    ],
    'an empty log': [],
  };
  for (const [what, turns] of Object.entries(untouched))
    it(`writes nothing for ${what}, and nothing is busy (R9)`, async () => {
      await put(sessionOf(turns));
      const before = await bytes();
      const run = await bench.open('notes');
      assert.equal(await bytes(), before);
      assert.deepEqual([run.state, run.interrupted], ['idle', undefined]);
      await run.stop();
      await run.setMode('build');
      bench.provider.answer(['ok']);
      assert.equal(await turn(run), 'ok');
      assert.deepEqual((await bench.onDisk(run)).turns.slice(0, turns.length), turns);
    });

  it('closes a command that was cut, and offers nothing for it', async () => {
    await put(
      sessionOf([{ index: 1, status: 'running', parts: [{ type: 'command', text: '/model mock/n', timestamp: AT }] }]),
    );
    const run = await bench.open('notes');
    assert.equal(run.interrupted, undefined);
    assert.equal(await run.model(), 'mock/m');
  });
  describe('in another folder than it began in (R9)', () => {
    const notes = (session: Session) =>
      session.turns.flatMap(({ parts }) =>
        parts.filter((part) => isKind(part, 'system') && part.kind === 'resume').map(({ text }) => String(text)),
      );
    const prompts = async (name: string, count: number) => {
      bench.restart();
      const run = await bench.open(name);
      for (let left = count; left > 0; left--) {
        bench.provider.answer(['Yes.']);
        await turn(run);
      }
      const { session } = run;
      await bench.engine.close();
      return notes(session);
    };

    it('tells the model both folders, once', async () => {
      await put(sessionOf([], { session_name: 'moved', workspace: '/gone/before' }));
      const told = await prompts('moved', 2);
      assert.equal(told.length, 1);
      assert.ok(told[0]!.includes('/gone/before') && told[0]!.includes(bench.folder), told[0]);
      assert.ok(JSON.stringify(bench.provider.requests[0]!.messages).includes('/gone/before'));
      assert.deepEqual(await prompts('moved', 1), told);
    });

    it('says nothing in the same folder, however it is spelled, or without one', async () => {
      const link = `${bench.folder}-link`;
      await symlink(bench.folder, link);
      try {
        await put(sessionOf([], { session_name: 'same', workspace: link }));
        await put(sessionOf([], { session_name: 'absent' }));
        assert.deepEqual(await prompts('same', 1), []);
        assert.deepEqual(await prompts('absent', 1), []);
      } finally {
        await rm(link);
      }
    });

    it('says it when it is back, too', async () => {
      await put(sessionOf([], { session_name: 'back', workspace: bench.folder }));
      const text = 'The folder of this session: it began in A and goes on in B.';
      const part = { type: 'system', kind: 'resume', text, timestamp: AT };
      const visited = { index: 1, status: 'ok', parts: [user('x'), part] } as unknown as Turn;
      await put(sessionOf([visited], { session_name: 'back', workspace: bench.folder }));
      assert.equal((await prompts('back', 1)).length, 2);
    });
  });

  it('says that a file calls itself otherwise inside, and goes by its name (R10)', async () => {
    await put(sessionOf([], { session_name: 'original' }));
    await copyFile(bench.fileOf('original'), bench.fileOf('copy'));
    const copy = await bench.open('copy');
    assert.deepEqual(copy.notices, ['copy.json calls itself "original" inside. It goes by the name of its file.']);
    assert.equal(copy.name, 'copy');
    assert.deepEqual((await bench.open('original')).notices, []);
  });
});

function fillOf(part: Part): object {
  assert.match(String(part['output']), /^(Interrupted|Not run): /);
  return { output: part['output'], is_error: true };
}
