import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { configHints } from '../../../src/agent/configHints.ts';
import { describeProblem, loadConfig } from '../../../src/config/load.ts';
import type { PermissionLayer, PermissionRules } from '../../../src/config/permissionSchema.ts';
import { ruleHints } from '../../../src/permissions/hints.ts';
import { decide } from '../../../src/permissions/policy.ts';
import { tools } from '../../../src/tools/registry.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('hints about rules that do less than they seem to', () => {
  const folder = useTempFolder();
  let workspace: string;
  beforeEach(async () => {
    workspace = join(folder.path, 'shop');
    await mkdir(join(workspace, 'src'), { recursive: true });
    await mkdir(join(workspace, '.polyglav'));
    await writeFile(join(workspace, 'notes.md'), '');
  });

  const hints = async (rules: PermissionRules, layer: PermissionLayer = 'user') =>
    (await ruleHints(layer, rules, workspace)).map(({ place, message }) => `${place.slice(1).join(' ')} ${message}`);
  const command = (commands: Record<string, 'allow' | 'ask' | 'deny'>, action?: 'allow' | 'ask' | 'deny') => ({
    tools: { run_command: { commands, ...(action === undefined ? {} : { action }) } },
  });

  const FOLDER = 'matches the folder alone and nothing in it. Write "src/**" for all of it.';
  const OUTSIDE = 'has no effect here: what is outside the workspace is asked each time, whatever a rule allows.';
  const RECORD = 'has no effect: nothing may be written in .polyglav/, which holds the record.';
  const NO_COMMAND = 'has no effect: a rule for paths allows no command. Commands are allowed under "commands".';
  const PROJECT = "has no effect in a project's file: only a rule in your own file lifts what holds for this path.";
  const alone = (pattern: string) =>
    `matches the command without further words only. Write "${pattern} *" for it with or without them.`;

  const worth: [rules: PermissionRules, hints: string[], layer?: PermissionLayer][] = [
    [command({ rm: 'deny' }), [`run_command commands rm ${alone('rm')}`]],
    [command({ 'git push': 'deny' }), [`run_command commands git push ${alone('git push')}`]],
    [command({ 'npm publish': 'ask' }, 'allow'), [`run_command commands npm publish ${alone('npm publish')}`]],
    [command({ 'git *': 'allow', 'git push': 'ask' }), [`run_command commands git push ${alone('git push')}`]],
    [
      command({ '*': 'ask', 'git status': 'allow' }),
      [
        'run_command commands git status has no effect: "*" beside it matches the same, and ask goes before allow. ' +
          'Write "action": "ask" in place of that.',
      ],
    ],
    [
      command({ 'git *': 'deny', 'git log *': 'allow' }),
      ['run_command commands git log * has no effect: "git *" beside it matches the same, and deny goes before allow.'],
    ],
    [{ tools: { file_edit: { paths: { src: 'deny' } } } }, [`file_edit paths src ${FOLDER}`]],
    [{ tools: { file_read: { paths: { src: 'ask' } } } }, [`file_read paths src ${FOLDER}`]],
    [{ tools: { file_write: { paths: { src: 'allow' } } } }, [`file_write paths src ${FOLDER}`]],
    [{ tools: { run_command: { paths: { src: 'deny' } } } }, [`run_command paths src ${FOLDER}`]],
    [{ tools: { file_edit: { paths: { '.': 'deny' } } } }, [`file_edit paths . ${FOLDER.replace('src/**', '**')}`]],
    [
      { tools: { file_edit: { paths: { '**': 'deny', 'src/**': 'allow' } } } },
      [
        'file_edit paths src/** has no effect: "**" beside it matches the same, and deny goes before allow. ' +
          'Write "action": "deny" in place of that.',
      ],
    ],
    [{ tools: { file_read: { paths: { '../other/**': 'allow' } } } }, [`file_read paths ../other/** ${OUTSIDE}`]],
    [{ tools: { file_read: { paths: { '/etc/hosts': 'allow' } } } }, [`file_read paths /etc/hosts ${OUTSIDE}`]],
    [{ tools: { file_edit: { paths: { '.polyglav/**': 'allow' } } } }, [`file_edit paths .polyglav/** ${RECORD}`]],
    [{ tools: { run_command: { paths: { 'src/**': 'allow' } } } }, [`run_command paths src/** ${NO_COMMAND}`]],
    [{ tools: { file_read: { paths: { '.env': 'allow' } } } }, [`file_read paths .env ${PROJECT}`], 'project'],
    [{ tools: { file_write: { paths: { '.git/*': 'allow' } } } }, [`file_write paths .git/* ${PROJECT}`], 'project'],
  ];
  for (const [rules, expected, layer] of worth)
    it(`gives one for ${JSON.stringify(rules)}`, async () => assert.deepEqual(await hints(rules, layer), expected));

  const fine: [rules: PermissionRules, layer?: PermissionLayer][] = [
    [{ default: 'ask', tools: { file_edit: 'allow', web_fetch: 'deny' } }],
    // That of docs/permissions.md.
    [
      {
        default: 'ask',
        tools: {
          file_edit: { action: 'ask', paths: { 'src/**': 'allow', 'src/secret/**': 'deny' } },
          run_command: { commands: { 'git status': 'allow', 'npm run *': 'allow', 'git push *': 'deny' } },
          web_fetch: 'deny',
        },
      },
    ],
    [command({ 'git status': 'allow', 'rm *': 'deny' })],
    // What is said of the other words shows that it is meant.
    [command({ 'git stash': 'ask', 'git stash *': 'deny' })],
    [command({ 'git push': 'deny', 'git push *': 'allow' })],
    // Nothing weaker holds with more words.
    [command({ 'npm test': 'ask' })],
    [command({ rm: 'deny', '*': 'deny' })],
    [command({ rm: 'ask' }, 'deny')],
    [{ tools: { file_edit: { paths: { 'notes.md': 'deny', 'not-there': 'deny', 'src/a.ts': 'allow' } } } }],
    [{ tools: { file_edit: { paths: { src: 'deny', 'src/**': 'ask' } } } }],
    [{ tools: { file_edit: { action: 'deny', paths: { src: 'ask' } } } }],
    // As "always" writes it.
    [{ tools: { file_list: { paths: { src: 'allow' } }, file_edit: { paths: { '.env': 'allow' } } } }, 'folder'],
    [{ tools: { file_read: { paths: { '/etc/**': 'deny', '../other/**': 'deny' } } } }],
    [{ tools: { file_edit: { paths: { '/**': 'allow', '**': 'allow' } } } }],
    [{ tools: { file_read: { paths: { '.polyglav/**': 'allow', '.git/config': 'allow' } } } }, 'project'],
    [{ tools: { run_command: { paths: { '.git/**': 'allow', '.env': 'allow', 'src/**': 'ask' } } } }],
  ];
  for (const [rules, layer] of fine)
    it(`gives none for ${JSON.stringify(rules)}`, async () => assert.deepEqual(await hints(rules, layer), []));

  it('gives none for a place in the workspace by its absolute path', async () => {
    const paths = { [`${workspace}/src/**`]: 'allow', [`${folder.path}/*/notes.md`]: 'allow' } as const;
    assert.deepEqual(await hints({ tools: { file_edit: { paths } } }), []);
  });

  it('says of no rule that it has no effect which the policy goes by', async () => {
    const written = [
      ...['src/**', '.env', '.polyglav/**', '../**'].map((path) => ['file_edit', 'paths', path, 'allow'] as const),
      ...['.env', '**'].map((path) => ['run_command', 'paths', path, 'allow'] as const),
      ['run_command', 'commands', 'ls', 'allow'] as const,
      ['run_command', 'commands', '*', 'ask'] as const,
    ];
    const section = (rules: typeof written): PermissionRules => {
      const under = (tool: string, key: string) =>
        Object.fromEntries(
          rules.flatMap(([a, b, pattern, action]) => (a === tool && b === key ? [[pattern, action]] : [])),
        );
      return {
        tools: {
          file_edit: { paths: under('file_edit', 'paths') },
          run_command: { paths: under('run_command', 'paths'), commands: under('run_command', 'commands') },
        },
      };
    };
    const useless = (await ruleHints('user', section(written), workspace)).map(({ place }) => place.slice(1).join(' '));
    const calls = [
      ...['src/a', '.env', '.polyglav/x', '../x', 'notes.md'].map((path) => ['file_edit', { path }] as const),
      ...['ls', 'cat .env', 'cat notes.md'].map((line) => ['run_command', { command: line }] as const),
    ];
    for (const rule of written.filter(([, , , action]) => action === 'allow'))
      for (const [name, input] of calls) {
        const call = { tool: tools.find((tool) => tool.name === name)!, input, workspace };
        const said = async (rules: typeof written) =>
          (await decide(call, [{ layer: 'user', rules: section(rules) }])).action;
        const matters = (await said(written)) !== (await said(written.filter((other) => other !== rule)));
        assert.ok(!matters || !useless.includes(rule.slice(0, 3).join(' ')), rule.join(' '));
      }
    assert.deepEqual(useless, [
      'file_edit paths .polyglav/**',
      'file_edit paths ../**',
      'run_command paths **',
      'run_command commands ls',
    ]);
  });

  it('names file, line, column and key, and makes no problem of it', async () => {
    const home = join(folder.path, 'home');
    await mkdir(home);
    const own = `{
  "permissions": { "tools": { "run_command": { "commands": { "git push": "deny" } } } },
  "folders": { ${JSON.stringify(workspace)}: { "permissions": { "tools": { "file_edit": { "paths": { "src": "deny" } } } } } }
}`;
    const project = '{ "permissions": { "tools": { "file_edit": { "paths": { "../x": "allow" } } } } }';
    await writeFile(join(home, 'config.json'), own);
    await writeFile(join(workspace, '.polyglav/config.json'), project);
    const loaded = await loadConfig({ workspace, home });
    assert.deepEqual(loaded.problems, []);
    const place = (text: string, key: string) => {
      const before = text.slice(0, text.indexOf(key)).split('\n');
      return `${before.length}:${before.at(-1)!.length + 1}`;
    };
    const paths = 'permissions.tools.file_edit.paths';
    assert.deepEqual((await configHints(loaded, workspace)).map(describeProblem), [
      `${join(workspace, '.polyglav/config.json')}:${place(project, '"../x"')}: ${paths}."../x" ${OUTSIDE}`,
      `${join(home, 'config.json')}:${place(own, '"src"')}: folders.${JSON.stringify(workspace)}.${paths}.src ${FOLDER}`,
      `${join(home, 'config.json')}:${place(own, '"git push"')}: permissions.tools.run_command.commands."git push" ${alone('git push')}`,
    ]);
  });
});
