import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { until } from '../support/engine.ts';
import type { Reply } from '../support/mockProvider.ts';
import { useMockedPlace, type MockedPlace } from './mocked.ts';

describe('polyglav run, for a reader of its JSON that', function () {
  this.timeout(30_000);
  let place: MockedPlace;
  useMockedPlace((made) => (place = made));

  const withReplies = (replies: Reply[]) => place.replies(replies, { key: false });
  const flood = 100_000_000;
  /** Bytes of memory that the process has. */
  const memory = async (pid: number) =>
    Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

  it('is slow, keeps nothing in memory and loses nothing', async function () {
    if (process.platform !== 'linux') this.skip();
    this.timeout(90_000);
    await withReplies([
      [{ call: 'run_command', arguments: { command: `yes x | tr -d '\\n' | head -c ${flood}` } }],
      [{ text: 'Done.' }],
    ]);
    let [before, after] = [0, 0];
    const { code, stdout } = await place.run(['run', '--yes', '--format', 'json', 'x'], {
      during: async (child) => {
        await until(() => place.mock.requests.length === 1);
        child.stdout!.pause();
        before = await memory(child.pid!);
        await wait(2000);
        after = await memory(child.pid!);
        assert.equal(place.mock.requests.length, 1, 'it did not wait for its reader');
        child.stdout!.resume();
      },
    });
    assert.ok(after - before < 50_000_000, `${after - before} bytes more`);
    assert.equal(code, 0);
    const events = stdout.trimEnd().split('\n');
    const pieces = events.map((line) => JSON.parse(line) as { piece?: string }).map(({ piece }) => piece?.length ?? 0);
    assert.equal(
      pieces.reduce((sum, length) => sum + length, 0),
      flood,
    );
  });

  it('has gone, goes on to the end without a word', async () => {
    await withReplies([[{ call: 'file_list', arguments: {} }], [{ text: 'Done.' }]]);
    const { code, stderr } = await place.run(['run', '--session-id', 's', '--format', 'json', 'x'], {
      during: ({ stdout }) => void stdout!.once('data', () => stdout!.destroy()),
    });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal((await place.session('s')).turns[0]!.status, 'ok');
  });

  it('has gone while it was slow, goes on to the end too', async () => {
    const many: Reply = Array.from({ length: 3000 }, () => ({ text: 'x'.repeat(100) }));
    await withReplies([many]);
    const { code, stderr } = await place.run(['run', '--session-id', 's', '--format', 'json', 'x'], {
      during: async ({ stdout }) => {
        await until(() => place.mock.requests.length === 1);
        stdout!.pause();
        await wait(1000);
        stdout!.destroy();
      },
    });
    assert.deepEqual([code, stderr], [0, '']);
    const { parts } = (await place.session('s')).turns[0]!;
    assert.equal(String(parts[1]!['text']).length, 300_000);
  });
});
