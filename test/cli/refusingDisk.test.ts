import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { useTempFolder } from '../support/tempFolder.ts';
import { CLI, ensureBuilt, node20, Place, type Result } from './polyglav.ts';

/** Mounts are made in a namespace of its own, which goes with the command. */
const hasMounts = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0;

describe('polyglav on a disk that refuses', function () {
  this.timeout(60_000);
  const folder = useTempFolder();
  let place: Place;

  before(function () {
    if (!hasMounts) this.skip();
    ensureBuilt();
  });
  beforeEach(async () => {
    place = new Place(folder.path);
    await place.make();
  });

  /** Runs the command line in the workspace after `mount`, lines of a shell that begin there and may use `$@` for the command line. */
  function run(mount: string, args: readonly string[]): Result {
    const script = `set -e; cd "$WORKSPACE"; polyglav() { "$NODE" "$CLI" "$@"; }\n${mount}\ncd "$WORKSPACE"; polyglav "$@"`;
    const { status, stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script, 'sh', ...args], {
      encoding: 'utf8',
      env: {
        ...process.env,
        ...{ NODE: node20 ?? process.execPath, CLI, WORKSPACE: place.workspace, POLYGLAV_HOME: place.home },
      },
    });
    return { code: status, stdout, stderr };
  }

  const READ_ONLY = 'mount --bind . .; mount -o remount,ro,bind "$WORKSPACE"';

  it('does nothing where it can only be read, and says so with code 2', async () => {
    await place.run(['run', '--session-id', 's', 'hello']);
    for (const args of [
      ['run', 'hello'],
      ['run', '--session-id', 's', 'hello'],
      ['continue'],
      ['export', 's'],
      ['export', 's', '--out', 'x.md'],
      ['sessions', 'delete', 's', '--yes'],
    ]) {
      const { code, stdout, stderr } = run(READ_ONLY, args);
      assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, /EROFS|can only be read/, args.join(' '));
    }
    assert.equal(
      run(READ_ONLY, ['export', 's']).stderr,
      `polyglav: The folder ${place.file('.polyglav', 'exports')} could not be made: it is on a disk that can only be read (EROFS). ` +
        'Name a file in another folder.\n',
    );
    assert.equal(run(READ_ONLY, ['history', 's']).code, 0);
  });

  it('tells once that a disk filled up while it worked', () => {
    for (const free of [16, 20, 24, 28]) {
      const fill = `mount -t tmpfs -o size=400k none .; cd "$WORKSPACE"
polyglav run --session-id s hello >/dev/null 2>&1
dd if=/dev/zero of=fill bs=1k count=${400 - free} 2>/dev/null`;
      const { code, stderr } = run(fill, ['run', '--session-id', 's', 'write a long answer']);
      const told = stderr.split('\n').filter((line) => line !== '' && line !== 'Session s');
      assert.deepEqual([code === 0, told.length], told.length === 0 ? [true, 0] : [false, 1], stderr);
    }
  });
});
