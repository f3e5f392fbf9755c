/** The folders that the record lives in, made when first needed and private (R15). */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What stays out of a repository: everything but what a team shares. */
const GITIGNORE = '*\n!config.json\n!roles/\n!roles/**\n';

/** `dir`: the folder of sessions, `<workspace>/.polyglav/sessions`. */
export async function makeFolders(dir: string): Promise<void> {
  await mkdir(join(dir, '.journal'), { recursive: true, mode: 0o700 });
  try {
    await writeFile(join(dirname(dir), '.gitignore'), GITIGNORE, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
