import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { loadConfig, type ConfigPlaces } from '../../../src/config/load.ts';
import { UserRules } from '../../../src/config/userRules.ts';
import { Bench, callsOf, tool, turn } from '../../support/engine.ts';

describe('"always", from the answer to the next call (P3)', () => {
  let bench: Bench;
  let home: string;
  let places: ConfigPlaces & { workspace: string };
  beforeEach(async () => {
    bench = await Bench.make();
    home = join(bench.folder, 'home');
    bench.tools.push(tool('file_edit', () => 'edited'));
    places = { workspace: bench.folder, home };
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

  it('stores for a line of several commands none for each of them (F05)', async () => {
    const command = tool('run_command', () => 'ran', {
      schema: z.strictObject({ command: z.string() }),
      paths: (_, cwd) => [cwd],
      commandLine: ({ command: line }) => String(line),
      words: ({ command: line }) => ({ title: `Run ${String(line)}` }),
    });
    bench.tools.splice(0, Infinity, command);
    const run = (line: string) => ({ call: 'run_command', arguments: { command: line } });
    bench.person.answers.push({ answer: 'always' }, { answer: 'refused' }, { answer: 'always' }, { answer: 'refused' });
    bench.provider.answer(
      [
        run('git status && rm -r tmp'),
        run('rm -r src'),
        run('git status'),
        run('git status && rm -r tmp'),
        run('git status'),
      ],
      ['ok'],
    );
    const live = await bench.create();
    await turn(live);
    assert.deepEqual(
      bench.person.asks.map(({ title, rule }) => [title, rule]),
      [
        ['Run git status && rm -r tmp', undefined],
        ['Run rm -r src', 'run_command "rm -r src" allow'],
        ['Run git status', 'run_command "git status" allow'],
        ['Run git status && rm -r tmp', 'run_command "rm -r tmp" allow'],
      ],
    );
    assert.deepEqual(
      live.session.permissions.map(({ by }) => by),
      ['once', 'refused', 'always', 'refused', 'folder: run_command "git status" allow'],
    );
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
      bench.person.asks.map(({ rule, no_rule }) => rule ?? no_rule),
      [
        'another rule would ask all the same, project: file_edit "a.ts" ask',
        'this is asked whatever the rules allow',
        'file_edit ".env" allow',
        'file_edit "." allow',
      ],
    );
  });

  it('is not offered in a folder that is not trusted, where no rule allows anything (P5)', async () => {
    places.restricted = true;
    bench.provider.answer([edit('a.ts')], ['ok']);
    await turn(await bench.create());
    assert.deepEqual(
      bench.person.asks.map(({ rule, no_rule }) => [rule, no_rule]),
      [[undefined, 'the folder is in Restricted Mode, where no rule allows anything, not even one of yours']],
    );
  });
});
