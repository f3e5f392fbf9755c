/** A workspace folder for the tests of the tools, and the context that a call gets in it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { resolvePath } from '../../../src/permissions/paths.ts';
import { readingRules } from '../../../src/permissions/reading.ts';
import { diskFiles } from '../../../src/tools/diskFiles.ts';
import { SessionShell } from '../../../src/tools/sessionShell.ts';
import type { Tool, ToolContext, ToolResult } from '../../../src/tools/tool.ts';
import { guardedFolder } from '../../support/tempFolder.ts';

const ripgrepPackage = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`;
export const ripgrep = createRequire(import.meta.url).resolve(ripgrepPackage);

export class Workspace {
  readonly root: string;
  /** Pieces that a running call reported. */
  readonly pieces: string[] = [];
  readonly shell: SessionShell;
  #overrides: Partial<ToolContext> = {};
  readonly #seen = new Map<string, string | null>();

  readonly #folder: Awaited<ReturnType<typeof guardedFolder>>;

  private constructor(folder: Awaited<ReturnType<typeof guardedFolder>>) {
    this.#folder = folder;
    this.root = folder.path;
    this.shell = new SessionShell(this.root);
  }

  static async make(): Promise<Workspace> {
    return new Workspace(await guardedFolder());
  }

  async remove(): Promise<void> {
    await this.#folder.remove();
  }

  path(name: string): string {
    return path.join(this.root, name);
  }

  async write(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(path.dirname(this.path(name)), { recursive: true });
    await writeFile(this.path(name), content);
  }

  async bytes(name: string): Promise<Buffer> {
    return readFile(this.path(name));
  }

  async text(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** Changes the context of the calls from here on. */
  with(overrides: Partial<ToolContext>): this {
    this.#overrides = { ...this.#overrides, ...overrides };
    return this;
  }

  context(): ToolContext {
    return {
      workspace: this.root,
      files: diskFiles,
      seen: (shown) => this.#seen.get(shown),
      resolve: (given) => resolvePath(this.root, given),
      reading: readingRules(this.root, []),
      shell: this.shell,
      watchdog: undefined,
      ripgrep,
      max_output_chars: 20_000,
      secret_env: [],
      holdsKey: () => false,
      command_secs: 20,
      signal: new AbortController().signal,
      onOutput: (piece) => void this.pieces.push(piece),
      ...this.#overrides,
    };
  }

  async call(tool: Tool, input: Record<string, unknown>): Promise<ToolResult> {
    const result = await tool.execute(input, this.context());
    for (const { path: name, after } of result.files ?? []) this.#seen.set(name, after);
    return result;
  }
}
