import assert from 'node:assert/strict';

import type { Part, Turn } from '../../../src/session/schema.ts';
import { modelOf, modeOf, titleOf } from '../../../src/session/state.ts';
import { sessionOf } from '../../support/arbitraryRecords.ts';

const log = (...turns: Partial<Turn>[]) =>
  sessionOf(turns.map((turn, position): Turn => ({ index: position + 1, status: 'ok', parts: [], ...turn })));
const prompt = (text: string): Part => ({ type: 'user', text, timestamp: 't' });
const command = (text: string, status: Turn['status'] = 'ok'): Partial<Turn> => ({
  status,
  parts: [{ type: 'command', text, timestamp: 't' }],
});

describe('session/state', () => {
  it('takes the title from the first prompt, on one line', () => {
    assert.equal(titleOf(log()), '');
    assert.equal(titleOf(log(command('/mode plan'))), '');
    assert.equal(
      titleOf(log(command('/mode plan'), { parts: [prompt('  Fix\n\tthe  build ')] }, { parts: [prompt('no')] })),
      'Fix the build',
    );
  });

  it('cuts a title between characters', () => {
    for (const character of ['🙂', '🇫🇷', '👨‍👩‍👧', 'é'])
      for (let before = 55; before <= 62; before++) {
        const title = titleOf(log({ parts: [prompt('x'.repeat(before) + character + 'y'.repeat(20))] }));
        assert.ok(title.isWellFormed());
        assert.ok([...title].length <= 61 && title.endsWith('…'), title);
      }
    assert.equal(titleOf(log({ parts: [prompt('x'.repeat(60))] })), 'x'.repeat(60));
  });

  for (const [what, turns, model, mode] of [
    ['an empty log', [], undefined, undefined],
    ['a turn', [{ provider: 'ollama', model: 'org/llama', mode: 'plan' }], 'ollama/org/llama', 'plan'],
    [
      'the latest turn',
      [
        { provider: 'a', model: 'x', mode: 'plan' },
        { provider: 'b', model: 'y', mode: 'build' },
      ],
      'b/y',
      'build',
    ],
    [
      'a command after a turn',
      [{ provider: 'a', model: 'x', mode: 'plan' }, command('/model b/y'), command('/mode build')],
      'b/y',
      'build',
    ],
    [
      'a turn after a command',
      [command('/model b/y'), command('/mode build'), { provider: 'a', model: 'x', mode: 'plan' }],
      'a/x',
      'plan',
    ],
    [
      'commands that did not finish',
      [command('/model b/y', 'cancelled'), command('/mode plan', 'error')],
      undefined,
      undefined,
    ],
    ['other commands', [command('/models b/y'), command('/model'), command('/modes plan')], undefined, undefined],
    ['a prompt that looks like one', [{ parts: [prompt('/model b/y')] }], undefined, undefined],
  ] as [string, Partial<Turn>[], string | undefined, string | undefined][])
    it(`reads model and mode from ${what}`, () => {
      assert.equal(modelOf(log(...turns)), model);
      assert.equal(modeOf(log(...turns)), mode);
    });
});
