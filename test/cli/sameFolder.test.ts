import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';

import { useTempFolder } from '../support/tempFolder.ts';
import { ensureBuilt, Place } from './polyglav.ts';

describe('one folder under several names (A15)', () => {
  const temp = useTempFolder();
  before(ensureBuilt);

  it('has one list of sessions', async function () {
    this.timeout(60_000);
    const place = new Place(temp.path);
    await place.make();
    const link = path.join(temp.path, 'link');
    await symlink(place.workspace, link);
    const upper = path.join(temp.path, 'WORKSPACE');
    const names = [
      place.workspace,
      `${place.workspace}/`,
      `${place.workspace}/../workspace`,
      link,
      `${link}/.`,
      // Where the file system does not tell letter case.
      ...(existsSync(upper) ? [upper] : []),
    ];
    for (const [at, cwd] of names.entries()) {
      // As a shell says it: where it went, not where that really is.
      const { code, stderr } = await place.run(['run', '--session-id', `s${at}`, 'hello'], { cwd, env: { PWD: cwd } });
      assert.equal(code, 0, stderr);
    }
    const saved = names.map((_, at) => `s${at}`);
    assert.deepEqual((await place.sessions()).sort(), saved);
    for (const cwd of names) {
      const { stdout } = await place.run(['sessions'], { cwd, env: { PWD: cwd } });
      for (const name of saved) assert.match(stdout, new RegExp(`\\b${name}\\b`));
    }
    assert.equal(new Set(await Promise.all(saved.map(async (name) => (await place.session(name)).workspace))).size, 1);
  });
});
