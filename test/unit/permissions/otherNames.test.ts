/** What is held back stays so under another name: things are moved, linked and copied, in one line or in several, and then read. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';

import { decide } from '../../../src/permissions/policy.ts';
import { fileRead } from '../../../src/tools/fileRead.ts';
import { runCommand } from '../../../src/tools/runCommand.ts';
import { SessionShell } from '../../../src/tools/sessionShell.ts';
import { Workspace } from '../tools/workspace.ts';
import { allowing, hasBash, SECRET } from './canaries.ts';

const PROGRAMS = 'mv ln cp tar git rsync install find cat grep cd mkdir diff head sort rename zip gzip zcat true'.split(
  ' ',
);
const CONFIG = allowing(PROGRAMS, ['src/held/**', 'sub/back']);

const pick = (...all: string[]) => fc.constantFrom(...all);
const SOURCES = [
  'conf',
  'src',
  'src/held',
  'sub',
  'sub/back',
  'plain',
  'plain/a',
  '.',
  'conf/id_rsa',
  '.env',
  'c*',
  's*',
  '*/id*',
];
const LINKS = [
  'near',
  'far',
  'plain/up',
  'deep/er/up',
  'deep',
  'deep/er',
  'x',
  'y',
  'x/*',
  'back',
  'held',
  'a',
  '../a',
  '../../a',
];
const source = fc.oneof({ weight: 1, arbitrary: pick(...SOURCES) }, { weight: 3, arbitrary: pick(...LINKS) });
const target = pick('x', 'y', 'x', 'y', 'x/z', 'empty', 'empty/', '.', 'sub/x', 'src/x', 'deep/er/x', 'src', 'sub');
const put = fc.oneof(
  fc.tuple(pick('mv', 'mv -f', 'git mv', 'mv -t', 'git mv -k'), source, target),
  fc.tuple(pick('ln -s', 'ln', 'ln -sr', 'ln -sfn', 'ln -sT', 'ln -st'), source, target),
  fc.tuple(
    pick('cp', 'cp -r', 'cp -a', 'cp -P', 'cp -rL', 'cp -l', 'cp -rs', 'rsync -a', 'install -D', 'cp -rt'),
    source,
    target,
  ),
  fc.tuple(
    pick('rename s/conf/x/', 'tar cf x', 'tar cf y -C', 'zip -r x', 'gzip -rk', 'tar xf x -C', 'tar xf'),
    source,
    pick('', '.'),
  ),
  fc.tuple(pick('mkdir -p', 'cd', 'find'), target, pick('', '', '-name a -exec mv {} y \\;', '-exec cp -r {} y \\;')),
  fc.tuple(pick('find . -name'), source, pick('-exec mv {} x \\;', '-exec cp -r {} y \\;', '-exec ln -s {} x \\;')),
);
const READ = [
  'x',
  'y',
  'x/*',
  'y/*',
  '*/x',
  'x/z',
  'x/z/*',
  'x/id_rsa',
  'x/held/a',
  'y/held/a',
  'x/back',
  'src/x',
  'sub/x',
  'src/near',
  'src/x/*',
];
const UP = [
  'x/../held/a',
  'x/../../outside/secret',
  'y/../outside/secret',
  'x/../back',
  'empty/*',
  'plain/*',
  'x/up',
  'y/up',
  'up',
  'deep/er/x',
  'a',
];
const place = fc.oneof(pick(...READ), pick(...UP));
const read = fc.oneof(
  fc.tuple(pick('cat', 'cat', 'head', 'sort', 'grep -h the', 'grep -rh the', 'tar cf -', 'find', 'cat <', 'cd'), place),
  fc.tuple(pick('diff -N empty', 'git diff --no-index empty', 'find . -exec cat {} +; true', 'cd x && cat'), place),
);
const steps = fc
  .tuple(fc.array(put, { minLength: 1, maxLength: 3 }), read)
  .map(([puts, last]) => [...puts, last].map((words) => words.join(' ').trim()));

describe('what is held back', function () {
  this.timeout(600_000);
  let base: Workspace;
  let root: string;
  /** Lines have run in it. */
  let used = true;
  before(async () => {
    base = await Workspace.make();
    await base.write('made/outside/secret', `${SECRET} outside\n`);
    await base.write('made/ws/.env', `${SECRET} env\n`);
    await base.write('made/ws/conf/id_rsa', `${SECRET} key\n`);
    await base.write('made/ws/src/held/a', `${SECRET} held\n`);
    await base.write('made/ws/src/b.ts', 'b\n');
    await base.write('made/ws/sub/back', `${SECRET} back\n`);
    await base.write('made/ws/plain/a', 'a\n');
    await base.write('made/ws/plain/held/a', 'a\n');
    await base.write('made/ws/deep/er/a', 'a\n');
    const ws = base.path('made/ws');
    await mkdir(path.join(ws, 'empty'));
    await symlink('held/a', path.join(ws, 'near'));
    await symlink('../outside/secret', path.join(ws, 'far'));
    await symlink('../../outside/secret', path.join(ws, 'plain/up'));
    await symlink('../../../outside/secret', path.join(ws, 'deep/er/up'));
    const git = (...given: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...given], { cwd: ws, stdio: 'ignore' });
    git('init', '--template=');
    git('add', '.');
    root = path.join(await realpath(base.path('.')), 'now/ws');
  });
  after(() => base.remove());

  /** What the lines show that are not asked, one after the other in one session. */
  async function shown(lines: readonly string[]): Promise<{ ran: readonly string[]; output: string }> {
    if (used) {
      await rm(base.path('now'), { recursive: true, force: true });
      await cp(base.path('made'), base.path('now'), { recursive: true, verbatimSymlinks: true });
      used = false;
    }
    const session = new SessionShell(root);
    const place = base.with({ workspace: root, command_secs: 10, shell: session });
    const ran: string[] = [];
    let output = '';
    for (const command of lines) {
      const cwd = await session.folder();
      if ((await decide({ tool: runCommand, input: { command }, workspace: root, cwd }, CONFIG)).action !== 'allow')
        continue;
      ran.push(command);
      used = true;
      output += (await place.call(runCommand, { command })).output;
    }
    for (const file of used ? READ : []) {
      const { action, resolved } = await decide({ tool: fileRead, input: { path: file }, workspace: root }, CONFIG);
      if (action === 'allow') output += await readFile(resolved.get(file) ?? '', 'utf8').catch(() => '');
    }
    return { ran, output };
  }

  for (const [name, linesOf] of [
    ['in one line', (all: readonly string[]) => [all.join('; ')]],
    ['in one line, if all goes well', (all: readonly string[]) => [all.join(' && ')]],
    ['in several lines', (all: readonly string[]) => all],
  ] as const)
    it(`is not shown by another name, ${name}`, async function () {
      if (!hasBash) return this.skip();
      let count = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const { ran, output } = await shown(linesOf(all));
          count += ran.length;
          assert.ok(!output.includes(SECRET), `${ran.join('\n')}\nshowed\n${output}`);
        }),
        { numRuns: Number(process.env['RUNS'] ?? 60) },
      );
      assert.ok(count > 0, `only ${count} lines ran`);
    });
});
