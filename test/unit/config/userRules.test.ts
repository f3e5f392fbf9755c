import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';

import { loadConfig } from '../../../src/config/load.ts';
import type { AllowRule } from '../../../src/config/rules.ts';
import { UserRules } from '../../../src/config/userRules.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('the rules that "always" writes (P3)', () => {
  const folder = useTempFolder();
  const home = () => join(folder.path, 'home');
  const workspace = () => join(folder.path, 'shop');
  const file = () => join(home(), 'config.json');
  const EDIT: AllowRule = { tool: 'file_edit', under: 'paths', pattern: 'src/a.ts' };
  const STATUS: AllowRule = { tool: 'run_command', under: 'commands', pattern: 'git status' };

  beforeEach(async () => {
    await mkdir(workspace());
    await mkdir(home());
  });

  const add = (rule: AllowRule) => new UserRules({ workspace: workspace(), home: home() }).add(rule);
  const permissions = async () => {
    const { config, problems } = await loadConfig({ workspace: workspace(), home: home() });
    assert.deepEqual(problems, []);
    return config.permissions;
  };
  /** The file after the rule, with `«folder»` in place of the folder's path. */
  async function after(before: string, rule: AllowRule): Promise<string> {
    await writeFile(file(), before.replaceAll('«folder»', JSON.stringify(workspace()).slice(1, -1)));
    await add(rule);
    return (await readFile(file(), 'utf8')).replaceAll(JSON.stringify(workspace()).slice(1, -1), '«folder»');
  }

  it('make the file, with its folder, for the owner alone', async () => {
    const far = join(folder.path, 'a/b');
    await new UserRules({ workspace: workspace(), home: far }).add(EDIT);
    const { config } = await loadConfig({ workspace: workspace(), home: far });
    assert.deepEqual(config.permissions, [
      { layer: 'folder', rules: { tools: { file_edit: { paths: { 'src/a.ts': 'allow' } } } } },
    ]);
    if (process.platform === 'win32') return;
    assert.equal((await stat(join(far, 'config.json'))).mode & 0o777, 0o600);
    assert.equal((await stat(far)).mode & 0o777, 0o700);
  });

  it('stand behind what was to be done before, or not at all', async () => {
    await writeFile(file(), '{}');
    const rules = new UserRules({ workspace: workspace(), home: home() });
    const seen: string[] = [];
    const before = async () => void seen.push(await readFile(file(), 'utf8'));
    await rules.add(EDIT, before);
    await rules.add(EDIT, before);
    assert.equal(seen[0], '{}');
    assert.equal(seen.length, 2, 'also before a rule that stands already');
    const whole = await readFile(file(), 'utf8');
    await assert.rejects(
      rules.add(STATUS, () => Promise.reject(new Error('not now'))),
      /not now/,
    );
    assert.equal(await readFile(file(), 'utf8'), whole);
    assert.deepEqual((await readdir(home())).sort(), ['.journal', 'config.json']);
    await writeFile(file(), '{');
    await assert.rejects(rules.add(STATUS, before), /Mend the file first/);
    assert.equal(seen.length, 2);
  });

  it('leave all else in the file as it is written', async () => {
    const before = `// mine
{
    /* the small one */ "model": "demo/small",
    "permissions": {
        "tools": { "file_edit": "deny" }, // never
    },
}
`;
    assert.equal(
      await after(before, STATUS),
      `// mine
{
    /* the small one */ "model": "demo/small",
    "permissions": {
        "tools": { "file_edit": "deny" }, // never
    },
    "folders": {
        "«folder»": {
            "permissions": {
                "tools": {
                    "run_command": {
                        "commands": {
                            "git status": "allow"
                        }
                    }
                }
            }
        }
    },
}
`,
    );
  });

  it('stand beside those that are there, in order', async () => {
    const before = `{ "folders": { "«folder»": { "permissions": { "tools": {
\t"run_command": {
\t\t"action": "ask", // asked
\t\t"commands": {
\t\t\t"git push *": "deny", // by hand only
\t\t},
\t},
} } } } }`;
    const text = await after(before, STATUS);
    const last = `"git push *": "deny", // by hand only`;
    assert.equal(text, before.replace(last, `${last}\n\t\t\t"git status": "allow",`));
  });

  const remarks: [before: string, about: RegExp][] = [
    ['{\n  "folders": {\n    "/x": {}, // other\n  },\n}\n', /"\/x": \{\}, \/\/ other\n {4}"«folder»"/],
    ['{\n  "folders": {\n    "/x": {} // other\n  }\n}\n', /"\/x": \{\}, \/\/ other\n {4}"«folder»"/],
    ['{ "folders": { "/x": {} /* a, b */ } }', /"\/x": \{\}, \/\* a, b \*\/\n? *"«folder»"/],
    ['{ "folders": { "/x": {} /* a */, // b\n } }', /"\/x": \{\}, \/\* a \*\/ \/\/ b\n *"«folder»"/],
    ['{\n  "mode": "plan" // mine\n}\n', /"mode": "plan", \/\/ mine\n {2}"folders"/],
    ['{\r\n  "mode": "plan", // mine\r\n}\r\n', /"mode": "plan", \/\/ mine\r\n {2}"folders"/],
    [
      '{\n  // above\n  "mode": "plan",\n  // below\n}\n',
      /\/\/ above\n {2}"mode": "plan",\n {2}"folders"[^]*\/\/ below/,
    ],
    [
      '{"folders": {"/x": {"permissions": {"tools": {"todo_write": "ask", "web_fetch": "deny"}}}, "/y": {"permissions": {}} // y\n}}',
      /"\/y": \{\s*"permissions": \{\}\s*\}, \/\/ y\n *"«folder»"/,
    ],
    ['{ "mode": "plan" }', /^\{\s*"mode": "plan",\s*"folders"/],
  ];
  for (const [before, about] of remarks)
    it(`leave a comment with what it is about: ${JSON.stringify(before)}`, async () => {
      assert.match(await after(before, EDIT), about);
      assert.equal((await permissions()).length, 1);
    });

  it('make an object of a rule that is a word, and change nothing when they are there already', async () => {
    const before = '{"folders": {"«folder»": {"permissions": {"tools": {"file_edit": "ask"}}}}}';
    const text = await after(before, EDIT);
    assert.deepEqual(await permissions(), [
      { layer: 'folder', rules: { tools: { file_edit: { action: 'ask', paths: { 'src/a.ts': 'allow' } } } } },
    ]);
    assert.equal(await after(text, EDIT), text);
  });

  it('keep line ends, tabs, and a byte order mark', async () => {
    assert.match(
      await after('\ufeff{\r\n\t"mode": "plan"\r\n}\r\n', EDIT),
      /^\ufeff\{\r\n\t"mode": "plan",\r\n\t"folders": \{\r\n\t\t"/,
    );
    assert.doesNotMatch(await readFile(file(), 'utf8'), /[^\r]\n/);
    assert.equal((await permissions()).length, 1);
  });

  for (const empty of ['', '\n', '// nothing yet\n', '/* a */ {} // b\n', '{\n}\n'])
    it(`go into ${JSON.stringify(empty)}`, async () => {
      const text = await after(empty, EDIT);
      assert.equal((await permissions()).length, 1);
      for (const comment of empty.match(/\/\/.*|\/\*.*?\*\//g) ?? []) assert.ok(text.includes(comment), text);
    });

  it('go to the folder under the path that it has there already', async () => {
    await symlink(workspace(), join(folder.path, 'link'));
    await writeFile(file(), JSON.stringify({ folders: { [join(folder.path, 'link')]: {} } }));
    await add(EDIT);
    const value = JSON.parse(await readFile(file(), 'utf8')) as { folders: object };
    assert.deepEqual(Object.keys(value.folders), [join(folder.path, 'link')]);
    assert.equal((await permissions()).length, 1);
  });

  it('never replace a rule for the same that says otherwise', async () => {
    for (const action of ['deny', 'ask']) {
      const tools = { file_edit: { paths: { 'src/a.ts': action } } };
      const text = JSON.stringify({ folders: { [workspace()]: { permissions: { tools } } } });
      await writeFile(file(), text);
      await assert.rejects(add(EDIT), new RegExp(`has the rule file_edit "src/a.ts" ${action} for this folder`));
      assert.equal(await readFile(file(), 'utf8'), text);
    }
  });

  for (const [what, broken] of [
    ['no JSON', '{"model": '],
    ['wrong', '{"modle": "a/b"}'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ] as const)
    it(`do not touch a file that is ${what}, and say so`, async () => {
      await writeFile(file(), broken);
      await assert.rejects(add(EDIT), (error: Error) => error.message.includes(file()));
      assert.deepEqual(await readFile(file()), Buffer.from(broken));
    });

  it('keep the link that the file is', async () => {
    await writeFile(join(folder.path, 'dotfile.json'), '{}');
    await symlink(join(folder.path, 'dotfile.json'), file());
    await add(EDIT);
    assert.ok((await lstat(file())).isSymbolicLink());
    assert.match(await readFile(join(folder.path, 'dotfile.json'), 'utf8'), /src\/a\.ts/);
  });

  it('are all there when many are written at the same time', async () => {
    const patterns = Array.from({ length: 12 }, (_, n) => `src/${n}.ts`);
    await Promise.all(patterns.map((pattern) => add({ ...EDIT, pattern })));
    const [folderRules] = await permissions();
    const { file_edit } = folderRules!.rules.tools as { file_edit: { paths: object } };
    assert.deepEqual(Object.keys(file_edit.paths).sort(), patterns.toSorted());
  });

  it('read back as exactly the path that they were written for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (pattern) => {
        // What is a path at all.
        fc.pre(pattern !== '__proto__' && !pattern.includes('/'));
        await writeFile(file(), '{"mode": "plan", /* c */ }');
        const rule: AllowRule = { ...EDIT, pattern: pattern.replaceAll(/[\\*?[\]{}!,.~/:]/g, '\\$&') };
        await add(rule);
        const [folderRules] = await permissions();
        assert.deepEqual(folderRules!.rules, { tools: { file_edit: { paths: { [rule.pattern]: 'allow' } } } });
      }),
      { numRuns: 60 },
    );
  });
});
