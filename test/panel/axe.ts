/** axe-core on the whole page: every rule that it has, best practices included. */
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Panel } from './panelPage.ts';

export async function assertAccessible(panel: Panel): Promise<void> {
  await panel.page.evaluate(axe.source);
  const found = await panel.page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof import('axe-core') }).axe.run(document, {
      preload: false,
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
    );
  });
  assert.deepEqual(found, []);
}
