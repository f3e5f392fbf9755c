import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../..');

describe('docs/architecture.md', () => {
  it('prints what each room of src/ may know, as it is checked', () => {
    const { forbidden } = createRequire(import.meta.url)(path.join(ROOT, '.dependency-cruiser.cjs')) as {
      forbidden: { name: string; from: { path?: string } }[];
    };
    const checked = forbidden
      .filter(({ name, from }) => /^\^src\/\w+\/$/.test(from.path ?? '') && !name.endsWith('-only'))
      .map(({ name }) => name);
    const printed = [
      ...readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8').matchAll(/^\| `src\/(\w+)\/` \|.*\| (.*) \|$/gm),
    ].map(([, room, known]) => `${room}-knows-${known === '–' ? 'nobody' : known!.replaceAll(', ', '-')}`);
    assert.ok(checked.length > 10);
    assert.deepEqual(printed.sort(), checked.sort());
  });
});
