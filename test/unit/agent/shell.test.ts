import assert from 'node:assert/strict';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Run } from '../../../src/agent/run.ts';
import { tools } from '../../../src/tools/registry.ts';
import { Bench, callsOf, silence, turn, until } from '../../support/engine.ts';

describe('agent/run, the shell of a session (P1)', function () {
  this.timeout(10_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.make();
    bench.tools = tools;
    await mkdir(path.join(bench.folder, 'src'));
  });
  afterEach(() => bench.close());

  const say = async (run: Run, command: string) => {
    bench.provider.answer([{ call: 'run_command', arguments: { command } }], ['ok']);
    assert.equal(await turn(run), 'ok');
    return callsOf(run.session)[0]!.output!;
  };

  it('lasts through the session, and the folder that is judged and recorded is where it stands', async () => {
    const [run, other] = [await bench.create(), await bench.create()];
    await say(run, 'cd src; export A=1');
    assert.equal(await say(run, 'echo $A; pwd'), `1\n${bench.folder}/src\n[Exit code 0]`);
    assert.deepEqual(
      run.session.permissions.map((entry) => entry.path),
      [bench.folder, path.join(bench.folder, 'src')],
    );
    assert.equal(bench.person.asks.at(-1)!.path, path.join(bench.folder, 'src'));
    assert.equal(await say(other, 'echo ${A-none}; pwd'), `none\n${bench.folder}\n[Exit code 0]`);
  });

  it('that stands outside the workspace is asked each time, whatever is allowed (P4)', async () => {
    const run = await bench.create();
    await say(run, `cd '${tmpdir()}'`);
    bench.config = { ...bench.config, permissions: [{ layer: 'user', rules: { default: 'allow' } }] };
    await say(run, 'true');
    await say(run, 'true');
    assert.deepEqual(
      bench.person.asks.slice(1).map(({ only_once }) => only_once),
      [true, true],
    );
    bench.person.answers.push({ answer: 'yes_flag' });
    assert.match(await say(run, 'touch made'), /declined/);
  });

  it('does not enter a folder that was swapped for a link while the person was asked (P4)', async () => {
    const run = await bench.create();
    await say(run, 'cd src');
    bench.person.answers.push(async () => {
      await rename(path.join(bench.folder, 'src'), path.join(bench.folder, 'was'));
      await symlink(tmpdir(), path.join(bench.folder, 'src'));
      return { answer: 'once' };
    });
    assert.match(await say(run, 'touch made'), /led elsewhere when it was decided/);
  });

  it('is new when the session is continued by another engine, and the model is told so once', async () => {
    const { name } = await bench.create();
    await say(await bench.open(name), 'cd src');
    await bench.engine.close();
    bench.restart();
    const run = await bench.open(name);
    const news = '[The shell is new: this ran in the workspace folder, without what was exported before.]';
    assert.equal(await say(run, 'pwd'), `${bench.folder}\n${news}\n[Exit code 0]`);
    assert.equal(await say(run, 'pwd'), `${bench.folder}\n[Exit code 0]`);
  });

  it('is as it was when the session was given back and opened again', async () => {
    const run = await bench.create();
    await say(run, 'cd src');
    await bench.engine.release(run.name);
    assert.equal(await say(await bench.open(run.name), 'pwd'), `${bench.folder}/src\n[Exit code 0]`);
  });

  it('and what was allowed are not those of a deleted session of the same name', async () => {
    const first = await bench.create('notes');
    bench.person.answers.push({ answer: 'session' });
    await say(first, 'cd src');
    await bench.engine.release('notes');
    await bench.engine.store.delete('notes');
    const second = await bench.create('notes');
    await say(second, 'cd src');
    assert.equal(bench.person.asks.length, 2);
    assert.equal(bench.person.asks[1]!.path, bench.folder);
  });

  it('is reset only while no turn runs, which the model is told and the log is not', async () => {
    const run = await bench.create();
    await say(run, 'cd src; export A=1');
    bench.provider.answer([silence]);
    await run.submit('first');
    await until(() => bench.provider.open === 1);
    assert.throws(() => run.resetShell(), {
      name: 'Refusal',
      message: /Not while a turn runs\..* \/reset-shell again/,
    });
    await run.stop();
    const { turns } = run.session;
    const before = turns.length;
    run.resetShell();
    assert.equal(turns.length, before);
    assert.match(await say(run, 'echo ${A-none}; pwd'), /^none\n[^\n]*[^c]\n\[The person reset the shell: /);
  });
});
