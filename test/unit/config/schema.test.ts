import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { modeNames } from '../../../src/agent/modes.ts';
import { configJsonSchema } from '../../../src/config/jsonSchema.ts';
import { TOOL_NAMES } from '../../../src/config/permissionSchema.ts';
import { EMPTY_CONFIG, MODE_NAMES, providerNames } from '../../../src/config/schema.ts';
import { createProviders } from '../../../src/providers/registry.ts';
import { tools } from '../../../src/tools/registry.ts';

const SCHEMA_FILE = join(import.meta.dirname, '../../../media/config.schema.json');

describe('config/schema', () => {
  it('knows the providers that ship', () => {
    assert.deepEqual(createProviders(EMPTY_CONFIG, {}).names().sort(), providerNames(EMPTY_CONFIG).sort());
  });

  it('knows the modes and the tools that there are', () => {
    assert.deepEqual([...MODE_NAMES], modeNames());
    assert.deepEqual([...TOOL_NAMES].sort(), tools.map(({ name }) => name).sort());
  });

  // UPDATE_SCHEMA=1 npx mocha test/unit/config/schema.test.ts  writes it anew.
  it('is the JSON schema that the editor gets', async () => {
    const text = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
    if (process.env['UPDATE_SCHEMA'] === '1') await writeFile(SCHEMA_FILE, text);
    assert.equal(await readFile(SCHEMA_FILE, 'utf8'), text);
  });
});
