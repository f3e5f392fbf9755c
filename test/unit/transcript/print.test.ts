import assert from 'node:assert/strict';

import { printTurn } from '../../../src/transcript/print.ts';
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
  const shown = (index: number, options: Partial<Parameters<typeof printTurn>[2]> = {}) =>
    printTurn(session, index, { max_chars: 0, ...options });

  it('shows the facts of the turn, then each part', () => {
    assert.deepEqual(shown(1), [
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

  it('shows what a command turn does not have as -, and its summary', () => {
    assert.deepEqual(
      shown(2).map(({ text }) => text),
      [
        '#2',
        'Status: ok\nDuration: -\nTool calls: 0\nStarted: -\nEnded: -\nModel: -\nProvider: -\nMode: -\nReasoning: -',
        '2.1 Command',
        '/compact\ncompact_from: 1\nsummary:\nWhat was said.',
      ],
    );
  });

  it('shows one part alone', () => {
    assert.deepEqual(shown(1, { part: 5 }), [{ text: '1.5 Answer', style: 'heading' }, { text: 'the answer' }]);
  });

  it('cuts each part at characters, and says how many there are more', () => {
    const long = sessionOf([
      { parts: [part('user', { text: '🙂'.repeat(10) }), part('text', { text: 'x'.repeat(5000) })] },
    ]);
    const texts = (max_chars: number) =>
      printTurn(long, 1, { max_chars })
        .slice(2)
        .map(({ text }) => text);
    assert.deepEqual(texts(4), [
      '1.1 Prompt',
      '🙂🙂🙂🙂... (6 more chars, use --full)',
      '1.2 Answer',
      'xxxx... (4996 more chars, use --full)',
    ]);
    assert.deepEqual(texts(10)[1], '🙂'.repeat(10));
    assert.deepEqual(texts(4000)[3], `${'x'.repeat(4000)}... (1000 more chars, use --full)`);
    assert.deepEqual(texts(0)[3], 'x'.repeat(5000));
  });

  it('says which turns and parts there are when it is asked for another one', () => {
    const refused = (index: number, part: number | undefined, message: string) =>
      assert.throws(() => shown(index, { part }), { name: 'SessionError', message });
    refused(3, undefined, 'There is no turn 3. There are turns 1 to 2.');
    refused(0, undefined, 'There is no turn 0. There are turns 1 to 2.');
    refused(1, 8, 'Turn 1 has no part 8. It has parts 1 to 7.');
    refused(1, 0, 'Turn 1 has no part 0. It has parts 1 to 7.');
    refused(2, 2, 'Turn 2 has no part 2. It has only part 1.');
    const gaps = (...indexes: number[]) => sessionOf(indexes.map((index) => ({ index })));
    const there: [indexes: number[], words: string][] = [
      [[7], 'There is only turn 7.'],
      [[1, 4], 'There are turns 1, 4.'],
      [[1, 2, 3, 6, 7], 'There are turns 1 to 3, 6 to 7.'],
      [[1, 4, 6, 8, 10, 12, 14], 'There are turns 1, 4, 6, 8, …, 14.'],
    ];
    for (const [indexes, words] of there)
      assert.throws(() => printTurn(gaps(...indexes), 5, { max_chars: 0 }), {
        message: `There is no turn 5. ${words}`,
      });
    const message = 'There is no turn 1. The session has no turns yet.';
    assert.throws(() => printTurn(sessionOf([]), 1, { max_chars: 0 }), { name: 'SessionError', message });
  });
});
