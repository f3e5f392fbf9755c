/** A reader in another process than a busy writer (R8): never a broken session, nor one older than what was acknowledged. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { SessionStore } from '../../src/session/store.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { buildChild, Child, removeChild } from './children.ts';

const SECONDS = process.env['POLYGLAV_CRASH'] === 'short' ? 3 : 30;

describe('a reader beside a busy writer', function () {
  this.timeout(5 * 60_000);
  const folder = useTempFolder();
  before(buildChild);
  after(removeChild);

  it('sees a whole session with all that was acknowledged before it looked', async () => {
    const store = new SessionStore(folder.path, { version: '1.0.0' });
    const count = join(folder.path, 'count');
    const acknowledged = () => Number(readFileSync(count, 'utf8'));
    const writer = new Child('write', folder.path, 'busy', count);
    try {
      await writer.next(0);
      const until = Date.now() + SECONDS * 1000;
      let reads = 0;
      while (Date.now() < until) {
        const atLeast = acknowledged();
        const { errors, turns } = await store.read('busy');
        assert.ok(errors.length >= atLeast, `${atLeast} were acknowledged, ${errors.length} are there`);
        assert.deepEqual(
          errors.map(({ code }) => code),
          errors.map((_, position) => position + 1),
        );
        assert.ok((turns[0]?.parts.length ?? 0) >= errors.length);
        const [summary] = await store.list();
        assert.equal(summary?.problem, undefined);
        reads++;
      }
      console.log(`      ${reads} reads while ${acknowledged()} entries were written`);
      assert.ok(reads > 5 && acknowledged() > 100);
    } finally {
      await writer.kill();
    }
    assert.equal(writer.errors, '');
    const { file } = await store.open('busy');
    assert.ok(file.session.errors.length >= acknowledged());
    await file.close();
  });

  it('sees no less while it is closed and opened again and again, in a list and in a stream too', async () => {
    const store = new SessionStore(folder.path, { version: '1.0.0' });
    const count = join(folder.path, 'count');
    const acknowledged = () => Number(readFileSync(count, 'utf8'));
    const writer = new Child('reopen', folder.path, 'busy', count);
    const streamed = () =>
      store.stream('busy', async ({ items }) => {
        let turns = 0;
        for await (const item of items()) if (item.type === 'turn') turns++;
        return turns;
      });
    const ways: [what: string, turns: () => Promise<number | string | undefined>][] = [
      ['list', async () => (await store.list()).map(({ problem, turns }) => problem ?? turns)[0]],
      ['read', async () => (await store.read('busy')).turns.length],
      ['stream', streamed],
    ];
    try {
      await writer.next(0);
      const until = Date.now() + SECONDS * 1000;
      let reads = 0;
      for (; Date.now() < until; reads++)
        for (const [what, turns] of ways) {
          const atLeast = acknowledged();
          const found = await turns();
          assert.ok(Number(found) >= atLeast, `${what}: ${atLeast} were acknowledged, ${found} are there`);
        }
      console.log(`      ${reads} rounds while ${acknowledged()} turns were written`);
      assert.ok(reads > 5 && acknowledged() > 20);
    } finally {
      await writer.kill();
    }
    assert.equal(writer.errors, '');
  });
});
