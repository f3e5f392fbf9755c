import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { CommandContext } from '../../../src/commands/command.ts';
import { commands } from '../../../src/commands/registry.ts';
import { SessionStore } from '../../../src/session/store.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const ID = 'ses_20260817_120000_ab12cd';

describe('completion of slash commands', () => {
  const folder = useTempFolder();

  beforeEach(async () => {
    const store = new SessionStore(folder.path, { version: '0.0.0' });
    for (const name of ['other', 'my notes', ID]) await (await store.create({ name })).close();
    await writeFile(path.join(store.dir, 'old.json'), '{');
    await mkdir(path.join(folder.path, 'out'));
    for (const file of ['out/a.md', 'out/.b.md', 'my file.md', '.hidden'])
      await writeFile(path.join(folder.path, file), '');
  });

  async function complete(line: string): Promise<string[]> {
    const command = commands.find(({ name, complete }) => complete !== undefined && line.startsWith(`${name} `))!;
    const models = async () => ({ selectors: ['demo/demo', 'ollama/llama3.2'], problems: [] });
    const engine = { store: new SessionStore(folder.path, { version: '0.0.0' }), models };
    const context = { engine, cwd: folder.path } as unknown as CommandContext;
    return (await command.complete!(context, line.slice(command.name.length + 1))).sort();
  }

  const lines: [line: string, completed: string[]][] = [
    ['session load ', ['my notes', 'other', ID]],
    ['session load my n', ['my notes']],
    ['session load #', ['#ab12cd']],
    ['session load #ab12', ['#ab12cd']],
    ['sessions preview o', ['other']],
    ['sessions delete o', ['old', 'other']],
    ['sessions export ', ['"my notes"', 'other', ID]],
    ['sessions export "my', ['"my notes"']],
    ['sessions export my', ['"my notes"']],
    ['sessions export my ', ['"my notes"', 'my "my file.md"', 'my out/']],
    ['sessions export my no', ['"my notes"']],
    ['sessions export other my f', ['other "my file.md"']],
    ['sessions export other ', ['other "my file.md"', 'other out/']],
    ['sessions export "my notes" out/', ['"my notes" out/a.md']],
    ['sessions export other out/.', ['other out/.b.md']],
    ['sessions export other "my f', ['other "my file.md"']],
    ['sessions export other nowhere/', []],
    ['history ', ['--run', '--thoughts', 'all']],
    ['history a', ['all']],
    ['history --run o', ['--run other']],
    ['history 3 --run my', ['3 --run "my notes"']],
    ['history 3 --run my no', ['3 --run "my notes"']],
    ['history --run "my no', ['--run "my notes"']],
    ['history --run "x" my', []],
    ['print 1 --run my n', ['1 --run "my notes"']],
    ['history --run "my notes" al', ['--run "my notes" all']],
    ['history --run #', ['--run #ab12cd']],
    ['history "x"y --run o', ['"x"y --run other']],
    ['print 1 --f', ['1 --full']],
    ['print 1 --run ', ['1 --run "my notes"', '1 --run other', `1 --run ${ID}`]],
    ['permissions --run o', ['--run other']],
    ['model o', ['ollama/llama3.2']],
    ['mode p', ['plan']],
  ];
  for (const [line, completed] of lines)
    it(`goes on from /${line}`, async () => {
      assert.deepEqual(await complete(line), completed.sort());
    });

  it('is there for every command that takes a session, a model, a mode or a file', () => {
    const takes = commands.filter(({ name, args }) => args !== '' && name !== 'session new');
    assert.deepEqual(
      takes.filter(({ complete }) => complete === undefined).map(({ name }) => name),
      [],
    );
    assert.equal(takes.length, 9);
  });
});
