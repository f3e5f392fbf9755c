import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { loadConfig } from '../../../src/config/load.ts';
import { UserRules } from '../../../src/config/userRules.ts';
import { Bench, callsOf, tool, turn } from '../../support/engine.ts';

describe('"always", from the answer to the next call (P3)', () => {
  let bench: Bench;
  let home: string;
  beforeEach(async () => {
    bench = await Bench.make();
    home = join(bench.folder, 'home');
    bench.tools.push(tool('file_edit', () => 'edited'));
    const places = { workspace: bench.folder, home };
    bench.restart({
      loadConfig: async () => {
        const loaded = await loadConfig(places);
        return { ...loaded, config: { ...bench.config, permissions: loaded.config.permissions } };
      },
      rules: new UserRules(places),
    });
  });
  afterEach(() => bench.close());

  const edit = (path: string) => ({ call: 'file_edit', arguments: { path } });

  it('allows the like of the call from then on, in this turn already, in a later session too, and nothing else', async () => {
    bench.person.answers.push({ answer: 'always' }, { answer: 'refused' });
    bench.provider.answer([edit('a.ts'), edit('a.ts'), edit('b.ts')], ['ok'], [edit('a.ts')], ['ok']);
    const run = await bench.create();
    await turn(run);
    await turn(await bench.create());
    assert.deepEqual(
      bench.person.asks.map(({ rule }) => rule),
      ['file_edit "a.ts" allow', 'file_edit "b.ts" allow'],
    );
    assert.deepEqual(
      run.session.permissions.map(({ decision, by }) => [decision, by]),
      [
        ['granted', 'always'],
        ['granted', 'folder: file_edit "a.ts" allow'],
        ['declined', 'refused'],
      ],
    );
  });

  it('never beats what the user denies, before or after (F05)', async () => {
    await mkdir(home);
    await writeFile(
      join(home, 'config.json'),
      '{"permissions": {"tools": {"file_edit": {"paths": {"secret.ts": "deny"}}}}}',
    );
    bench.person.answers.push({ answer: 'always' });
    bench.provider.answer([edit('a.ts'), edit('secret.ts')], ['ok'], [edit('a.ts')], ['ok']);
    const run = await bench.create();
    await turn(run);
    assert.match(callsOf(run.session)[1]!.output!, /Denied by the permission rules: user: file_edit "secret\.ts" deny/);
    // The person changes their mind; what "always" wrote stands beneath.
    const text = await readFile(join(home, 'config.json'), 'utf8');
    await writeFile(join(home, 'config.json'), text.replace('"secret.ts"', '"*.ts"'));
    await turn(run);
    assert.equal(run.session.permissions.at(-1)!.by, 'user: file_edit "*.ts" deny');
  });

  it('is not offered where no rule of the user would be enough', async () => {
    await mkdir(join(bench.folder, '.polyglav'), { recursive: true });
    await writeFile(
      join(bench.folder, '.polyglav/config.json'),
      '{"permissions": {"tools": {"file_edit": {"paths": {"a.ts": "ask"}}}}}',
    );
    bench.provider.answer([edit('a.ts'), edit('../b.ts'), edit('.env'), edit('.')], ['ok']);
    await turn(await bench.create());
    assert.deepEqual(
      bench.person.asks.map(({ rule }) => rule),
      [undefined, undefined, 'file_edit ".env" allow', 'file_edit "." allow'],
    );
  });
});
