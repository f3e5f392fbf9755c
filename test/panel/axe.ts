/** axe-core on the whole page: every rule that it has, best practices included. */
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type * as Axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';

export async function assertAccessible({ page }: { page: Page | Frame }): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof Axe }).axe.run(document, {
      preload: false,
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
    );
  });
  assert.deepEqual(found, []);
}
