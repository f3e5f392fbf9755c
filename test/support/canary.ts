/** What a test's folder stands in: nothing there may change while the product works in the folder (P4). */
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'canary.txt';

/** Puts a canary into `around`; the function that comes back throws when it, or what else is there, is not as it was. */
export function plantCanary(around: string): () => void {
  writeFileSync(join(around, NAME), 'A canary: nothing that is tested may touch this file.\n');
  const state = () => {
    const { mode, nlink } = lstatSync(join(around, NAME));
    return { names: readdirSync(around).sort(), text: readFileSync(join(around, NAME), 'utf8'), mode, nlink };
  };
  const before = state();
  return () => assert.deepEqual(state(), before, `something was changed in ${around}, outside of the test's folder`);
}
