/** The shape of the sessions tree: sub-agents under their parents, jobs apart from conversations. */
import type { SessionSummary } from '../session/store.ts';

export interface SessionNode {
  summary: SessionSummary;
  children: SessionNode[];
}

export interface Group {
  label: 'Sessions' | 'Jobs';
  children: SessionNode[];
}

/**
 * Each session stands in the tree exactly once, whatever its file says of its parent: one whose parent is missing, or that
 * is its own ancestor, stands at the top. The order of `summaries` is kept on every level.
 */
export function sessionNodes(summaries: readonly SessionSummary[]): SessionNode[] {
  const nodes = new Map(summaries.map((summary): [string, SessionNode] => [summary.name, { summary, children: [] }]));
  const roots: SessionNode[] = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(node.summary.parent);
    if (parent === undefined || isOwnAncestor(node.summary, nodes)) roots.push(node);
    else parent.children.push(node);
  }
  return roots;
}

/** Groups only where there are jobs: a lone group would be one click for nothing. */
export function grouped(roots: readonly SessionNode[]): (Group | SessionNode)[] {
  const jobs = roots.filter(({ summary }) => summary.kind === 'job');
  if (jobs.length === 0) return [...roots];
  const sessions = roots.filter(({ summary }) => summary.kind !== 'job');
  return [
    { label: 'Sessions', children: sessions },
    { label: 'Jobs', children: jobs },
  ];
}

function isOwnAncestor(summary: SessionSummary, nodes: ReadonlyMap<string, SessionNode>): boolean {
  const seen = new Set<string>();
  for (let name = summary.parent; name !== summary.name; name = nodes.get(name)?.summary.parent ?? '') {
    if (name === '' || seen.has(name)) return false;
    seen.add(name);
  }
  return true;
}
