import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

import { Follower } from '../../../src/session/follow.ts';
import { SessionStore } from '../../../src/session/store.ts';
import { gate } from '../../support/engine.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('a session that is read along (R8)', () => {
  const folder = useTempFolder();

  for (const end of ['free', 'gone'] as const)
    it(`is not told to be ${end} to whoever has left it while the folder was read`, async () => {
      const store = new SessionStore(folder.path, { version: '1.0.0' });
      const held = await store.create({ name: 'held' });
      const told: string[] = [];
      const [asked, listed] = [gate(), gate()];
      const names = store.names.bind(store);
      store.names = async () => {
        asked.open();
        await listed.opened;
        return names();
      };
      const follower = await Follower.start(store, 'held', (await store.holder('held'))!, {
        changed: () => undefined,
        free: async () => void told.push('free'),
        gone: () => told.push('gone'),
      });
      await held.close();
      if (end === 'gone') await store.delete('held');
      await asked.opened;
      follower.close();
      listed.open();
      await wait(50);
      assert.deepEqual(told, []);
    });
});
