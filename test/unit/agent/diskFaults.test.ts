import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { UserRules } from '../../../src/config/userRules.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, callsOf, silence, tool, turn, until } from '../../support/engine.ts';

describe('agent/run, while the log cannot be written', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  const sessions = () => dirname(bench.fileOf('x'));

  /** A file stands where the folder was: it cannot be made again. */
  const breakDisk = async () => {
    await rm(sessions(), { recursive: true });
    await writeFile(sessions(), '');
  };
  const mendDisk = () => rm(sessions());

  it('is not run, the person is told, and all of it is saved when the disk comes back', async () => {
    const ran: unknown[] = [];
    bench.tools = [tool('file_read', ({ path }) => `${ran.push(path)} read`)];
    bench.provider.answer(
      [breakDisk, { call: 'file_read', arguments: { path: 'a' } }, { call: 'file_read', arguments: { path: 'b' } }],
      ['Back.'],
    );
    const run = await bench.create();
    assert.equal(await turn(run), 'error');
    assert.deepEqual(ran, []);
    assert.ok(bench.events.some((event) => event.type === 'problem' && /could not be saved/.test(event.message)));
    assert.ok(callsOf(run.session).every(({ is_error }) => is_error));

    await mendDisk();
    assert.equal(await turn(run, 'Again.'), 'ok');
    const session = await bench.onDisk(run);
    assert.deepEqual(session, run.session);
    assert.deepEqual(
      session.turns.map(({ status }) => status),
      ['error', 'ok'],
    );
    assert.match(session.errors[0]!.message, /could not be saved/);
    assert.deepEqual(faultsOf(session), []);
  });

  it('is not run either when only its decision could not be written', async () => {
    let ran = false;
    bench.tools = [tool('file_write', () => `${(ran = true)}`)];
    bench.person.answers.push(async () => {
      await breakDisk();
      return { answer: 'once' };
    });
    bench.provider.answer([{ call: 'file_write', arguments: { path: 'a.txt' } }]);
    const run = await bench.create();
    assert.equal(await turn(run), 'error');
    assert.equal(ran, false);
    await mendDisk();
  });

  for (const answer of ['session', 'always'] as const)
    it(`allows nothing from then on when the answer "${answer}" could not be written (P3)`, async () => {
      const home = join(bench.folder, 'home');
      bench.restart({ rules: new UserRules({ workspace: bench.folder, home }) });
      bench.person.answers.push(
        async () => {
          await breakDisk();
          return { answer };
        },
        { answer: 'refused' },
      );
      const write = { call: 'file_write', arguments: { path: 'a.txt' } };
      bench.provider.answer([write], [write], ['ok']);
      const run = await bench.create();
      assert.equal(await turn(run), 'error');
      await mendDisk();
      assert.equal(await turn(run, 'Again.'), 'ok');
      assert.equal(bench.person.asks.length, 2);
      await assert.rejects(readFile(join(home, 'config.json')), { code: 'ENOENT' });
    });

  it('sends nothing: the prompt is refused, and saved later', async () => {
    bench.provider.answer(['ok']);
    const run = await bench.create();
    await breakDisk();
    await assert.rejects(run.submit('Do not lose me.'), /could not be saved.*[Nn]othing was sent/);
    assert.equal(bench.provider.requests.length, 0);
    assert.equal(run.state, 'idle');
    await mendDisk();
    assert.equal(await turn(run), 'ok');
    const session = await bench.onDisk(run);
    assert.deepEqual(
      session.turns.map(({ status, parts }) => [status, parts[0]!['text']]),
      [
        ['error', 'Do not lose me.'],
        ['ok', 'Go.'],
      ],
    );
    assert.match(session.errors[0]!.message, /could not be saved.*Nothing was sent/);
    assert.equal(session.errors[0]!.timestamp, session.turns[0]!.ended_at);
    assert.deepEqual(faultsOf(session), []);
    // Nobody stopped it; and the model, which never saw it, learns that it was not sent.
    const sent = JSON.stringify(bench.provider.requests[0]!.messages);
    assert.match(sent, /Do not lose me\..*not sent.*Go\./);
    assert.doesNotMatch(sent, /person stopped/);
  });

  it('stops a stream whose text can no longer be saved, and says so once', async () => {
    bench.provider.answer(['a', breakDisk, 'b', silence], ['ok']);
    const run = await bench.create();
    const { done } = await run.submit('Go.');
    assert.equal(await done, 'error');
    assert.deepEqual(
      bench.events.flatMap((event) => (event.type === 'problem' ? [/could not be saved/.test(event.message)] : [])),
      [true],
    );
    assert.equal(run.session.turns[0]!.parts[1]!['text'], 'ab');
    await mendDisk();
    assert.equal(await turn(run), 'ok');
    const session = await bench.onDisk(run);
    assert.deepEqual(session, run.session);
    assert.match(session.errors[0]!.message, /could not be saved.*The turn was stopped/);
    assert.equal(session.errors[0]!.timestamp, session.turns[0]!.ended_at);
    assert.doesNotMatch(JSON.stringify(bench.provider.requests[1]!.messages), /person stopped/);
  });

  for (const switched of ['mode', 'model'] as const)
    it(`refuses another ${switched}, which is then not in force`, async () => {
      const run = await bench.create();
      await breakDisk();
      const change = switched === 'mode' ? run.setMode('plan') : run.setModel('mock/n');
      await assert.rejects(change, { name: 'Refusal', message: /could not be saved/ });
      assert.deepEqual([await run.mode(), await run.model(), run.state], ['build', 'mock/m', 'idle']);
      await mendDisk();
      await run.setMode('build');
      const session = await bench.onDisk(run);
      assert.deepEqual(
        session.turns.map(({ status }) => status),
        ['error', 'ok'],
      );
      assert.equal(session.errors[0]!.timestamp, session.turns[0]!.ended_at);
      assert.deepEqual(faultsOf(session), []);
    });

  for (const end of ['close', 'suspend'] as const)
    it(`that of one run fails ${end} only when the other runs have ended too`, async () => {
      let ended = false;
      bench.tools = [
        tool('file_read', async (_, { signal }) => {
          await silence({ signal } as never).catch(() => wait(100));
          ended = true;
          return '';
        }),
      ];
      const broken = await bench.create();
      const slow = await bench.create();
      bench.provider.answer([{ call: 'file_read' }]);
      await slow.submit('Go.');
      await until(() => slow.session.permissions.length === 1);
      bench.provider.answer(['a', breakDisk, 'b', silence]);
      await broken.submit('Go.');
      await until(() => broken.session.turns[0]!.parts[1]?.['text'] === 'ab');
      await assert.rejects(bench.engine[end]());
      assert.ok(ended);
      await mendDisk();
    });

  it('hands a queued prompt back that can no longer be written', async () => {
    bench.provider.answer(['ok', breakDisk]);
    const run = await bench.create();
    const first = await run.submit('1');
    const second = await run.submit('2');
    await first.done;
    assert.equal(await second.done, 'cancelled');
    await until(() => run.state === 'idle');
    assert.deepEqual(bench.returned(), ['2']);
    await mendDisk();
  });

  it('is not run when the folder was removed meanwhile; the turn ends, and everything is there again', async () => {
    const ran: unknown[] = [];
    bench.tools = [tool('file_read', ({ path }) => `${ran.push(path)} read`)];
    bench.provider.answer([
      () => rm(dirname(sessions()), { recursive: true }),
      { call: 'file_read', arguments: { path: 'a' } },
    ]);
    const run = await bench.create();
    assert.equal(await turn(run), 'error');
    assert.deepEqual(ran, []);
    assert.match(run.session.errors[0]!.message, /could not be saved: The folder .* was removed/);
    assert.deepEqual(await bench.onDisk(run), run.session);
  });
});
