/** A VS Code window with Polyglav in it, as a test sees it: what a person can press, and what lies in the workspace. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext, Frame, Locator, Page } from 'playwright-core';
import { loadConfig } from '../../../src/config/load.ts';
import { confirm } from '../../../src/config/trusted.ts';
import type { Unsent } from '../../../src/protocol/messages.ts';
import type { Session } from '../../../src/session/schema.ts';
import { needed, runDir, serverWith, theBrowser } from './servers.ts';

interface OpenOptions {
  /** The workspace of another window, to be open in both; else a fresh one. */
  folder?: string;
  /** The fresh workspace's files by path; a folder's path ends in `/`. Without any it holds `hello.txt`. */
  files?: Record<string, string>;
  /** The text of the workspace's `.polyglav/config.json`, which the person has confirmed. */
  config?: string;
  /** The workspace's settings. */
  settings?: Record<string, unknown>;
  /** A colour theme by its name, as `Light 2026` or `Default High Contrast`; else `Dark 2026`. */
  theme?: string;
  size?: { width: number; height: number };
  /** Variables of the extension host. Tests with the same ones share a server. */
  env?: Record<string, string>;
  /** The workspace begins untrusted. */
  untrusted?: boolean;
}

/** A machine under load draws a workbench in ten seconds where an idle one needs two. */
const PATIENCE_MS = 45_000;

/** What the workbench and the panel's control kit say on the console of a healthy window. */
const NOISE =
  /inline style violates|Aborted onWillSave|vscode-log:|_static\/|vsda|\/update\/check|Timed out waiting for authentication provider|Canceled|\[lifecycle\]|Failed to load resource|ERR_ABORTED|webPackagePaths|punycode|BroadcastChannel/;

/** Those that a test opened end with it; those of a suite's `before` end with `dispose`. */
const open = new Map<Workbench, 'test' | 'suite'>();
let currentTest = 'test';
let inTest = false;
let windows = 0;

/** Opens a workspace in a fresh window, with no state from any other test. */
export async function openWorkbench(options: OpenOptions = {}): Promise<Workbench> {
  windows += 1;
  const folder = options.folder ?? path.join(runDir, `workspace-${windows}`);
  if (options.folder === undefined) writeFiles(folder, options.files ?? { 'hello.txt': 'hello\n' });
  const settings = {
    ...options.settings,
    ...(options.theme === undefined ? {} : { 'workbench.colorTheme': options.theme }),
  };
  if (Object.keys(settings).length > 0) writeFiles(folder, { '.vscode/settings.json': JSON.stringify(settings) });

  const [server, browser] = await Promise.all([serverWith(options.env ?? {}, options.untrusted), theBrowser()]);
  const context = await browser.newContext({
    viewport: options.size ?? { width: 1400, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const workbench = new Workbench(context, await context.newPage(), folder, server.polyglavHome);
  open.set(workbench, inTest ? 'test' : 'suite');
  if (options.config !== undefined) await workbench.configure(options.config);
  await workbench.page.goto(`${server.url}?${new URLSearchParams({ folder })}`);
  await workbench.ready();
  return workbench;
}

export class Workbench {
  /** Errors that page and panel wrote to the console, without the workbench's usual ones. */
  readonly consoleErrors: string[] = [];
  readonly page: Page;
  /** The workspace on disk. */
  readonly folder: string;
  /** The user's own folder of Polyglav. */
  readonly polyglavHome: string;
  private readonly context: BrowserContext;
  private shots = 0;
  /** The document is being left: what VS Code's own code then says of things cut short is no fault of ours. */
  private leaving = false;

  constructor(context: BrowserContext, page: Page, folder: string, polyglavHome: string) {
    this.context = context;
    this.page = page;
    this.folder = folder;
    this.polyglavHome = polyglavHome;
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() !== 'error' || NOISE.test(text)) return;
      if (this.leaving && text.includes('/workbench.js:') && !/polyglav/i.test(text)) return;
      this.consoleErrors.push(text);
    });
  }

  /** Waits until the window is drawn; extensions may still be starting. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
  }

  /**
   * Runs a command by its title. The list does not refresh when an extension registers late, so it is closed and opened
   * again until the row shows.
   */
  async palette(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input.input');
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    const end = Date.now() + 2 * PATIENCE_MS;
    for (;;) {
      if (Date.now() > end) throw new Error(`no command "${title}" in the palette`);
      if (!(await input.isVisible())) {
        await this.page.keyboard.press('F1');
        if (!(await becomes(input, 'visible', 3000))) continue;
      }
      // It can close by itself while the focus settles: then `fill` or `click` gives up soon, and it is opened again.
      if (!(await succeeds(input.fill(`>${title}`, { timeout: 1500 })))) continue;
      if (await succeeds(row.click({ timeout: 3000 }))) return;
      await this.page.keyboard.press('Escape');
      await becomes(input, 'hidden', 5000);
    }
  }

  /** Brings the chat panel up and resolves to its frame. */
  async openChat(): Promise<Frame> {
    await this.palette('Polyglav: Open Chat');
    return this.chatFrame();
  }

  /**
   * The panel's own document. A reload, a hide or a move replaces it: ask again after each.
   * It is found by its content, since VS Code renames the frames around it while they load.
   */
  async chatFrame(): Promise<Frame> {
    const end = Date.now() + PATIENCE_MS;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) {
        if (!frame.parentFrame()?.parentFrame()) continue;
        const found = await frame
          .locator('polyglav-panel')
          .count()
          .catch(() => 0);
        if (found > 0) return frame;
      }
      await this.page.waitForTimeout(150);
    }
    throw new Error('the chat panel did not show');
  }

  /** Pastes a text to where the focus is. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate((value) => navigator.clipboard.writeText(value), text);
    await this.page.keyboard.press('Control+v');
  }

  /** Makes the panel this wide, in CSS pixels, by pulling the border of its side bar. */
  async resizePanel(width: number): Promise<void> {
    const panel = await this.page.locator('iframe.webview.ready').first().boundingBox();
    const border = await this.page.locator('.monaco-sash.primary-sidebar-sash').boundingBox();
    if (!panel || !border) throw new Error('the chat panel is not visible');
    const [x, y] = [border.x + border.width / 2, border.y + border.height / 2];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + width - panel.width, y, { steps: 5 });
    await this.page.mouse.up();
    const frame = await this.chatFrame();
    await frame.waitForFunction((wanted) => Math.abs(innerWidth - wanted) <= 2, width);
  }

  /** Hides the side bar: VS Code throws the panel's page away. */
  async hideSideBar(): Promise<void> {
    await this.palette('View: Close Primary Side Bar');
    await this.page.locator('iframe.webview').waitFor({ state: 'detached' });
  }

  /** The native modal dialog that holds this text. */
  async modal(text: string | RegExp = ''): Promise<Locator> {
    const dialog = this.page.locator('.monaco-dialog-box[role="dialog"]', { hasText: text });
    await dialog.waitFor();
    return dialog;
  }

  /** Presses a button of the native modal dialog and waits until it is gone. */
  async answerModal(button: string, text: string | RegExp = ''): Promise<void> {
    const dialog = await this.modal(text);
    await dialog.getByRole('button', { name: button, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Opens a file of the workspace in an editor, which gets the focus. */
  async openFile(file: string): Promise<void> {
    await this.page.keyboard.press('Control+p');
    const input = this.page.locator('.quick-input-widget input.input');
    await input.fill(file);
    await this.quickPick(path.basename(file));
    await this.page.locator('.tab.active', { hasText: path.basename(file) }).waitFor();
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  }

  /** The text in the editor that has the focus last, as far as it is in view. */
  async editorText(): Promise<string> {
    const lines = this.page.locator('.editor-instance .monaco-editor .view-line');
    const drawn = await lines.evaluateAll((elements) =>
      elements.map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent })),
    );
    const inOrder = drawn.sort((one, other) => one.top - other.top);
    return inOrder.map(({ text }) => text.replaceAll('\u00a0', ' ')).join('\n');
  }

  /** Waits for a quick pick with a row that holds this text, and picks it. */
  async quickPick(text: string | RegExp): Promise<void> {
    await this.quickPickRow(text).click();
  }

  quickPickRow(text: string | RegExp): Locator {
    return this.page.locator('.quick-input-widget .monaco-list-row', { hasText: text }).first();
  }

  /** Fills the native input box whose prompt holds this text. */
  async inputBox(prompt: string | RegExp, value: string): Promise<void> {
    await this.page.locator('.quick-input-message', { hasText: prompt }).waitFor();
    await this.page.locator('.quick-input-widget .quick-input-box input').fill(value);
    await this.page.keyboard.press('Enter');
  }

  /** The notification that holds this text; its buttons are `.getByRole('button', { name })`. */
  notification(text: string | RegExp): Locator {
    return this.page.locator('.notifications-toasts .notification-toast', { hasText: text }).first();
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item', { hasText: text }).first();
  }

  /** A row of a tree view, by its label. */
  treeRow(text: string | RegExp): Locator {
    return this.page.locator('.monaco-list-row[role="treeitem"]', { hasText: text }).first();
  }

  /** Reloads the window by its command: VS Code shuts it down in good order. */
  async reload(): Promise<void> {
    await this.leave(() => Promise.all([this.page.waitForEvent('load'), this.palette('Developer: Reload Window')]));
  }

  /** Loads the page again at once, which is nearer to a crash. */
  async reloadAtOnce(): Promise<void> {
    await this.leave(() => this.page.reload());
  }

  private async leave(reload: () => Promise<unknown>): Promise<void> {
    this.leaving = true;
    try {
      await reload();
    } finally {
      this.leaving = false;
    }
    await this.ready();
  }

  /** The session records of the workspace, oldest name first. */
  readSessions(): Session[] {
    const dir = path.join(this.folder, '.polyglav/sessions');
    if (!fs.existsSync(dir)) return [];
    const names = fs.readdirSync(dir).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => JSON.parse(fs.readFileSync(path.join(dir, name), 'utf8')) as Session);
  }

  /** The drafts that the extension hosts have a copy of, of every window. */
  mirroredDrafts(): string[] {
    const files = runFiles('^server-\\d+$', 'data', 'User', 'globalStorage', '^polyglav', '', '^unsent-.*\\.json$');
    return files.map((file) => (JSON.parse(fs.readFileSync(file, 'utf8')) as { unsent: Unsent }).unsent.draft);
  }

  /** The newest record, once it has so many turns and the last of them has ended. */
  async recorded(turns: number): Promise<Session> {
    return until(() => {
      const session = this.readSessions().at(-1);
      const done = session?.turns.length === turns && session.turns.at(-1)?.status !== 'running';
      return done ? session : undefined;
    }, `a record of ${turns} ended turns`);
  }

  /** A file of the workspace. */
  read(file: string): string {
    return fs.readFileSync(path.join(this.folder, file), 'utf8');
  }

  exists(file: string): boolean {
    return fs.existsSync(path.join(this.folder, file));
  }

  write(file: string, text: string): void {
    writeFiles(this.folder, { [file]: text });
  }

  /** Writes the workspace's `.polyglav/config.json`, to which the person has said yes before it is there. */
  async configure(text: string): Promise<void> {
    const draft = fs.mkdtempSync(path.join(runDir, 'draft-'));
    writeFiles(draft, { '.polyglav/config.json': text });
    const { unconfirmed } = await loadConfig({ workspace: draft, home: this.polyglavHome });
    const folder = fs.realpathSync(this.folder);
    if (unconfirmed !== undefined) await confirm({ ...unconfirmed, folder }, this.polyglavHome);
    this.write('.polyglav/config.json', text);
  }

  /** A picture into test-output/, named after the test and this. */
  async shot(name?: string): Promise<void> {
    this.shots += 1;
    const words = [currentTest, name ?? String(this.shots)].join(' ');
    const file = `${words.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 150)}.png`;
    await this.page.screenshot({ path: path.join(needed('POLYGLAV_OUTPUT'), file) });
  }

  async dispose(): Promise<void> {
    if (!open.delete(this)) return;
    // Leaving the page tells the server that the window is gone; its extension host would otherwise wait for it to return.
    await this.page.goto('about:blank').catch(() => undefined);
    await this.context.close();
  }
}

/** Called by the hooks: pictures are named after the running test. */
export function testBegins(title: string): void {
  currentTest = title;
  inTest = true;
}

/** Called by the hooks. */
export async function testEnds(failed: boolean): Promise<void> {
  inTest = false;
  for (const workbench of open.keys()) await workbench.shot(failed ? 'FAILED' : 'end').catch(() => undefined);
  for (const [workbench, owner] of open) if (owner === 'test') await workbench.dispose();
}

/** Called by the hooks. */
export async function disposeAll(): Promise<void> {
  for (const workbench of [...open.keys()]) await workbench.dispose();
}

/** The files of this run at a path of which each name matches. */
function runFiles(...names: string[]): string[] {
  const below = (folders: string[], name: string) =>
    folders.flatMap((folder) => {
      const found = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
      return found.filter((entry) => new RegExp(name).test(entry)).map((entry) => path.join(folder, entry));
    });
  return names.reduce(below, [runDir]);
}

function becomes(locator: Locator, state: 'visible' | 'hidden', timeout: number): Promise<boolean> {
  return succeeds(locator.waitFor({ state, timeout }));
}

function succeeds(action: Promise<void>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

/** Looks again and again until there is something; fails with `what` when that takes too long. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`there was never ${what}`);
    await wait(100);
  }
}

function writeFiles(folder: string, files: Record<string, string>): void {
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(name.endsWith('/') ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith('/')) fs.writeFileSync(file, text);
  }
}
