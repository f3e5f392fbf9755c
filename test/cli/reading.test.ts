import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { SessionStore } from '../../src/session/store.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { ensureBuilt, Place } from './polyglav.ts';

const AT = '2026-08-17T12:00:00+00:00';
const NAME = 'ses_20260817_120000_ab12cd';

describe('polyglav history, print, session, sessions and continue', function () {
  this.timeout(60_000);
  const folder = useTempFolder();
  let place: Place;

  before(ensureBuilt);
  beforeEach(async () => {
    place = new Place(folder.path);
    await place.make();
    await mkdir(place.file('.polyglav', 'sessions'), { recursive: true });
  });

  const fileOf = (name: string) => place.file('.polyglav', 'sessions', `${name}.json`);

  function save(name: string, more: object = {}): Promise<void> {
    const session = {
      created_at: AT,
      errors: [],
      parent_id: '',
      permissions: [],
      role: '',
      session_id: 'ab12cd',
      session_name: name,
      sub_sessions: ['sub_20260817_120100_cd34ef'],
      turns: [1, 2, 3].map((index) => ({
        index,
        started_at: AT,
        ended_at: '2026-08-17T12:00:05.5+00:00',
        status: 'ok',
        parts: [
          { type: 'user', text: `prompt ${index}\u001b[31m`, timestamp: AT },
          { type: 'thinking', text: 'Hm.\nWell.', timestamp: AT },
          { type: 'tool', name: 'file_read', input: { path: 'a' }, output: 'x'.repeat(5000), timestamp: AT },
          { type: 'text', text: `answer ${index}`, timestamp: AT },
        ],
      })),
      updated_at: AT,
      version: '',
      ...more,
    };
    return writeFile(fileOf(name), JSON.stringify(session));
  }

  it('lists the decisions, for a person and for a program (P6)', async () => {
    const permission = { tool: 'file_read', action: 'allow', decision: 'granted', path: '/x/a', timestamp: AT };
    await save(NAME, { permissions: [{ ...permission, turn: 2, part: 3, by: 'default' }, permission] });
    const { stdout } = await place.run(['permissions', NAME]);
    assert.equal(
      stdout,
      `${NAME}\n2 decisions: 2 granted\n#2.3  granted  file_read  a\n    ${AT}  by default  /x/a\n-  granted  file_read\n    ${AT}  /x/a\n`,
    );
    const json = await place.run(['permissions', '#ab12cd', '--format', 'json']);
    assert.deepEqual(JSON.parse(json.stdout), [
      { ...permission, turn: 2, part: 3, by: 'default', call: 'a' },
      permission,
    ]);
    await save(NAME);
    assert.equal((await place.run(['permissions', NAME, '--format', 'json'])).stdout, '[]\n');
    assert.deepEqual(
      (await Promise.all([place.run(['permissions', 'nobody']), place.run(['permissions'])])).map(({ code }) => code),
      [2, 2],
    );
  });

  it('reads by any selector and changes nothing, with a broken configuration too', async () => {
    await place.configure('{ broken');
    await save(NAME, { role: 'reviewer' });
    const before = await readFile(fileOf(NAME));
    for (const selector of ['#ab12cd', NAME, `session:${NAME}`, 'reviewer']) {
      const { code, stdout } = await place.run(['history', selector, '2', '--thoughts']);
      assert.equal(code, 0);
      assert.equal(
        stdout,
        '#2  [ok]  5.5s  1 tool  prompt 2\\u001b[31m\n    Hm.\n#3  [ok]  5.5s  1 tool  prompt 3\\u001b[31m\n    Hm.\n'.replaceAll(
          '\\u001b',
          stdout.includes('\\u001b') ? '\\u001b' : (/prompt 2(.+?)\[31m/.exec(stdout)?.[1] ?? ''),
        ),
      );
      assert.ok(!stdout.includes('\u001b'), 'a control character of the log reached the terminal');
    }
    assert.match((await place.run(['history', NAME, 'all', '--thoughts', 'all'])).stdout, / {4}Hm\.\n {4}Well\./);
    const excerpts = (await place.run(['history', NAME, '--thoughts'])).stdout;
    for (const args of [
      ['--thoughts', NAME],
      ['--run', NAME, '--thoughts'],
    ])
      assert.equal((await place.run(['history', ...args])).stdout, excerpts, args.join(' '));
    assert.equal((await place.run(['print', '--run', NAME, '3.4'])).stdout, '3.4 Answer\nanswer 3\n');
    const turn = (await place.run(['print', NAME, '2'])).stdout;
    assert.match(turn, /^#2\nStatus: ok\nDuration: 5\.5s\n[^]*Model: -\n/);
    assert.match(turn, /\.\.\. \(\d+ more chars, use --full\)/);
    assert.match((await place.run(['print', NAME, '2.3', '--full'])).stdout, /^2\.3 Tool call[^]*x{5000}\n$/);
    assert.equal((await place.run(['print', NAME, '3.4'])).stdout, '3.4 Answer\nanswer 3\n');
    const about = (await place.run(['session', '#ab12cd'])).stdout;
    assert.match(about, /^Session: ses_.*\nFile: \/.*ab12cd\.json\nTurns: 3\nContext: \d+ messages, ~\d+ tokens\n$/);
    assert.match(
      (await place.run(['sessions', 'preview', NAME])).stdout,
      /Turns: 3\n[^]*Sub-sessions: sub_20260817_120100_cd34ef \(never started\)/,
    );
    assert.deepEqual(await readFile(fileOf(NAME)), before);
    assert.ok(!existsSync(place.file('.polyglav', 'sessions', '.journal')));
  });

  it('refuses what names nothing, with exit code 2', async () => {
    assert.match(
      (await place.run(['history'])).stderr,
      /There is no session in this folder yet\. "polyglav run <prompt>" begins one/,
    );
    await save(NAME);
    const NAMED =
      /Name a session, such as "ses_20260817_120000_ab12cd" \(the newest\)\. "polyglav sessions" lists them\.$/m;
    const refused: [args: string[], message: RegExp][] = [
      [['history', 'nobody'], /There is no session "nobody"/],
      [['history', '#3'], /There is no run #3\. No session is open here/],
      [['history', NAME, 'x'], /"x" is no number of turns\. Write a whole number above 0, or "all"/],
      [['history', NAME, '--thoughts', 'some'], /"some" is no number of turns/],
      [['history', NAME, '2', '3'], /polyglav history takes one number of turns, not "3" too/],
      [['history', '--run', NAME, '--run', NAME], /polyglav history takes --run once/],
      [['history', NAME, '--al'], /has no option "--al"; it has --thoughts \[all\] and --run <target>/],
      [['history'], NAMED],
      [['history', '--thoughts'], NAMED],
      [['print'], NAMED],
      [['session'], NAMED],
      [['sessions', 'preview'], NAMED],
      [['export'], NAMED],
      [['print', '3'], /polyglav print needs the number of a turn behind the session/],
      [['print', NAME, '1', '2'], /polyglav print shows one turn or part at a time, not "2" too/],
      [['print', NAME, '9'], /There is no turn 9\. There are turns 1 to 3/],
      [['print', NAME, '1.9'], /no part 9/],
      [['print', NAME, 'one'], /"one" names no turn/],
      [['session', 'nobody'], /There is no session/],
      [['sessions', 'preview', 'nobody'], /There is no session/],
      [['sessions', 'delete', 'nobody', '--yes'], /There is no session/],
      [['sessions', 'delete', NAME], /no terminal to ask in, so nothing was done\. --yes answers/],
      [['run', `/sessions delete ${NAME}`], /no terminal to ask in/],
      [
        ['sessions', 'delte', 's'],
        /has no command "delte"\. There are: list, preview, delete, export\. Did you mean "delete"\?/,
      ],
      [['sessions', 'list', 's'], /has no command "s"/],
      [['continue', 'nobody'], /There is no session/],
      [['export', NAME, '--sessions-dir', 'nowhere'], /is no folder/],
      [['export', NAME, '--out', 'a', '--output-file', 'b'], /cannot be used with option/],
    ];
    for (const [args, message] of refused) {
      const { code, stdout, stderr } = await place.run(args);
      assert.match(stderr, message);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    }
    assert.ok(existsSync(fileOf(NAME)));
  });

  it('deletes with --yes, from both command lines', async () => {
    await save('a');
    await save('b');
    await writeFile(fileOf('broken'), '{');
    const { code, stderr } = await place.run(['sessions', 'delete', 'a', '--yes']);
    assert.deepEqual([code, stderr], [0, 'Deleted the session a.\n']);
    assert.equal((await place.run(['run', '--yes', '/sessions delete b'])).stdout, 'Deleted the session `b`.\n');
    assert.equal((await place.run(['sessions', 'delete', 'broken', '--yes'])).code, 0);
    assert.deepEqual(await place.sessions(), []);
  });

  it('names at once who holds a session, with exit code 2 (R8)', async () => {
    const store = new SessionStore(place.workspace, { version: '0.0.0', program: 'a busy window' });
    const file = await store.create({ name: 'busy' });
    try {
      for (const args of [
        ['run', '--session-id', 'busy', 'hello'],
        ['continue', 'busy'],
        ['sessions', 'delete', 'busy', '--yes'],
      ]) {
        const { code, stderr } = await place.run(args);
        assert.equal(code, 2, args.join(' '));
        assert.match(stderr, /"busy" is open in a busy window \(process \d+ on /);
      }
      assert.equal((await place.run(['history', 'busy'])).stdout, 'No turns yet.\n');
    } finally {
      await file.close();
    }
  });

  it('continues the newest session: closes what was interrupted and says it', async () => {
    assert.match((await place.run(['continue'])).stderr, /no session to continue in this folder/);
    await save('old');
    const turns = [
      { index: 1, started_at: AT, status: 'running', parts: [{ type: 'user', text: 'Do it.', timestamp: AT }] },
    ];
    await save(NAME, { turns, updated_at: '2026-08-18T12:00:00+00:00' });
    await save('sub_20260817_120100_cd34ef', { parent_id: NAME, updated_at: '2026-08-19T12:00:00+00:00' });
    const { code, stdout } = await place.run(['continue']);
    assert.deepEqual([code, stdout], [0, `${NAME}\nDo it.\n`]);
    assert.equal((await place.session(NAME)).turns[0]!.status, 'cancelled');
    // Nobody has answered it yet, so it is offered until somebody does.
    assert.equal((await place.run(['continue'])).stdout, `${NAME}\nDo it.\n`);
    await place.run(['run', '--session-id', NAME, '/mode plan']);
    assert.equal((await place.run(['continue'])).stdout, `${NAME}\n`);
    assert.equal((await place.run(['continue', 'session:old'])).stdout, 'old\n');
  });

  it('exports HTML, and from another folder of sessions', async () => {
    await save(NAME);
    const elsewhere = path.join(folder.path, 'kept', 'sessions');
    await cp(place.file('.polyglav', 'sessions'), elsewhere, { recursive: true });
    const file = place.file('.polyglav', 'exports', `${NAME}.html`);
    assert.equal((await place.run(['export', '#ab12cd', '--format', 'html'])).stderr, `Exported to ${file}\n`);
    assert.match(await readFile(file, 'utf8'), /^<!doctype html>/i);
    assert.match((await place.run(['export', NAME, '--format', 'html'])).stderr, /exists already/);
    assert.equal((await place.run(['export', NAME, '--format', 'html', '--force'])).code, 0);
    const other = await place.run(['export', NAME, '--sessions-dir', elsewhere, '--output-file', 'there.md']);
    assert.equal(other.code, 0);
    assert.match(await readFile(place.file('there.md'), 'utf8'), /prompt 3/);
    const inside = path.join(elsewhere, 'x.md');
    assert.match(
      (await place.run(['export', NAME, '--sessions-dir', elsewhere, '--out', inside])).stderr,
      /inside a sessions folder/,
    );
    assert.equal(
      (await place.run(['run', `/sessions export ${NAME} -`])).stdout,
      await readFile(place.file('there.md'), 'utf8'),
    );
    assert.equal((await place.run(['sessions', 'export', NAME])).code, 0);
  });

  it('keeps noisy outputs out of the file (R11)', async () => {
    await place.configure({ model: 'demo/demo', session_tool_max_chars: 5 });
    await writeFile(place.file('a.txt'), 'a needle in the hay\n');
    await place.run(['run', '--session-id', 'short', 'search for "needle"']);
    const call = (await place.session('short')).turns[0]!.parts.find(({ type }) => type === 'tool');
    assert.match(String(call?.['output']), /^.{5}… \(truncated from \d+ chars\)$/su);
  });
});
