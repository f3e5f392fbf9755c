import assert from 'node:assert/strict';

import type { Session } from '../../../src/session/schema.ts';
import { streamOf } from '../../../src/session/stream.ts';
import { printTurn, type PrintOptions } from '../../../src/transcript/print.ts';
import { collected } from './collected.ts';
import { AT, part, sessionOf } from './logs.ts';

describe('transcript/print', () => {
  const session = sessionOf([
    {
      started_at: AT,
      ended_at: '2026-08-17T12:00:05.623+00:00',
      model: 'llama3.2',
      provider: 'ollama',
      mode: 'build',
      reasoning: false,
      parts: [
        part('user', { text: 'the prompt' }),
        part('thinking', { text: 'a thought' }),
        part('tool', {
          name: 'run_command',
          input: { command: 'ls' },
          output: 'a\nb',
          is_error: true,
          analysis: 'Two files.',
        }),
        part('tool', { name: 'file_read', input: {} }),
        part('text', { text: 'the answer' }),
        part('system', { text: 'a note', kind: 'notice' }),
        part('novel', { data: 1 }),
      ],
    },
    { parts: [part('command', { text: '/compact', summary: 'What was said.', compact_from: 1 })] },
  ]);
  const shown = (index: number, options: Partial<PrintOptions> = {}, of: Session = session) =>
    collected(printTurn(streamOf(of), index, { max_chars: 0, ...options }));

  it('shows the facts of the turn, then each part', async () => {
    assert.deepEqual(await shown(1), [
      { text: '#1', style: 'heading' },
      {
        text: [
          'Status: ok',
          'Duration: 5.5s',
          'Tool calls: 2',
          `Started: ${AT}`,
          'Ended: 2026-08-17T12:00:05.623+00:00',
          'Model: llama3.2',
          'Provider: ollama',
          'Mode: build',
          'Reasoning: false',
        ].join('\n'),
      },
      { text: '1.1 Prompt', style: 'heading' },
      { text: 'the prompt' },
      { text: '1.2 Thinking', style: 'heading' },
      { text: 'a thought', style: 'dim' },
      { text: '1.3 Tool call run_command', style: 'heading' },
      { text: 'input: {\n  "command": "ls"\n}\nis_error: true\nanalysis: Two files.\noutput:\na\nb' },
      { text: '1.4 Tool call file_read', style: 'heading' },
      { text: 'input: {}\nis_error: -\noutput: -' },
      { text: '1.5 Answer', style: 'heading' },
      { text: 'the answer' },
      { text: '1.6 System note (notice)', style: 'heading' },
      { text: 'a note' },
      { text: '1.7 Part of the unknown type novel', style: 'heading' },
      { text: JSON.stringify(session.turns[0]!.parts[6], null, 2) },
    ]);
  });

  it('shows what a command turn does not have as -, and its summary', async () => {
    assert.deepEqual(
      (await shown(2)).map(({ text }) => text),
      [
        '#2',
        'Status: ok\nDuration: -\nTool calls: 0\nStarted: -\nEnded: -\nModel: -\nProvider: -\nMode: -\nReasoning: -',
        '2.1 Command',
        '/compact\ncompact_from: 1\nsummary:\nWhat was said.',
      ],
    );
  });

  it('says at a call who allowed or refused it, on one line', async () => {
    const calls = [
      part('tool', { name: 'a', input: {}, output: 'x' }),
      part('tool', { name: 'b', input: {}, output: 'y' }),
    ];
    const decision = { tool: 'a', timestamp: AT, turn: 1 };
    const decided = sessionOf([{ parts: calls }, { parts: calls }], {
      permissions: [
        { ...decision, action: 'ask', decision: 'declined', path: '/home/me/x\ny', part: 1, by: 'refused' },
        { ...decision, action: 'allow', decision: 'granted', part: 2 },
        { ...decision, action: 'allow', decision: 'granted' },
      ],
    });
    const texts = (await shown(1, {}, decided)).map(({ text }) => text);
    assert.deepEqual(
      [texts[3], texts[5]],
      [
        `input: {}\npermission: declined by refused (policy: ask) on /home/me/x y ${AT}\nis_error: -\noutput:\nx`,
        `input: {}\npermission: granted (policy: allow) ${AT}\nis_error: -\noutput:\ny`,
      ],
    );
    assert.doesNotMatch((await shown(2, {}, decided)).map(({ text }) => text).join('\n'), /permission/);
  });

  it('shows one part alone', async () => {
    assert.deepEqual(await shown(1, { part: 5 }), [{ text: '1.5 Answer', style: 'heading' }, { text: 'the answer' }]);
  });

  it('cuts each part at characters, and says how many there are more', async () => {
    const long = sessionOf([
      { parts: [part('user', { text: '🙂'.repeat(10) }), part('text', { text: 'x'.repeat(5000) })] },
    ]);
    const texts = async (max_chars: number) => (await shown(1, { max_chars }, long)).slice(2).map(({ text }) => text);
    assert.deepEqual(await texts(4), [
      '1.1 Prompt',
      '🙂🙂🙂🙂... (6 more chars, use --full)',
      '1.2 Answer',
      'xxxx... (4996 more chars, use --full)',
    ]);
    assert.deepEqual((await texts(10))[1], '🙂'.repeat(10));
    assert.deepEqual((await texts(4000))[3], `${'x'.repeat(4000)}... (1000 more chars, use --full)`);
    assert.deepEqual((await texts(0))[3], 'x'.repeat(5000));
  });

  it('says which turns and parts there are when it is asked for another one', async () => {
    const refused = (index: number, part: number | undefined, message: string) =>
      assert.rejects(shown(index, { part }), { name: 'SessionError', message });
    await refused(3, undefined, 'There is no turn 3. There are turns 1 to 2.');
    await refused(0, undefined, 'There is no turn 0. There are turns 1 to 2.');
    await refused(1, 8, 'Turn 1 has no part 8. It has parts 1 to 7.');
    await refused(1, 0, 'Turn 1 has no part 0. It has parts 1 to 7.');
    await refused(2, 2, 'Turn 2 has no part 2. It has only part 1.');
    const gaps = (...indexes: number[]) => sessionOf(indexes.map((index) => ({ index })));
    const there: [indexes: number[], words: string][] = [
      [[7], 'There is only turn 7.'],
      [[1, 4], 'There are turns 1, 4.'],
      [[1, 2, 3, 6, 7], 'There are turns 1 to 3, 6 to 7.'],
      [[1, 4, 6, 8, 10, 12, 14], 'There are turns 1, 4, 6, 8, …, 14.'],
    ];
    for (const [indexes, words] of there)
      await assert.rejects(shown(5, {}, gaps(...indexes)), {
        message: `There is no turn 5. ${words}`,
      });
    const message = 'There is no turn 1. The session has no turns yet.';
    await assert.rejects(shown(1, {}, sessionOf([])), { name: 'SessionError', message });
  });
});
