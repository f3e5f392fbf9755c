import assert from 'node:assert/strict';

import type { PermissionEntry, Session } from '../../../src/session/schema.ts';
import { streamOf } from '../../../src/session/stream.ts';
import { audit, auditEntries } from '../../../src/transcript/audit.ts';
import { collected } from './collected.ts';
import { AT, part, sessionOf } from './logs.ts';

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
    assert.deepEqual(await shown(sessionOf(turns, { permissions })), [
      'ses_20260817_120000_ab12cd',
      '5 decisions: 3 granted, 1 declined, 1 denied',
      '#1.2  declined  run_command  npm test && rm x',
      `    ${AT}  asked: not allowed  /home/me/shop`,
      '#1.3  granted  todo_write  {"todos":[]}',
      `    ${AT}  by default`,
      '#2.2  denied  file_edit  src/a.ts',
      `    ${AT}  by user: file_edit "src/**" deny`,
      '-  granted  from another program',
      `    ${AT}  asked`,
      '#9.9  granted  run_command',
      `    ${AT}  asked`,
    ]);
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
