/** The chat panel of a window, as a person uses it. Everything is looked up anew when it is used, since VS Code makes the page anew at each reload, hide and move. */
import type { Locator } from 'playwright-core';
import { until, type Workbench } from './workbench.ts';

export class Chat {
  private readonly workbench: Workbench;

  constructor(workbench: Workbench) {
    this.workbench = workbench;
  }

  get panel(): Locator {
    return this.workbench.page
      .frameLocator('iframe.webview.ready')
      .frameLocator('iframe#active-frame')
      .locator('polyglav-panel');
  }

  get composer(): Locator {
    return this.panel.getByRole('textbox', { name: 'Message to Polyglav' });
  }

  get header(): Locator {
    return this.panel.locator('header');
  }

  /** Counted from 1. */
  turn(index: number): Locator {
    return this.panel.getByRole('article', { name: `Turn ${index}`, exact: true });
  }

  /** The last answer of a turn. */
  answer(turn: number): Locator {
    return this.turn(turn).locator('polyglav-answer').last();
  }

  /** The line of a tool call, by the words on it; a click opens it. */
  call(turn: number, words: string | RegExp): Locator {
    return this.turn(turn).locator('.fold.tool', { hasText: words });
  }

  /** Waits until the cursor is in the composer. */
  async focused(): Promise<void> {
    const focused = () => this.composer.evaluate((box) => document.hasFocus() && box === document.activeElement);
    await until(focused, 'the focus in the composer');
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  async newSession(): Promise<void> {
    await this.header.getByRole('button', { name: 'New session', exact: true }).last().click();
    await this.panel.getByText('What should be done?').waitFor();
  }

  /** Waits until the turn has ended, in whatever way; resolves to what the panel says of it. */
  async ended(turn: number): Promise<string> {
    const ending = this.turn(turn).locator('.ending:not(.running)');
    await ending.waitFor();
    return ending.innerText();
  }
}
