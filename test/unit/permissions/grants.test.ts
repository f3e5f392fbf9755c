import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { scopeText, SessionGrants } from '../../../src/permissions/grants.ts';
import { decide, type Call, type PermissionConfig, type Verdict } from '../../../src/permissions/policy.ts';
import { tools } from '../../../src/tools/registry.ts';

const fetch = {
  name: 'web_fetch',
  reads_only: true,
  paths: () => [],
  address: ({ url }: Record<string, unknown>) => String(url),
};

describe('grants for the session', () => {
  let workspace: string;
  before(async () => (workspace = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-grants-')))));
  after(() => rm(workspace, { recursive: true, force: true }));

  async function asked(
    name: string,
    input: Record<string, unknown>,
    permissions: PermissionConfig = [],
  ): Promise<[Call, Verdict]> {
    const { cwd = workspace, ...rest } = input as { cwd?: string };
    const call = { tool: [...tools, fetch].find((tool) => tool.name === name)!, input: rest, workspace, cwd };
    return [call, await decide(call, permissions)];
  }

  /** Whether a grant for the first call covers the second. */
  async function covers(
    granted: [string, Record<string, unknown>],
    later: [string, Record<string, unknown>],
    permissions?: PermissionConfig,
  ): Promise<boolean> {
    const grants = new SessionGrants();
    grants.add(...(await asked(...granted)));
    return grants.covers(...(await asked(...later, permissions)));
  }

  it('cover a command in exactly the same words', async () => {
    const command: [string, Record<string, unknown>] = ['run_command', { command: 'npm test' }];
    assert.ok(await covers(command, ['run_command', { command: 'npm test', timeout: 5 }]));
    for (const other of ['npm test ', 'npm test && rm -r .', 'npm', 'npm test\nrm x'])
      assert.ok(!(await covers(command, ['run_command', { command: other }])), other);
    assert.equal(scopeText(...(await asked(...command))), 'exactly this command in the workspace');
  });

  it('cover a command in the folder where it was allowed, and no other', async () => {
    const at = (cwd: string): [string, Record<string, unknown>] => ['run_command', { command: 'rm -r tmp', cwd }];
    const src = path.join(workspace, 'src');
    assert.ok(await covers(at(src), at(src)));
    assert.ok(!(await covers(at(src), at(workspace))));
    assert.equal(scopeText(...(await asked(...at(src)))), 'exactly this command in src');
  });

  it('cover an address by its host, and a private one not at all (P4)', async () => {
    const to = (url: string): [string, Record<string, unknown>] => ['web_fetch', { url }];
    assert.ok(await covers(to('https://example.com/a'), to('https://EXAMPLE.com./b?c')));
    for (const other of [
      'https://www.example.com/',
      'https://example.com.evil.test/',
      'https://example.com@evil.test/',
    ])
      assert.ok(!(await covers(to('https://example.com/a'), to(other))), other);
    assert.ok(!(await covers(to('http://localhost/'), to('http://localhost/'))));
    assert.equal(scopeText(...(await asked(...to('https://example.com/a')))), 'all fetches from example.com');
  });

  it('of one tool never cover what a rule for its path asks for', async () => {
    const edit = (given: string): [string, Record<string, unknown>] => [
      'file_edit',
      { path: given, old: 'a', new: 'b' },
    ];
    const rules = { tools: { file_edit: { paths: { 'db/**': 'ask' } } } } as const;
    assert.ok(!(await covers(edit('a.ts'), edit('db/a.ts'), [{ layer: 'user', rules }])));
    assert.ok(await covers(edit('a.ts'), edit('src/a.ts'), [{ layer: 'user', rules }]));
  });

  it('cover one tool everywhere inside the workspace', async () => {
    const edit: [string, Record<string, unknown>] = ['file_edit', { path: 'a.ts', old: 'a', new: 'b' }];
    assert.ok(await covers(edit, ['file_edit', { path: 'src/b.ts', old: 'x', new: 'y' }]));
    assert.ok(!(await covers(edit, ['file_write', { path: 'a.ts', content: '' }])));
    assert.equal(scopeText(...(await asked(...edit))), 'all edits in this folder');
  });

  it('never cover what is outside, nor what is denied', async () => {
    const write: [string, Record<string, unknown>] = ['file_write', { path: 'a.ts', content: '' }];
    const outside: [string, Record<string, unknown>] = ['file_write', { path: '/etc/x', content: '' }];
    assert.ok(!(await covers(write, outside)));
    assert.ok(!(await covers(outside, outside)));
    assert.ok(!(await covers(outside, write)));
    assert.ok(!(await covers(write, ['file_write', { path: '.polyglav/x', content: '' }])));
    assert.ok(!(await covers(write, write, [{ layer: 'user', rules: { tools: { file_write: 'deny' } } }])));
    assert.equal(scopeText(...(await asked(...outside))), undefined);
  });

  it('cover an .env file only by itself', async () => {
    const env: [string, Record<string, unknown>] = ['file_read', { path: '.env' }];
    const asking: PermissionConfig = [{ layer: 'user', rules: { tools: { file_read: 'ask' } } }];
    assert.ok(await covers(env, env));
    assert.ok(!(await covers(env, ['file_read', { path: '.env.local' }])));
    assert.ok(!(await covers(env, ['file_edit', { path: '.env', old: 'a', new: 'b' }])));
    assert.ok(!(await covers(env, ['file_read', { path: 'a.ts' }], asking)));
    assert.ok(
      !(await covers(['file_write', { path: 'a.ts', content: '' }], ['file_write', { path: '.env', content: '' }])),
    );
    assert.equal(scopeText(...(await asked(...env))), 'all reads of .env');
  });

  it('cover a tool that names no path as a whole', async () => {
    const asking: PermissionConfig = [{ layer: 'user', rules: { tools: { todo_write: 'ask' } } }];
    const [call, verdict] = await asked('todo_write', { todos: [] }, asking);
    assert.equal(scopeText(call, verdict), 'all calls of todo_write');
  });

  it('begin with nothing', async () => {
    assert.ok(!new SessionGrants().covers(...(await asked('run_command', { command: 'ls' }))));
  });
});
