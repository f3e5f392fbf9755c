import assert from 'node:assert/strict';

import type { PermissionEntry, Session } from '../../../src/session/schema.ts';
import { streamOf } from '../../../src/session/stream.ts';
import { audit, auditEntries } from '../../../src/transcript/audit.ts';
import { collected } from './collected.ts';
import { AT, part, sessionOf } from './logs.ts';

/** {@link AT} as a clock here shows it. */
const DAY = '2026-08-17';
const TIME = new Date(AT).toTimeString().slice(0, 8);

describe('transcript/audit (P6)', () => {
  const entry = (more: Partial<PermissionEntry>): PermissionEntry => ({
    tool: 'run_command',
    action: 'ask',
    decision: 'granted',
    timestamp: AT,
    ...more,
  });
  const call = (name: string, input: object) => part('tool', { name, input });
  const turns = [
    {
      parts: [
        part('user', { text: 'go' }),
        call('run_command', { command: 'npm test\n&& rm x' }),
        call('todo_write', { todos: [] }),
      ],
    },
    { parts: [part('user', { text: 'on' }), call('file_edit', { old: 'a', path: 'src/a.ts', new: 'b' })] },
  ];
  const permissions = [
    entry({ turn: 1, part: 2, by: 'refused', decision: 'declined', path: '/home/me/shop' }),
    entry({ turn: 1, part: 3, by: 'default', action: 'allow', tool: 'todo_write' }),
    entry({
      turn: 2,
      part: 2,
      by: 'user: file_edit "src/**" deny',
      action: 'deny',
      decision: 'denied',
      tool: 'file_edit',
    }),
    entry({ tool: 'from another program' }),
    entry({ turn: 9, part: 9 }),
  ];
  const shown = async (session: Session) => (await collected(audit(streamOf(session)))).map(({ text }) => text);

  it('gives each decision once, in order, with its call and who or which rule decided', async () => {
    assert.deepEqual(await shown(sessionOf(turns, { permissions, workspace: '/home/me/shop' })), [
      'ses_20260817_120000_ab12cd',
      '5 decisions: 3 granted, 1 declined, 1 denied',
      DAY,
      `${TIME}  #1.2  declined  asked: not allowed`,
      '    run_command  npm test && rm x',
      `${TIME}  #1.3  granted  by default`,
      '    todo_write  {"todos":[]}',
      `${TIME}  #2.2  denied  by user: file_edit "src/**" deny`,
      '    file_edit  src/a.ts',
      `${TIME}  -  granted  asked`,
      '    from another program',
      `${TIME}  #9.9  granted  asked`,
      '    run_command',
    ]);
  });

  it('tells a no with a word from one without', async () => {
    const output =
      'The person declined this call and said: "use "pnpm"" Go by that; do not try the same in another way.';
    const declined = [{ parts: [part('tool', { name: 'run_command', input: { command: 'npm i' }, output })] }];
    const one = entry({ turn: 1, part: 1, by: 'refused', decision: 'declined' });
    const lines = await shown(sessionOf(declined, { permissions: [one] }));
    assert.equal(lines[3], `${TIME}  #1.1  declined  asked: not allowed, with the word “use "pnpm"”`);
  });

  it('names a folder where it changes, a file where the call does not say it, and a date once for its day', async () => {
    const next = '2026-08-19T12:00:00.000+00:00';
    const paths = ['/w', '/w/a', '/w/a', '/w'];
    const files = ['/w/src/a.ts', '/elsewhere/a.ts'];
    const lines = await shown(
      sessionOf([{ parts: files.map(() => call('file_edit', { path: 'src/a.ts' })) }], {
        workspace: '/w',
        permissions: [
          ...paths.map((path) => entry({ path })),
          ...files.map((path, index) =>
            entry({ tool: 'file_edit', path, turn: 1, part: index + 1, timestamp: index === 0 ? AT : next }),
          ),
        ],
      }),
    );
    const told = lines.slice(2).filter((line) => !line.startsWith(TIME));
    assert.deepEqual(
      told.map((line) => line.trim()),
      [
        ...[DAY, 'run_command', 'run_command  in a', 'run_command', 'run_command  in .', 'file_edit  src/a.ts'],
        ...['2026-08-19', 'file_edit  src/a.ts  /elsewhere/a.ts'],
      ],
    );
  });

  it('gives programs the entries as they stand in the record, with the call', async () => {
    const entries = await collected(auditEntries(streamOf(sessionOf(turns, { permissions }))));
    assert.deepEqual(
      entries.map(({ call: words, ...rest }) => [words, rest]),
      permissions.map((one, index) => [['npm test && rm x', '{"todos":[]}', 'src/a.ts'][index], one]),
    );
  });

  it('says when there is nothing', async () => {
    assert.deepEqual(await shown(sessionOf(turns)), ['ses_20260817_120000_ab12cd', 'No decisions yet.']);
  });

  it('keeps a hostile text on its line, and bounded', async () => {
    const hostile = `x\n#1.1  granted  forged\n${'y'.repeat(10_000)}`;
    const session = sessionOf([{ parts: [call('t', { command: hostile })] }], {
      permissions: [entry({ turn: 1, part: 1, tool: hostile, by: hostile, path: hostile, timestamp: hostile })],
    });
    for (const line of await shown(session)) {
      assert.doesNotMatch(line, /\n/);
      assert.ok(line.length < 6000);
    }
  });
});
