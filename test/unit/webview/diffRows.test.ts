import assert from 'node:assert/strict';
import fc from 'fast-check';

import { diffOf, type DiffRow } from '../../../webview-ui/tool/diffRows.ts';

const line = (row: DiffRow) => (row.kind === 'gap' ? `… ${row.lines}` : row.pieces.map(({ text }) => text).join(''));
const kinds = (rows: DiffRow[]) => rows.map(({ kind }) => kind);

describe('the diff of an edit', () => {
  it('tells what went, what came and what stayed', () => {
    const { rows, added, removed } = diffOf('a\nb\nc\n', 'a\nB\nc\nd');
    assert.deepEqual(kinds(rows), ['same', 'removed', 'added', 'same', 'added']);
    assert.deepEqual([added, removed], [2, 1]);
  });

  it('marks the changed words of a line', () => {
    const { rows } = diffOf("return 'Hi ' + name;", "return 'Hello ' + name;");
    const changed = rows.flatMap((row) =>
      row.kind === 'gap' ? [] : row.pieces.filter((piece) => piece.changed).map((piece) => piece.text),
    );
    assert.deepEqual(changed, ['Hi', 'Hello']);
  });

  it('hides long unchanged stretches', () => {
    const many = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    const { rows } = diffOf(`x\n${many}\ny`, `X\n${many}\nY`);
    assert.deepEqual(rows.filter(({ kind }) => kind === 'gap').map(line), ['… 34']);
  });

  it('is quick with texts that have nothing in common', () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join('\n');
    const from = performance.now();
    const { added, removed } = diffOf(text('a'), text('b'));
    assert.deepEqual([added, removed], [20_000, 20_000]);
    assert.ok(performance.now() - from < 2000);
  });

  it('holds both texts whole', () => {
    const lines = fc.array(fc.constantFrom('', 'a', 'b', '  c', 'word word'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { rows } = diffOf(before.join('\n'), after.join('\n'));
        const side = (kind: string) => rows.filter((row) => row.kind === 'same' || row.kind === kind).map(line);
        const closed = (list: string[]) => {
          const text = list.join('\n');
          return text === '' ? [] : text.replace(/\n$/, '').split('\n');
        };
        if (rows.some(({ kind }) => kind === 'gap')) return;
        assert.deepEqual(side('removed'), closed(before));
        assert.deepEqual(side('added'), closed(after));
      }),
    );
  });
});
