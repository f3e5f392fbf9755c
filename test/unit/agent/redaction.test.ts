import assert from 'node:assert/strict';

import fc from 'fast-check';

import { Redaction } from '../../../src/agent/redaction.ts';
import { secretsOf } from '../../../src/agent/secrets.ts';
import type { SessionEvent } from '../../../src/session/events.ts';
import { reduce } from '../../../src/session/reduce.ts';
import { legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';
import { Bench, silence, tool, until } from '../../support/engine.ts';

const KEY = 'sk-live-1234567890';
const SHOWN = '[key of $OPENAI_API_KEY]';
const AT = '2026-08-17T12:00:00+00:00';

describe('agent/redaction', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.make();
    bench.env = { OPENAI_API_KEY: KEY };
  });
  afterEach(() => bench.close());

  const cut = (text: string) => [text.slice(0, 7), text.slice(7, 12), text.slice(12)];

  it('keeps a key out of the log, the requests and what runs tell, whoever wrote it (R15)', async () => {
    let given: unknown;
    bench.tools = [
      tool('run_command', ({ text }, { onOutput }) => {
        given = text;
        for (const piece of cut(`out ${KEY}`)) void onOutput(piece);
        return `output ${KEY}`;
      }),
    ];
    const thinking = cut(`hm ${KEY} hm`).map((piece) => ({ thinking: piece }));
    const input = { text: `echo ${KEY}`, path: `a/${KEY}` };
    bench.provider.answer(
      [...thinking, { thinking_data: { raw: [KEY] } }, ...cut(`say ${KEY}`), { call: 'run_command', arguments: input }],
      [{ call: 'run_command', arguments: `{"${KEY}": 1}` }],
      [...cut(`end ${KEY}`), new Error(`failed at https://x/?key=${KEY}`)],
    );
    const run = await bench.create();
    const { done } = await run.submit(`use ${KEY} now`);
    assert.equal(await done, 'error');
    assert.equal(given, `echo ${KEY}`, 'what runs is what the model wrote');
    const saved = await bench.onDisk(run);
    assert.deepEqual(saved, run.session);
    const [prompt, thought, text, call] = saved.turns[0]!.parts;
    assert.deepEqual(
      [prompt!['text'], thought!['text'], text!['text'], call!['input'], call!['output']],
      [
        `use ${SHOWN} now`,
        `hm ${SHOWN} hm`,
        `say ${SHOWN}`,
        { text: `echo ${SHOWN}`, path: `a/${SHOWN}` },
        `output ${SHOWN}`,
      ],
    );
    assert.equal(saved.turns[0]!.parts.at(-1)!['text'], `end ${SHOWN}`);
    assert.match(saved.errors[0]!.message, /key=\[key of \$OPENAI_API_KEY\]$/);
    assert.ok(saved.permissions[0]!.path!.endsWith(`a/${SHOWN}`));
    const told = [saved, bench.events, bench.provider.requests, bench.person.asks.map(({ change: _, ...ask }) => ask)];
    for (const things of told) assert.ok(!JSON.stringify(things).includes('1234567890'), JSON.stringify(things));
  });

  it('loses no end of a text that could have become a key, however the text ends', async () => {
    bench.provider.answer([`it begins sk-live`], ['and sk-', silence], ['and sk-', silence]);
    const run = await bench.create('open');
    const last = () => run.session.turns.at(-1)!.parts.at(-1)!['text'];
    await (
      await run.submit('first')
    ).done;
    assert.equal(last(), 'it begins sk-live');
    await run.submit('second');
    await until(() => last() === 'and ');
    await run.stop();
    assert.equal(last(), 'and sk-');
    await run.submit('third');
    await until(() => last() === 'and ');
    await bench.engine.suspend();
    assert.equal((await bench.onDisk(run)).turns.at(-1)!.parts.at(-1)!['text'], 'and sk-');
  });

  it('changes nothing else: without a key in them, events give the session that they gave', () => {
    fc.assert(
      fc.property(legalEvents(), (events) => {
        const redaction = new Redaction();
        // Its beginning stands in many texts, and keeps their ends waiting.
        redaction.use(secretsOf(['KEY'], { KEY: `${'x'.repeat(400)}half ` }));
        const fold = (all: readonly SessionEvent[]) => all.reduce(reduce, sessionOf([]));
        const clean = events.flatMap((event) => redaction.clean(event));
        const at = events.at(-1)?.at ?? AT;
        assert.deepEqual(
          { ...fold([...clean, ...redaction.end(at)]), updated_at: '' },
          { ...fold(events), updated_at: '' },
        );
      }),
    );
  });
});
