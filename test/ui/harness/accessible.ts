import { assertAccessible } from '../../panel/axe.ts';
import type { Workbench } from './workbench.ts';

/** axe on the panel as it stands in the workbench, in whatever theme that has. */
export async function assertPanelAccessible(window: Workbench): Promise<void> {
  const frame = await window.chatFrame();
  // The page is transparent: axe sees nothing of the side bar behind it, and would take white for it.
  await frame.evaluate(() => (document.documentElement.style.background = 'var(--vscode-sideBar-background)'));
  await assertAccessible({ page: frame });
}
