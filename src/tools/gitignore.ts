/** What git ignores: the .gitignore files from the repository's root down, and its .git/info/exclude (P1). */
import { promises as fs } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

import { isInside } from '../permissions/paths.ts';

interface Layer {
  folder: string;
  rules: Ignore;
}

/** Immutable: the rules that hold for what is directly in one folder. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([]);
  /** Outermost first. */
  readonly #layers: readonly Layer[];

  private constructor(layers: readonly Layer[]) {
    this.#layers = layers;
  }

  /** `none` for a folder that is ignored itself: who asks for it by name wants to see it. */
  static async of(folder: string, workspace: string): Promise<{ rules: IgnoreRules; ignored: boolean }> {
    const root = (await repositoryRoot(folder)) ?? (isInside(workspace, folder) ? workspace : folder);
    let rules = new IgnoreRules(await layer(root, path.join(root, '.git', 'info', 'exclude')));
    let at = root;
    rules = await rules.within(at);
    for (const name of path.relative(root, folder).split(path.sep).filter(Boolean)) {
      at = path.join(at, name);
      if (rules.ignores(at, true)) return { rules: IgnoreRules.none, ignored: true };
      rules = await rules.within(at);
    }
    return { rules, ignored: false };
  }

  /** With the rules of a folder further down. */
  async within(folder: string): Promise<IgnoreRules> {
    const own = await layer(folder, path.join(folder, '.gitignore'));
    return own.length === 0 ? this : new IgnoreRules([...this.#layers, ...own]);
  }

  /** The innermost file that says something about the path decides. */
  ignores(file: string, isFolder: boolean): boolean {
    for (const { folder, rules } of this.#layers.toReversed()) {
      const relative = path.relative(folder, file).split(path.sep).join('/');
      const { ignored, unignored } = rules.test(isFolder ? `${relative}/` : relative);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

const MOST_BYTES = 1024 * 1024;

async function layer(folder: string, file: string): Promise<Layer[]> {
  try {
    const ignorecase = process.platform !== 'linux';
    const info = await fs.stat(file);
    // A pipe or a device would be waited for, or read, for ever.
    if (!info.isFile() || info.size > MOST_BYTES) return [];
    return [{ folder, rules: ignore({ ignorecase }).add(await fs.readFile(file, 'utf8')) }];
  } catch {
    return [];
  }
}

async function repositoryRoot(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (
      await fs.access(path.join(at, '.git')).then(
        () => true,
        () => false,
      )
    )
      return at;
    if (at === path.dirname(at)) return undefined;
  }
}
