import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';

import { Output } from '../../../src/cli/output.ts';
import { JsonProgress, TextProgress } from '../../../src/cli/progress.ts';
import type { SessionEvent } from '../../../src/session/events.ts';
import type { Part } from '../../../src/session/schema.ts';
import { tools } from '../../../src/tools/registry.ts';

const at = '2026-08-17T12:00:00.000+00:00';
const added = (type: string, fields: object): SessionEvent => ({
  type: 'part_added',
  at,
  part: { type, timestamp: at, ...fields } as Part,
});
const extended = (text: string): SessionEvent => ({ type: 'part_extended', at, text });

const turn: SessionEvent[] = [
  added('user', { text: 'read it' }),
  added('thinking', { text: 'Hm' }),
  extended('…'),
  added('text', { text: 'I look' }),
  extended(' first.'),
  added('tool', { name: 'file_read', input: { path: 'a.txt' } }),
  { type: 'part_filled', at, part: 3, fill: { output: 'no such\nfile', is_error: true } },
  added('text', { text: 'It is ' }),
  extended('missing.'),
  added('thinking', { text: 'Done?' }),
  added('text', { text: 'Really.' }),
];

/** Everything that was written to the one screen, in order, and to each stream. */
function streams(isTTY: boolean) {
  const written = { screen: '', stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => {
    const made = new PassThrough();
    Object.assign(made, { isTTY });
    made.on('data', (piece: Buffer) => {
      written[name] += piece.toString();
      written.screen += piece.toString();
    });
    return made;
  };
  const stdout = new Output(stream('stdout') as unknown as NodeJS.WriteStream);
  return { written, stdout, stderr: stream('stderr') };
}

describe('cli/progress', () => {
  it('gives a program the answer alone, when the turn has ended', async () => {
    const { written, stdout, stderr } = streams(false);
    const progress = new TextProgress(stdout, stderr, tools);
    for (const event of turn) progress.onEvent({ type: 'log', event });
    assert.equal(written.stdout, '');
    progress.end();
    await stdout.flush();
    assert.equal(written.stdout, 'It is missing.\n\nReally.\n');
    assert.equal(written.stderr, 'I look first.\n* Read a.txt\n  failed: no such file\n');
  });

  it('names a call when it begins, also where the answer goes to a program', () => {
    const { written, stdout, stderr } = streams(false);
    const progress = new TextProgress(stdout, stderr, tools);
    for (const event of turn.slice(0, 6)) progress.onEvent({ type: 'log', event });
    assert.equal(written.stderr, 'I look first.\n* Read a.txt\n');
  });

  it('shows a person all text as it arrives', async () => {
    const { written, stdout, stderr } = streams(true);
    const progress = new TextProgress(stdout, stderr, tools);
    for (const event of turn) progress.onEvent({ type: 'log', event });
    progress.end();
    await stdout.flush();
    assert.equal(written.screen, 'I look first.\n* Read a.txt\n  failed: no such file\nIt is missing.\n\nReally.\n');
  });

  it('does not let an answer command the terminal, but gives a program every byte', async () => {
    const event = added('text', { text: 'a\u001b[2Jb\tc' });
    for (const [isTTY, expected] of [
      [true, 'a⟨U+001B⟩[2Jb\tc\n'],
      [false, 'a\u001b[2Jb\tc\n'],
    ] as const) {
      const { written, stdout, stderr } = streams(isTTY);
      const progress = new TextProgress(stdout, stderr, tools);
      progress.onEvent({ type: 'log', event });
      progress.end();
      await stdout.flush();
      assert.equal(written.stdout, expected);
    }
  });

  for (const [entry, output, said] of [
    [
      { decision: 'declined', by: 'refused' },
      'The person declined this call and said: "no" Go on.',
      'declined: The person declined this call and said: "no" Go on.',
    ],
    [{ decision: 'declined', by: 'no terminal' }, 'Declined: nobody is here.', 'declined: nobody is here.'],
    [{ decision: 'declined', by: 'withdrawn' }, 'Not run.', 'stopped: Not run.'],
    [{ decision: 'denied', by: 'user: x deny' }, 'Denied by the rules: x.', 'denied: by the rules: x.'],
    [{ decision: 'granted', by: 'once' }, 'no such file', 'failed: no such file'],
  ] as const)
    it(`tells a call that failed from one that never ran: ${entry.decision}, ${entry.by}`, () => {
      const { written, stdout, stderr } = streams(false);
      const progress = new TextProgress(stdout, stderr, tools);
      const action = entry.decision === 'denied' ? 'deny' : 'ask';
      for (const event of [
        added('user', { text: 'read them' }),
        added('tool', { name: 'file_read', input: { path: 'a.txt' } }),
        added('tool', { name: 'file_read', input: { path: 'b.txt' } }),
        { type: 'permission', at, entry: { tool: 'file_read', action, ...entry, timestamp: at, turn: 1, part: 3 } },
        { type: 'part_filled', at, part: 1, fill: { output: 'no such file', is_error: true } },
        { type: 'part_filled', at, part: 2, fill: { output, is_error: true } },
      ] satisfies SessionEvent[])
        progress.onEvent({ type: 'log', event });
      assert.equal(written.stderr, `* Read a.txt\n* Read b.txt\n  failed: no such file\n  ${said}\n`);
    });

  it('says errors and problems', () => {
    const { written, stdout, stderr } = streams(false);
    const progress = new TextProgress(stdout, stderr, tools);
    progress.onEvent({
      type: 'log',
      event: { type: 'error', at, entry: { code: 500, message: 'It broke.', timestamp: at } },
    });
    progress.onEvent({ type: 'problem', message: 'Not saved.' });
    progress.end();
    assert.equal(written.stderr, 'It broke.\nNot saved.\n');
    assert.equal(written.stdout, '');
  });

  it('says once that a turn could not be saved', () => {
    const { written, stdout, stderr } = streams(false);
    const progress = new TextProgress(stdout, stderr, tools);
    const problem = 'The session could not be saved: the disk is full.';
    const message = `${problem} The turn was stopped.`;
    progress.onEvent({ type: 'log', event: { type: 'error', at, entry: { code: 0, message, timestamp: at } } });
    progress.onEvent({ type: 'problem', message: problem });
    progress.onEvent({ type: 'problem', message: 'The folder was removed.' });
    progress.end();
    assert.equal(written.stderr, `${message}\nThe folder was removed.\n`);
  });

  it('writes the events of the log as lines of JSON', async () => {
    const { written, stdout } = streams(false);
    const progress = new JsonProgress(stdout);
    for (const event of turn) progress.onEvent({ type: 'log', event });
    progress.onEvent({ type: 'state' });
    progress.onEvent({ type: 'output', part: 3, piece: 'x\n' });
    progress.end();
    await stdout.flush();
    const lines = written.stdout.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      [...turn, { type: 'output', part: 3, piece: 'x\n' }],
    );
  });
});
