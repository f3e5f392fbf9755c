import assert from 'node:assert/strict';
import fc from 'fast-check';

import { CallMerge } from '../../../src/providers/callMerge.ts';
import type { StreamedCall } from '../../../src/providers/provider.ts';

type Delta = Record<string, unknown>;

function merge(...deltas: Delta[][]): StreamedCall[] {
  const calls = new CallMerge();
  for (const delta of deltas) calls.push(delta);
  return calls.calls();
}

function piece(more: Delta, name?: string, args?: unknown): Delta {
  return {
    ...more,
    function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
  };
}

const A = { id: 'a', name: 'read', arguments: '{"x":1}' };
const B = { id: 'b', name: 'list', arguments: '{"y":2}' };

describe('providers/callMerge', () => {
  it('joins pieces by index, also interleaved', () => {
    const calls = merge(
      [piece({ index: 0, id: 'a', type: 'function' }, 'read', '')],
      [piece({ index: 1, id: 'b' }, 'list', '{"y"')],
      [piece({ index: 0 }, undefined, '{"x":')],
      [piece({ index: 1 }, undefined, ':2}'), piece({ index: 0 }, undefined, '1}')],
    );
    assert.deepEqual(calls, [A, B]);
  });

  it('keeps two calls apart that came under one index (T2)', () => {
    assert.deepEqual(
      merge([piece({ index: 0, id: 'a' }, 'read', '{"x":1}')], [piece({ index: 0, id: 'b' }, 'list', '{"y":2}')]),
      [A, B],
    );
    const inPieces = merge(
      [piece({ index: 0, id: 'a' }, 'read', '{"x"')],
      [piece({ index: 0 }, undefined, ':1}')],
      [piece({ index: 0, id: 'b' }, 'list', '')],
      [piece({ index: 0 }, undefined, '{"y":2}')],
    );
    assert.deepEqual(inPieces, [A, B]);
  });

  it('keeps calls apart that have one index and no id, by name or by whole arguments (T2)', () => {
    const calls = merge([
      piece({ index: 0 }, 'read', '{"x":1}'),
      piece({ index: 0 }, 'list', '{}'),
      piece({ index: 0 }, 'list', '{"y":2}'),
    ]);
    assert.deepEqual(
      calls.map(({ name, arguments: args }) => [name, args]),
      [
        ['read', '{"x":1}'],
        ['list', '{}'],
        ['list', '{"y":2}'],
      ],
    );
  });

  it('takes any first index, also as text (T2)', () => {
    assert.deepEqual(merge([piece({ index: 3, id: 'a' }, 'read', '{"x"')], [piece({ index: 3 }, undefined, ':1}')]), [
      A,
    ]);
    assert.deepEqual(
      merge(
        [piece({ index: '0', id: 'a' }, 'read', '{"x"'), piece({ index: '1', id: 'b' }, 'list', '{"y"')],
        [piece({ index: '0' }, undefined, ':1}'), piece({ index: 1 }, undefined, ':2}')],
      ),
      [A, B],
    );
  });

  it('joins without an index: by id, else to the last call (T2)', () => {
    assert.deepEqual(
      merge(
        [piece({ id: 'a' }, 'read', '{"x"'), piece({ id: 'b' }, 'list', '{"y"')],
        [piece({ id: 'a' }, undefined, ':1}')],
        [piece({ id: 'b' }, '', ':2}')],
      ),
      [A, B],
    );
    assert.deepEqual(
      merge([piece({ id: 'a' }, 'read', '')], [piece({}, undefined, '{"x"')], [piece({}, undefined, ':1}')]),
      [A],
    );
  });

  it('joins a piece whose index is missing or new, and that names nothing, to the last call', () => {
    assert.deepEqual(merge([piece({ index: 0, id: 'a' }, 'read', '{"x"')], [piece({}, undefined, ':1}')]), [A]);
    assert.deepEqual(merge([piece({ id: 'a' }, 'read', '{"x"')], [piece({ index: 0 }, undefined, ':1}')]), [A]);
  });

  it('takes whole calls without index and id as calls of their own', () => {
    const calls = merge([piece({}, 'read', '{"x":1}')], [piece({}, 'list', '{"y":2}'), piece({}, 'list', '{"y":2}')]);
    assert.deepEqual(calls, [
      { ...A, id: null },
      { ...B, id: null },
      { ...B, id: null },
    ]);
  });

  it('never replaces an id or a name by "" or by a repetition', () => {
    const calls = merge(
      [piece({ index: 0, id: 'a' }, 'read', '{"x"')],
      [piece({ index: 0, id: '' }, '', ':')],
      [piece({ index: 0, id: 'a' }, 'read', '1}')],
    );
    assert.deepEqual(calls, [A]);
  });

  it('takes arguments that are an object, nothing or null', () => {
    assert.deepEqual(merge([piece({ id: 'a' }, 'read', { x: 1 })]), [A]);
    assert.equal(merge([piece({ id: 'a' }, 'read', null)])[0]?.arguments, '');
    assert.equal(merge([piece({ id: 'a' }, 'read')])[0]?.arguments, '');
  });

  it('gives an id only once', () => {
    const calls = merge([piece({ index: 0, id: '0' }, 'read', '{}'), piece({ index: 1, id: '0' }, 'list', '{}')]);
    assert.deepEqual(
      calls.map(({ id }) => id),
      ['0', null],
    );
  });

  it('drops an empty placeholder and keeps arguments without a name', () => {
    assert.deepEqual(merge([piece({ index: 0, id: '' }, '', '')]), []);
    assert.deepEqual(merge([piece({ index: 0 }, '', '{}')]), [{ id: null, name: '', arguments: '{}' }]);
  });

  it('keeps what Google wants back with a call', () => {
    const extra_content = { google: { thought_signature: 'sig' } };
    assert.deepEqual(merge([piece({ index: 0, id: 'a', extra_content }, 'read', '{"x":1}')]), [
      { ...A, data: { extra_content } },
    ]);
  });

  it('survives deltas of any shape', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (deltas) => {
        const calls = new CallMerge();
        for (const delta of deltas) calls.push(delta);
        calls.push(deltas);
        for (const call of calls.calls()) assert.equal(typeof call.arguments, 'string');
      }),
    );
  });

  it('gives the calls back, however their arguments are cut and mixed', () => {
    const call = fc.record({
      id: fc.uuid(),
      name: fc.constantFrom('read', 'list'),
      value: fc.dictionary(fc.string(), fc.string()),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(call, { selector: ({ id }) => id, minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat(9)),
        (sent, choose) => {
          const nextChoice = (): number => (choose as Iterator<number, number>).next().value;
          const queues = sent.map(({ id, name, value }, index) => {
            const pieces = [piece({ index, id, type: 'function' }, name, '')];
            for (let rest = JSON.stringify(value); rest !== '';) {
              const length = 1 + nextChoice();
              pieces.push(piece({ index }, undefined, rest.slice(0, length)));
              rest = rest.slice(length);
            }
            return pieces;
          });
          // All begin in order; what follows is mixed.
          const deltas = queues.map((queue) => [queue.shift()!]);
          while (queues.some((queue) => queue.length > 0)) {
            const waiting = queues.filter((queue) => queue.length > 0);
            deltas.push([waiting[nextChoice() % waiting.length]!.shift()!]);
          }
          assert.deepEqual(
            merge(...deltas),
            sent.map(({ id, name, value }) => ({ id, name, arguments: JSON.stringify(value) })),
          );
        },
      ),
    );
  });
});
