/** The window goes away in the middle of something, and comes back. */
import assert from 'node:assert/strict';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';
import { Chat } from './harness/chat.ts';

describe('xplore move', () => {
  it('moves', async () => {
    const window = await openWorkbench();
    const chat = new Chat(window);
    await window.openChat();
    await chat.composer.fill('half a thought');
    await window.palette('View: Move View');
    await window.page.waitForTimeout(1500);
    await window.shot('pick1');
    await window.quickPick('Chat');
    await window.page.waitForTimeout(1500);
    await window.shot('pick2');
    await window.quickPick(/Secondary Side Bar/);
    await window.page.waitForTimeout(3000);
    await window.shot('moved');
    console.log(await chat.composer.inputValue());
    await window.palette('View: Reset View Locations');
    await window.page.waitForTimeout(3000);
    await window.shot('reset');
    console.log(await window.page.locator('iframe.webview.ready').count());
    console.log(await chat.composer.inputValue({timeout: 10000}));
  });
});
