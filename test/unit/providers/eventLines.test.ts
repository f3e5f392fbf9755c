import assert from 'node:assert/strict';
import fc from 'fast-check';

import { EventLines } from '../../../src/providers/eventLines.ts';
import { answerTo, bytes, collect, delta, replaying, request, sse } from './replay.ts';

/** What the lines become when they arrive in these chunks. */
async function through(chunks: Iterable<Uint8Array>, lines = new EventLines()): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(source.pipeThrough(lines.stream())).text();
}

/** The bytes cut at the given places. */
function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, at) => whole.slice(start, ends[at] ?? whole.length));
}

const ANSWER = sse(delta({ content: 'Héllo, ' }), delta({ content: '世界 🌍' }), delta({}, 'stop'));

describe('providers/eventLines', () => {
  const framings: [string, string][] = [
    ['as the standard shows it', ANSWER],
    ['without the space after data: (T2)', ANSWER.replaceAll('data: ', 'data:')],
    ['with CRLF (T2)', ANSWER.replaceAll('\n', '\r\n')],
    ['with CR alone', ANSWER.replaceAll('\n', '\r')],
    ['with a byte order mark', `\uFEFF${ANSWER}`],
    [
      'with comments before, between and in the events (T2)',
      `: PROCESSING\n\n${ANSWER.replaceAll('data:', ': keep-alive\ndata:')}`,
    ],
    ['with a comment that looks like an end (T2)', `:[DONE]\n\n: data: {"broken\n\n${ANSWER}`],
    [
      'with named events, ids and retry times',
      ANSWER.replaceAll('data: ', 'event: message\nid: 7\nretry: 1000\ndata: '),
    ],
    ['with events that have no data', `event: ping\n\ndata:\n\ndata: \n\nevent: ping\ndata:\n\n${ANSWER}`],
    ['with data over several lines', ANSWER.replaceAll(',"choices"', '\ndata: ,"choices"')],
    ['with spaces around the data', ANSWER.replaceAll(/data: (.*)/g, 'data:   $1  ')],
    ['with blank lines before it', `\n\r\n\n${ANSWER}`],
    ['without a blank line at the end', ANSWER.trimEnd()],
    ['without [DONE]', ANSWER.replace('data: [DONE]\n\n', '')],
    ['with fields that nobody knows', `foo: bar\nlone\n${ANSWER}`],
  ];

  for (const [name, text] of framings) {
    it(`reads a stream ${name}`, async () => {
      const { text: said, finished } = await answerTo(text);
      assert.equal(said, 'Héllo, 世界 🌍');
      assert.equal(finished.reason, 'stop');
    });
  }

  it('gives the same however the bytes are cut (T2)', async () => {
    const texts = framings
      .map(([, text]) => text)
      .concat('{"error":{"message":"größer"}}', 'event: error\ndata: zu groß\n\n');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), fc.array(fc.nat(), { maxLength: 40 }), async (text, places) => {
        const whole = bytes(text);
        assert.equal(await through(cut(whole, places)), await through([whole]));
      }),
      { numRuns: 200 },
    );
  });

  it('comes out of the provider the same in chunks of one byte (T2)', async () => {
    for (const [name, text] of framings) {
      const chunks = Array.from(bytes(text), (byte) => Uint8Array.of(byte));
      const { text: said } = await collect(replaying({ chunks }).stream(request()));
      assert.equal(said, 'Héllo, 世界 🌍', name);
    }
  });

  it('makes one event of a body that is one JSON text, on however many lines', async () => {
    assert.equal(await through([bytes('\n {\n  "error": "x"\r\n}\n')]), '\ndata:  {\ndata:   "error": "x"\ndata: }\n');
    assert.equal(await through([bytes('[1]')]), 'data: [1]\n');
  });

  it('makes text of an error event that is no JSON', async () => {
    const out = await through([bytes('event: error\ndata: too busy\n\ndata: {}\n\n')]);
    assert.equal(out.trimEnd(), 'event: error\ndata: "too busy"\n\ndata: {}');
  });

  it('keeps the beginning of what came, and the last data', async () => {
    const lines = new EventLines();
    await through([bytes(`<html>${'x'.repeat(9000)}`), bytes('\ndata: 1\n\ndata: 2\n\n')], lines);
    assert.ok(lines.head.startsWith('<html>x') && lines.head.length < 9000);
    assert.equal(lines.lastData, '2');
  });
});
