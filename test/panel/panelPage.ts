/**
 * The panel in a browser without VS Code: the real bundle under the policy of the real page, with the colours of real themes
 * and a host that a test plays.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { ensureBrowser, launchBrowser } from '../../scripts/lib/browser.mjs';
import type { HostMessage, WebviewMessage } from '../../src/protocol/messages.ts';
import { webviewMessage } from '../../src/protocol/messages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ORIGIN = 'http://panel.test';
const OUTPUT = path.join(ROOT, 'test-output/panel');

interface Theme {
  kind: string;
  classes: string;
  variables: Record<string, string>;
}

/** What VS Code 1.139 hands to its webviews, of the variables that the panel and its controls read. */
const themes = JSON.parse(fs.readFileSync(path.join(ROOT, 'test/panel/themes.json'), 'utf8')) as Record<string, Theme>;
export const THEMES = Object.keys(themes);

export function variablesOf(theme: string): Set<string> {
  return new Set(Object.keys(themeOf(theme).variables).map((name) => `--vscode-${name}`));
}

export const DARK = 'Dark 2026';
export const LIGHT = 'Light 2026';
export const HIGH_CONTRAST = 'Default High Contrast';

export interface PanelOptions {
  theme?: string;
  width?: number;
  height?: number;
}

let building: Promise<string> | undefined;
let launching: Promise<Browser> | undefined;
const open = new Set<Panel>();

export class Panel {
  readonly page: Page;
  /** Everything that the page said to its host, checked as the host checks it. */
  readonly sent: WebviewMessage[] = [];
  /** Violations of the policy, requests that left the page, errors. */
  readonly faults: string[] = [];
  onMessage: (message: WebviewMessage) => void | Promise<void> = () => undefined;

  constructor(page: Page) {
    this.page = page;
  }

  /** Posts in this order, in one task. */
  async post(...messages: HostMessage[]): Promise<void> {
    await this.page.evaluate((list) => list.forEach((message) => window.postMessage(message, '*')), messages);
  }

  sentOf<T extends WebviewMessage['type']>(type: T): Extract<WebviewMessage, { type: T }>[] {
    return this.sent.filter((message) => message.type === type) as Extract<WebviewMessage, { type: T }>[];
  }

  /** Waits until a condition in this process holds. */
  async until(condition: () => unknown, what: string): Promise<void> {
    const end = Date.now() + 10_000;
    while (!(await condition())) {
      assert.ok(Date.now() < end, `never came: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Lets two frames pass, so that what arrived is drawn. */
  async drawn(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 60)))),
    );
  }

  async setTheme(name: string): Promise<void> {
    await this.page.evaluate(applyTheme, themeOf(name));
    await this.drawn();
  }

  async picture(name: string): Promise<void> {
    fs.mkdirSync(OUTPUT, { recursive: true });
    await this.page.screenshot({ path: path.join(OUTPUT, `${name}.png`) });
  }
}

export async function openPanel(options: PanelOptions = {}): Promise<Panel> {
  const { theme = DARK, width = 400, height = 800 } = options;
  building ??= build();
  launching ??= ensureBrowser().then(launchBrowser);
  const [bundle, browser] = await Promise.all([building, launching]);
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const panel = new Panel(page);
  open.add(panel);
  watch(panel);
  await page.route('**/*', async (route) => {
    const url = new URL(route.request().url());
    const file = path.join(bundle, url.pathname === '/' ? 'index.html' : path.basename(url.pathname));
    if (url.origin === ORIGIN && fs.existsSync(file)) await route.fulfill({ path: file });
    else {
      panel.faults.push(`request: ${url.href}`);
      await route.abort();
    }
  });
  await page.exposeFunction('toHost', async (message: unknown) => {
    const checked = webviewMessage.parse(message);
    panel.sent.push(checked);
    await panel.onMessage(checked);
  });
  await page.addInitScript(playVsCode, themeOf(theme));
  return panel;
}

/** Loads the page, or loads it again: what the page kept stays, as in a window that is reloaded. */
export async function load(panel: Panel): Promise<void> {
  await panel.page.goto(ORIGIN);
}

export async function closePanels(test: Mocha.Runnable | undefined): Promise<void> {
  const panels = [...open];
  open.clear();
  for (const [at, panel] of panels.entries()) {
    if (test?.isFailed() === true)
      await panel.picture(`failed ${test.title} ${at || ''}`.replace(/[^\w -]/g, ' ').trim());
    await panel.page.context().close();
  }
  const faults = panels.flatMap((panel) => panel.faults);
  assert.deepEqual(faults, [], 'the page broke its policy, asked for something or failed');
}

export async function endAll(): Promise<void> {
  await (await launching)?.close();
  if (building !== undefined) fs.rmSync(await building, { recursive: true, force: true });
}

function themeOf(name: string): Theme {
  const theme = themes[name];
  assert.ok(theme, `no theme is called ${name}`);
  return theme;
}

/** Runs in the page before anything else: the API of a webview, with a state that outlives the page. */
function playVsCode(theme: Theme): void {
  const KEY = 'kept';
  const { toHost } = window as unknown as { toHost(message: unknown): void };
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: unknown) => toHost(message),
      getState: (): unknown => JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined,
      setState: (state: unknown) => sessionStorage.setItem(KEY, JSON.stringify(state)),
    }),
  });
  document.addEventListener('securitypolicyviolation', (event) =>
    console.error(
      `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample} ${event.sourceFile}:${event.lineNumber}`,
    ),
  );
  new MutationObserver((_, observer) => {
    // Not yet there at first, whatever its type says.
    if (!(document.body as HTMLElement | null)) return;
    observer.disconnect();
    apply();
  }).observe(document, { childList: true, subtree: true });

  function apply(): void {
    for (const [name, value] of Object.entries(theme.variables))
      document.documentElement.style.setProperty(`--vscode-${name}`, value);
    document.body.className = theme.classes;
    document.body.dataset['vscodeThemeKind'] = theme.kind;
  }
}

/** Runs in the page: what VS Code does when the theme changes. */
function applyTheme({ variables, classes, kind }: Theme): void {
  const { style } = document.documentElement;
  for (const name of [...style]) style.removeProperty(name);
  for (const [name, value] of Object.entries(variables)) style.setProperty(`--vscode-${name}`, value);
  document.body.className = classes;
  document.body.dataset['vscodeThemeKind'] = kind;
}

function watch(panel: Panel): void {
  panel.page.on('pageerror', (error) => panel.faults.push(`error: ${error.stack ?? error.message}`));
  panel.page.on('console', (message) => {
    if (message.type() === 'error') panel.faults.push(message.text());
  });
}

/** The bundle as it ships, beside a page like the one of `src/vscode/chatHtml.ts`. */
async function build(): Promise<string> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'polyglav-panel-'));
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { main: 'webview-ui/main.ts' },
    outdir: dir,
    bundle: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    minify: true,
    keepNames: true,
    conditions: ['browser', 'production'],
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfig: 'webview-ui/tsconfig.json',
    logLevel: 'warning',
  });
  for (const name of ['codicon.css', 'codicon.ttf'])
    fs.copyFileSync(path.join(ROOT, 'node_modules/@vscode/codicons/dist', name), path.join(dir, name));
  fs.writeFileSync(path.join(dir, 'vscode.css'), VSCODE_CSS);
  fs.writeFileSync(path.join(dir, 'index.html'), PAGE);
  return dir;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'nonce-abc'",
  `style-src ${ORIGIN} 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='`,
  `font-src ${ORIGIN}`,
  `img-src ${ORIGIN} data:`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${POLICY}">
    <title>Polyglav</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${ORIGIN}/vscode.css">
    <link rel="stylesheet" href="${ORIGIN}/codicon.css">
    <link rel="stylesheet" href="${ORIGIN}/main.css">
  </head>
  <body>
    <polyglav-panel></polyglav-panel>
    <script nonce="abc" src="${ORIGIN}/main.js"></script>
  </body>
</html>`;

/** The part of VS Code's own style of a webview that the panel could trip over, and the side bar behind it. */
const VSCODE_CSS = `
html { background: var(--vscode-sideBar-background); }
@layer vscode-default {
  html { scrollbar-color: var(--vscode-scrollbarSlider-background) var(--vscode-editor-background); }
  body { color: var(--vscode-editor-foreground); font: var(--vscode-font-size) var(--vscode-font-family); margin: 0; padding: 0 20px; }
  a, a code { color: var(--vscode-textLink-foreground); }
  a:focus, textarea:focus { outline: 1px solid -webkit-focus-ring-color; outline-offset: -1px; }
  code { color: var(--vscode-textPreformat-foreground); background: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
  pre code { padding: 0; }
  blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
}
::-webkit-scrollbar { width: 10px; height: 10px; }
::-webkit-scrollbar-thumb { background: var(--vscode-scrollbarSlider-background); }
`;
