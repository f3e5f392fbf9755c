import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';

import { MockProvider } from '../support/mockProvider.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { ensureBuilt, Place } from './polyglav.ts';

describe('shell lines in polyglav run', function () {
  this.timeout(60_000);
  const folder = useTempFolder();
  before(ensureBuilt);

  it('are allowed only if each command in them is; nobody is there to ask, so the others do not run', async () => {
    const place = new Place(folder.path);
    await place.make();
    const lines = [
      'echo a && touch canary',
      'echo a || touch canary; touch canary',
      'echo a; touch canary',
      'echo a | touch canary',
      'echo a & touch canary',
      'echo a > canary',
      'echo a >> canary',
      'echo a 2>&1 > canary',
      'echo $(touch canary)',
      'echo `touch canary`',
      'echo <(touch canary)',
      'echo <<EOF\n$(touch canary)\nEOF',
      'X=1 echo a',
      'eval "touch canary"',
      "bash -c 'touch canary'",
      'git -c core.pager=touch status',
      'find . -exec touch canary \\;',
      'echo "',
    ];
    const call = (command: string) => ({ call: 'run_command', arguments: { command } });
    const mock = await MockProvider.start({
      strict: true,
      replies: [[call('echo "one  two" | cat'), ...lines.map(call)], [{ text: 'Done.' }]],
    });
    try {
      await place.configure({
        model: 'mock/mock-model',
        providers: { mock: { type: 'openai-chat', base_url: mock.url } },
        permissions: {
          tools: { run_command: { commands: { 'echo *': 'allow', 'git status': 'allow', cat: 'allow' } } },
        },
      });
      const { code, stdout } = await place.run(['run', 'go']);
      assert.deepEqual([code, stdout], [0, 'Done.\n']);
    } finally {
      await mock.stop();
    }
    const { permissions, turns } = await place.session();
    const allowed = 'user: run_command "echo *" allow, user: run_command "cat" allow';
    assert.deepEqual(
      permissions.map(({ decision, by }) => [decision, by]),
      [['granted', allowed], ...lines.map(() => ['declined', 'no terminal'])],
    );
    assert.match(JSON.stringify(turns), /one {2}two/);
    assert.deepEqual(await readdir(place.workspace), ['.polyglav']);
  });
});
