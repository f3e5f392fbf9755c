/** Rules for commands where a person meets them: the built command line, real shells, canaries (P2, F01, F05, F15). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';

import { isKind } from '../../src/session/schema.ts';
import { KEY_ENV as env, useMockedPlace, type MockedPlace } from './mocked.ts';

describe('polyglav run, with rules for commands', function () {
  this.timeout(60_000);
  let place: MockedPlace;
  useMockedPlace((made) => (place = made));
  before(function () {
    // The lines are for a POSIX shell.
    if (process.platform === 'win32') this.skip();
  });
  /** Each line in a call of its own; what was decided, in order, and what came out. */
  async function decided(lines: readonly string[], tools: object, args: string[] = []) {
    const calls = lines.map((command) => ({ call: 'run_command', arguments: { command } }));
    await place.replies([calls, [{ text: 'Done.' }]], { permissions: { tools } });
    const { code, stderr } = await place.run(['run', ...args, 'go'], { env });
    assert.equal(code, 0, stderr);
    const session = await place.session();
    const outputs = session.turns[0]!.parts.filter((part) => isKind(part, 'tool')).map(({ output }) => output);
    return { stderr, permissions: session.permissions, outputs };
  }

  it('runs what every command of a line is allowed for, and of nothing else even the beginning (F01)', async () => {
    await mkdir(place.file('bin'));
    // Whatever would run it leaves its mark.
    await writeFile(place.file('bin', 'canary'), `#!/bin/sh\necho x >> '${place.file('CANARY')}'\n`);
    await chmod(place.file('bin', 'canary'), 0o755);
    const canary = './bin/canary';
    const out = 'CANARY';
    const lines = [
      `echo a && ${canary}`,
      `false || ${canary}`,
      `echo a || ${canary}`,
      `echo a ; ${canary}`,
      `echo a | ${canary}`,
      `echo a & ${canary}`,
      `echo a\n${canary}`,
      `echo a > ${out}`,
      `echo a >> ${out}`,
      `echo a 2> ${out}`,
      `echo a &> ${out}`,
      `echo a >| ${out}`,
      `echo a > ${out} 2>&1`,
      `echo $(${canary})`,
      `echo "$(${canary})"`,
      `echo \`${canary}\``,
      `echo <(${canary})`,
      `echo >(${canary})`,
      `echo <<EOF\n$(${canary})\nEOF`,
      `echo <<< "$(${canary})"`,
      `X=$(${canary}) echo a`,
      `PATH=./bin:$PATH canary`,
      `eval ${canary}`,
      `eval "echo a; ${canary}"`,
      `bash -c ${canary}`,
      `sh -c 'echo a; ${canary}'`,
      `git -c core.pager=${canary} -c core.fsmonitor=${canary} status`,
      `git -c alias.status='!${canary}' status`,
      `find . -maxdepth 0 -exec ${canary} \\;`,
      `echo x | xargs -I{} ${canary}`,
      `env ${canary}`,
      `command ${canary}`,
      `(echo a; ${canary})`,
      `{ echo a; ${canary}; }`,
      `if true; then ${canary}; fi`,
      `for x in 1; do ${canary}; done`,
      `echo() { ${canary}; }; echo a`,
      `alias echo=${canary}\necho a`,
      `trap ${canary} EXIT`,
      `. ${canary}`,
      `echo \${X:-$(${canary})}`,
      `echo $((1 + $(${canary})))`,
      `[ -n "$(${canary})" ] && echo a`,
    ];
    const tools = { run_command: { commands: { 'echo *': 'allow', 'git status': 'allow' } } };
    const { permissions, outputs } = await decided([...lines, 'echo allowed', 'echo a > /dev/null 2>&1'], tools);
    for (const [index, line] of lines.entries()) {
      assert.equal(permissions[index]!.decision, 'declined', line);
      assert.match(outputs[index]!, /^Declined/, line);
    }
    assert.equal(existsSync(place.file(out)), false, 'something ran');
    assert.match(outputs.at(-2)!, /^allowed\n/);
    assert.deepEqual(
      permissions.slice(-2).map(({ action, decision, by }) => [action, decision, by]),
      Array(2).fill(['allow', 'granted', 'user: run_command "echo *" allow']),
    );
    // One for each decision, with its call (F15).
    assert.deepEqual(
      permissions.map(({ part }) => part),
      permissions.map((_, index) => index + 2),
    );
  });

  it('lets neither --yes nor a rule take what leads outside, nor what writes into the record', async () => {
    await writeFile(place.file('../canary'), 'chirp');
    const lines = ['cat ../canary', 'echo dead > ../canary', 'cd .. && echo dead', 'cat < ../canary'];
    const inside = ['echo x > .polyglav/config.json', 'echo x > .git/config'];
    const tools = { run_command: 'allow' };
    const { permissions, stderr } = await decided([...lines, ...inside, 'echo fine > made.txt'], tools, ['--yes']);
    assert.deepEqual(
      permissions.map(({ decision, by }) => `${decision} ${by}`),
      [
        ...lines.map(() => 'declined no terminal'),
        'denied shipped: .polyglav/ deny',
        'denied shipped: .git/ deny',
        'granted --yes',
      ],
    );
    assert.match(stderr, /outside the workspace/);
    assert.equal(await readFile(place.file('../canary'), 'utf8'), 'chirp');
    assert.equal(await readFile(place.file('made.txt'), 'utf8'), 'fine\n');
    assert.equal(existsSync(place.file('.polyglav/config.json')), false);
  });

  it('does not let --yes take what may turn out to be what a rule denies', async () => {
    const lines = [
      'r{m,} kept',
      '$(echo rm) kept',
      'X=rm; $X kept',
      'busybox rm kept',
      'echo rm kept | bash',
      'cp a locked',
    ];
    for (const name of ['kept', 'locked', 'a']) await writeFile(place.file(name), name);
    const tools = { run_command: { commands: { 'rm *': 'deny' } }, file_edit: { paths: { locked: 'deny' } } };
    const { permissions, stderr } = await decided([...lines, 'cp a b'], tools, ['--yes']);
    assert.deepEqual(
      permissions.map(({ decision, by }) => `${decision} ${by}`),
      [...lines.map(() => 'declined no terminal'), 'granted --yes'],
    );
    assert.match(stderr, /Only a person at a terminal can allow that: .*what a rule denies: run_command "rm \*" deny/);
    assert.deepEqual(await Promise.all(['kept', 'locked'].map((name) => readFile(place.file(name), 'utf8'))), [
      'kept',
      'locked',
    ]);
  });

  it('denies by a rule whatever else allows, and tells the model which rule', async () => {
    const tools = {
      run_command: { action: 'allow', commands: { 'rm *': 'deny' } },
      file_read: { paths: { 'secrets.txt': 'deny' } },
    };
    await writeFile(place.file('secrets.txt'), 'hunter2');
    const lines = ['rm -r tmp', 'true && rm x', 'cat secrets.txt', 'cat < ./secrets.txt', 'xargs rm < list'];
    const { permissions, outputs } = await decided(lines, tools, ['--yes']);
    assert.ok(permissions.every(({ decision }) => decision === 'denied'));
    assert.match(outputs[0]!, /^Denied by the permission rules: user: run_command "rm \*" deny\./);
    assert.match(outputs[2]!, /^Denied by the permission rules: user: file_read "secrets\.txt" deny\./);
    assert.doesNotMatch(JSON.stringify(outputs), /hunter2/);
  });
});
