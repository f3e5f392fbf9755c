import assert from 'node:assert/strict';
import fc from 'fast-check';

import type { SessionSummary } from '../../../src/session/store.ts';
import { grouped, sessionNodes, type SessionNode } from '../../../src/vscode/sessionNodes.ts';

function summary(name: string, parent = '', kind: SessionSummary['kind'] = 'ses'): SessionSummary {
  return {
    name,
    kind,
    parent,
    id: '',
    title: '',
    created_at: '',
    updated_at: '',
    role: '',
    last_turn: 0,
    status: 'ok',
  };
}

const names = (nodes: SessionNode[]): string[] => nodes.flatMap((node) => [node.summary.name, ...names(node.children)]);

describe('the shape of the sessions tree', () => {
  it('puts children under their parents, in the order given', () => {
    const roots = sessionNodes([summary('c', 'a'), summary('a'), summary('b'), summary('d', 'a')]);
    assert.deepEqual(
      roots.map((node) => node.summary.name),
      ['a', 'b'],
    );
    assert.deepEqual(names(roots), ['a', 'c', 'd', 'b']);
  });

  it('groups only when there are jobs', () => {
    assert.equal(grouped(sessionNodes([summary('a')])).length, 1);
    const groups = grouped(sessionNodes([summary('a'), summary('j', '', 'job')]));
    assert.deepEqual(
      groups.map((group) => 'label' in group && group.label),
      ['Sessions', 'Jobs'],
    );
  });

  it('shows every session exactly once, whatever the files say of their parents', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const parents = fc.dictionary(name, fc.oneof(name, fc.constant(''), fc.constant('missing')));
    fc.assert(
      fc.property(parents, (links) => {
        const roots = sessionNodes(Object.entries(links).map(([child, parent]) => summary(child, parent)));
        assert.deepEqual(names(roots).sort(), Object.keys(links).sort());
      }),
    );
  });
});
