import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { useTempFolder } from '../support/tempFolder.ts';
import { ensureBuilt, Place } from './polyglav.ts';

const AT = '2026-08-17T12:00:00+00:00';

describe('polyglav export and sessions', function () {
  this.timeout(30_000);
  const folder = useTempFolder();
  let place: Place;

  before(ensureBuilt);
  beforeEach(async () => {
    place = new Place(folder.path);
    await place.make();
    await mkdir(place.file('.polyglav', 'sessions'), { recursive: true });
  });

  /** A session with `turns` turns of about 5 KB. */
  function save(name: string, turns: number, header: object = {}): Promise<void> {
    const session = {
      created_at: AT,
      errors: [],
      parent_id: '',
      permissions: [],
      role: '',
      session_id: '',
      session_name: name,
      sub_sessions: [],
      turns: Array.from({ length: turns }, (_, index) => ({
        index: index + 1,
        status: 'ok',
        parts: [
          { type: 'user', text: `prompt ${index + 1}`, timestamp: AT },
          { type: 'text', text: 'ä'.repeat(2500), timestamp: AT },
        ],
      })),
      updated_at: AT,
      version: '',
      ...header,
    };
    return writeFile(place.file('.polyglav', 'sessions', `${name}.json`), JSON.stringify(session));
  }

  it('writes the default file, and the same to standard output for a slow reader (E2)', async () => {
    await save('big', 1000);
    const { code, stderr } = await place.run(['export', 'big']);
    assert.equal(code, 0);
    const file = place.file('.polyglav', 'exports', 'big.md');
    assert.equal(stderr, `Exported to ${file}\n`);
    const exported = await readFile(file, 'utf8');
    assert.equal(exported.match(/^## Turn /gm)!.length, 1000);
    assert.ok(exported.endsWith('## Errors\n\nNone.\n'));
    const piped = await place.run(['export', 'big', '--out', '-'], {
      during: async ({ stdout }) => {
        stdout!.pause();
        await wait(500);
        stdout!.resume();
      },
    });
    assert.equal(piped.code, 0);
    assert.ok(piped.stdout === exported, 'the pipe got something else than the file');
  });

  it('ends quietly when the reader has gone', async () => {
    await save('big', 1000);
    const { code, stderr } = await place.run(['export', 'big', '--out', '-'], {
      during: ({ stdout }) => void stdout!.once('data', () => stdout!.destroy()),
    });
    assert.deepEqual([code, stderr], [0, '']);
  });

  it('works without the configuration, and by id', async () => {
    await place.configure('{ broken');
    await save('ses_20260817_120000_ab12cd', 1);
    assert.equal((await place.run(['export', '#ab12cd'])).code, 0);
    assert.ok(existsSync(place.file('.polyglav', 'exports', 'ses_20260817_120000_ab12cd.md')));
  });

  it('refuses with exit code 2, and changes nothing', async () => {
    await save('s', 1);
    await writeFile(place.file('mine.md'), 'mine');
    const before = await readFile(place.file('.polyglav', 'sessions', 's.json'));
    const refused: [args: string[], message: RegExp][] = [
      [['nobody'], /There is no session "nobody"/],
      [['../../s'], /path separator/],
      [['s', '--out', 'mine.md'], /exists already\. Use --force/],
      [['s', '--out', 'no/x.md'], /does not exist/],
      [['s', '--out', '.'], /is a folder/],
      [['s', '--out', '.polyglav/sessions/s.json', '--force'], /inside a sessions folder/],
      [['s', '--out', ''], /empty/],
      [['s', '--format', 'pdf'], /Allowed choices are md, html/],
    ];
    for (const [args, message] of refused) {
      const { code, stderr } = await place.run(['export', ...args]);
      assert.match(stderr, message);
      assert.equal(code, 2);
    }
    assert.equal(await readFile(place.file('mine.md'), 'utf8'), 'mine');
    assert.deepEqual(await readFile(place.file('.polyglav', 'sessions', 's.json')), before);
    assert.equal((await place.run(['export', 's', '--out', 'mine.md', '--force'])).code, 0);
    assert.match(await readFile(place.file('mine.md'), 'utf8'), /^# Session `s`/);
  });

  it('lists sessions as a table and as JSON, also those that do not load', async () => {
    await save('parent', 2);
    await save('sub_20260817_120100_cd34ef', 1, { parent_id: 'parent', session_id: 'cd34ef' });
    await writeFile(place.file('.polyglav', 'sessions', 'broken.json'), '{');
    const { code, stdout } = await place.run(['sessions']);
    assert.equal(code, 0);
    assert.match(stdout, /^NAME +CHANGED +LAST TURN +STATUS +TITLE\n/);
    assert.match(stdout, /^parent +2026-08-17 +#2 +ok +prompt 1$/m);
    assert.match(stdout, /^sub_20260817_120100_cd34ef .*\(sub-agent of parent\) prompt 1$/m);
    assert.match(stdout, /^broken .* - +- +broken\.json is not JSON/m);
    const listed = JSON.parse((await place.run(['sessions', '--format', 'json'])).stdout) as {
      name: string;
      problem?: string;
    }[];
    assert.deepEqual(listed.map(({ name }) => name).sort(), ['broken', 'parent', 'sub_20260817_120100_cd34ef']);
    assert.match(listed.find(({ name }) => name === 'broken')!.problem!, /not JSON/);
  });

  it('has no sessions to list at first', async () => {
    assert.deepEqual(await place.run(['sessions', '--format', 'json']), { code: 0, stdout: '[]\n', stderr: '' });
    const { code, stdout, stderr } = await place.run(['sessions']);
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /no saved sessions/);
  });
});
