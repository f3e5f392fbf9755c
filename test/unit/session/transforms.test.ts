import assert from 'node:assert/strict';
import fc from 'fast-check';

import type { SessionEvent } from '../../../src/session/events.ts';
import type { Part } from '../../../src/session/schema.ts';
import { SessionStore } from '../../../src/session/store.ts';
import { DEFAULT_TRANSFORMS, transform } from '../../../src/session/transforms.ts';
import { sessionOf } from '../../support/arbitraryRecords.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const at = 't';
const call = (name: string): Part => ({ type: 'tool', name, input: {}, timestamp: at });
const filled = (output: string): SessionEvent => ({
  type: 'part_filled',
  at,
  part: 0,
  fill: { output, is_error: false },
});

/** What of an output is written. */
function written(name: string, output: string, most: number): string | undefined {
  const session = sessionOf([{ index: 1, status: 'running', parts: [call(name)] }]);
  const event = transform(filled(output), session, { noise_tools: ['fetch'], session_tool_max_chars: most });
  return event.type === 'part_filled' ? event.fill.output : undefined;
}

describe('session/transforms', () => {
  const folder = useTempFolder();

  it('leaves out the output of a noise tool (R11)', () => {
    assert.equal(written('fetch', 'secret', 0), '[fetch result excluded from log, see tool call above for parameters]');
    assert.equal(written('x', 'kept', 0), 'kept');
  });

  it('cuts a long output at a character, never inside of one (R11, A07)', () => {
    assert.equal(written('x', '🙂🙂🙂', 2), '🙂🙂… (truncated from 3 chars)');
    assert.equal(written('x', '🙂🙂🙂', 3), '🙂🙂🙂');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer({ min: 1, max: 30 }), (output, most) => {
        const points = [...output];
        const text = written('x', output, most)!;
        if (points.length <= most) assert.equal(text, output);
        else assert.equal(text, `${points.slice(0, most).join('')}… (truncated from ${points.length} chars)`);
        assert.ok(text.isWellFormed());
      }),
    );
  });

  it('leaves every other event alone', () => {
    const session = sessionOf([{ index: 1, status: 'running', parts: [call('web_fetch')] }]);
    const events: SessionEvent[] = [
      { type: 'part_added', at, part: { type: 'text', text: 'long', timestamp: at } },
      { type: 'part_added', at, part: call('web_fetch') },
      { type: 'turn_ended', at, status: 'ok' },
    ];
    for (const event of events)
      assert.equal(transform(event, session, { ...DEFAULT_TRANSFORMS, session_tool_max_chars: 1 }), event);
  });

  it('is for what is written first: memory has the whole, and what came from the disk goes back as it is', async () => {
    const open = (most: number) =>
      new SessionStore(folder.path, {
        version: '1',
        transforms: () => ({ noise_tools: ['fetch'], session_tool_max_chars: most }),
      });
    const file = await open(0).create({ name: 'notes' });
    await file.append({ type: 'turn_started', at, turn: { index: 1, status: 'running', parts: [call('fetch')] } });
    await file.append(filled('whole'));
    await file.append({ type: 'part_added', at, part: { ...call('x'), output: 'a long one' } as Part });
    assert.equal(file.session.turns[0]!.parts[0]!['output'], 'whole');
    await file.close();
    const { file: again } = await open(3).open('notes');
    await again.append({ type: 'part_added', at, part: { ...call('x'), output: '1234' } as Part });
    await again.append({ type: 'turn_ended', at, status: 'ok' });
    await again.close();
    assert.deepEqual(
      (await open(1).read('notes')).turns[0]!.parts.map((part) => part['output']),
      [
        '[fetch result excluded from log, see tool call above for parameters]',
        'a long one',
        '123… (truncated from 4 chars)',
      ],
    );
  });
});
