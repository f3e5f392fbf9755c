/** What holds of the policy for any configuration and any call (P2, P4, P5, R15). */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';

import { TOOL_NAMES, type PermissionLayer, type ToolName } from '../../../src/config/permissionSchema.ts';
import { decide, type PermissionConfig, type Verdict } from '../../../src/permissions/policy.ts';
import { ACTIONS, type Action } from '../../../src/session/schema.ts';
import { tools } from '../../../src/tools/registry.ts';

type OfTool = { action?: Action; paths?: Record<string, Action>; commands?: Record<string, Action> };
type Rules = { default?: Action; tools?: Record<string, OfTool> };
type Layers = Partial<Record<PermissionLayer, Rules>>;
/** Where a rule is put: the default of a layer, the action of a tool, or one of its patterns. */
interface Addition {
  layer: PermissionLayer;
  tool: ToolName | undefined;
  under?: 'paths' | 'commands';
  pattern: string | undefined;
}

describe('the laws of the permission policy', () => {
  let base: string;
  let workspace: string;
  before(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-laws-')));
    workspace = path.join(base, 'workspace');
    await mkdir(path.join(workspace, '.git'), { recursive: true });
    await mkdir(path.join(base, 'outside'));
    await symlink(path.join(base, 'outside'), path.join(workspace, 'out'));
    await symlink('.polyglav', path.join(workspace, 'record'));
  });
  after(() => rm(base, { recursive: true, force: true }));

  const LAYERS = ['project', 'user', 'folder'] as const;
  const PATTERNS = ['**', '*', 'src/**', 'a.ts', '*.ts', 'src/a.ts', '.env', '.git/**', '/etc/**', '../**', '**/x'];
  const PATHS = [
    '.',
    'a.ts',
    'src/a.ts',
    'src',
    '.env',
    '.git/x',
    'out/x',
    '/etc/hosts',
    '.polyglav/x',
    'record/x',
    'x',
  ];
  const WITH_PATHS = TOOL_NAMES.filter((name) => name !== 'todo_write');

  const action = fc.constantFrom(...ACTIONS);
  const layer = fc.constantFrom(...LAYERS);
  const pattern = fc.constantFrom(...PATTERNS);
  const COMMANDS = ['git status', 'git *', 'rm *', 'cat *', 'echo *', '*', 'rm x'];
  const LINES = [
    'git status',
    'git log',
    'git status && rm x',
    'rm x',
    'cat .env',
    'cat src/a.ts',
    'echo a > src/a.ts',
  ].concat(['cat out/x', '$X y', 'git $X', 'echo "a', '', 'echo > .git/x', 'echo > record/x', 'cat .git/x']);
  const command = fc.constantFrom(...COMMANDS);
  const paths = fc.dictionary(pattern, action, { maxKeys: 4 });
  const toolRules = fc.record({ action, paths }, { requiredKeys: [] });
  const commandRules = fc.record(
    { action, paths, commands: fc.dictionary(command, action, { maxKeys: 4 }) },
    { requiredKeys: [] },
  );
  const rules: fc.Arbitrary<Rules> = fc.record(
    {
      default: action,
      tools: fc
        .tuple(
          fc.dictionary(fc.constantFrom(...WITH_PATHS), toolRules, { maxKeys: 4 }),
          fc.option(commandRules, { nil: undefined }),
        )
        .map(([tools, run_command]) => (run_command === undefined ? tools : { ...tools, run_command })),
    },
    { requiredKeys: [] },
  );
  const layers: fc.Arbitrary<Layers> = fc.record({ project: rules, user: rules, folder: rules }, { requiredKeys: [] });
  const call = fc.record({
    name: fc.oneof(fc.constantFrom(...TOOL_NAMES), fc.constant('run_command' as const)),
    path: fc.constantFrom(...PATHS),
    command: fc.constantFrom(...LINES),
  });
  const addition: fc.Arbitrary<Addition> = fc.oneof(
    fc.record({ layer, tool: fc.constant(undefined), pattern: fc.constant(undefined) }),
    fc.record({ layer, tool: fc.constantFrom(...WITH_PATHS), pattern: fc.option(pattern, { nil: undefined }) }),
    fc.record({
      layer,
      tool: fc.constant('run_command' as const),
      under: fc.constant('commands' as const),
      pattern: command,
    }),
  );

  const configOf = (all: Layers): PermissionConfig =>
    LAYERS.flatMap((name) => {
      const one = all[name];
      return one === undefined ? [] : [{ layer: name, rules: one }];
    });
  interface One {
    name: string;
    path: string;
    command?: string;
  }
  const callOf = ({ name, path: given, command: line = 'ls' }: One) => ({
    tool: tools.find((tool) => tool.name === name)!,
    input: { path: given, pattern: 'x', command: line, todos: [], url: 'http://localhost' },
    workspace,
  });
  const judge = (one: One, all: Layers): Promise<Verdict> => decide(callOf(one), configOf(all));
  const strictness = (verdict: Verdict) => ACTIONS.indexOf(verdict.action);
  const isThere = (all: Layers, at: Addition) => valueAt(all, at) !== undefined;

  function valueAt(all: Layers, { layer: name, tool, under = 'paths', pattern: key }: Addition): Action | undefined {
    if (tool === undefined) return all[name]?.default;
    const own = all[name]?.tools?.[tool];
    return key === undefined ? own?.action : own?.[under]?.[key];
  }

  function added(all: Layers, { layer: name, tool, under = 'paths', pattern: key }: Addition, value: Action): Layers {
    const copy = structuredClone(all);
    const into = (copy[name] ??= {});
    if (tool === undefined) into.default = value;
    else {
      const own = ((into.tools ??= {})[tool] ??= {});
      if (key === undefined) own.action = value;
      else (own[under] ??= {})[key] = value;
    }
    return copy;
  }

  it('a deny more, wherever it stands, never allows more', async () => {
    await fc.assert(
      fc.asyncProperty(call, layers, addition, async (one, all, at) => {
        const before = strictness(await judge(one, all));
        assert.ok(strictness(await judge(one, added(all, at, 'deny'))) >= before);
      }),
      { numRuns: 400 },
    );
  });

  it('an allow more, wherever it stands, never beats a rule for a path or command that denies or asks', async () => {
    await fc.assert(
      fc.asyncProperty(
        call,
        layers,
        addition,
        fc.constantFrom('ask' as const, 'deny' as const),
        layer,
        pattern,
        command,
        async (one, all, at, strict, name, glob, words) => {
          const isCommand = one.name === 'run_command';
          const key = isCommand ? words : glob;
          const place: Addition = {
            layer: name,
            tool: one.name,
            under: isCommand ? 'commands' : 'paths',
            pattern: key,
          };
          fc.pre(one.name !== 'todo_write');
          // That it matches is seen by what it does alone.
          const alone = await judge(one, added({}, place, 'deny'));
          fc.pre(alone.by.includes(JSON.stringify(key)));
          const holding = added(all, place, strict);
          fc.pre(!isThere(holding, at));
          const verdict = await judge(one, added(holding, at, 'allow'));
          assert.ok(strictness(verdict) >= ACTIONS.indexOf(strict));
        },
      ),
      { numRuns: 250 },
    );
  });

  it('an allow more in one layer never beats a deny of another', async () => {
    await fc.assert(
      fc.asyncProperty(call, layers, addition, async (one, all, at) => {
        fc.pre(!isThere(all, at));
        const { [at.layer]: _, ...others } = all;
        const byOthers = await judge(one, others);
        fc.pre(byOthers.action === 'deny' && !byOthers.by.startsWith('shipped'));
        assert.equal((await judge(one, added(all, at, 'allow'))).action, 'deny');
      }),
      { numRuns: 250 },
    );
  });

  it('no rule at all lets a call out of the workspace, a writing one into the record, or lifts what it does not name', async () => {
    await fc.assert(
      fc.asyncProperty(call, layers, async (one, all) => {
        const { action: decided, only_once } = await judge(one, all);
        const writes = /^file_(write|edit)$/.test(one.name);
        if (only_once) assert.notEqual(decided, 'allow');
        if (writes && /polyglav|record/.test(one.path)) assert.equal(decided, 'deny');
        const names = (key: string) =>
          [all.user, all.folder].some((each) => each?.tools?.[one.name]?.paths?.[key] !== undefined);
        if (writes && one.path === '.git/x' && !names('.git/**')) assert.equal(decided, 'deny');
        const isSecret = one.name === 'run_command' ? one.command === 'cat .env' : one.path === '.env';
        if (/^file_|^run_/.test(one.name) && isSecret && !names('.env')) assert.notEqual(decided, 'allow');
        if (one.name !== 'run_command') return;
        if (/[>$"]|out/.test(one.command)) assert.notEqual(decided, 'allow');
        if (one.command === 'echo > record/x') assert.equal(decided, 'deny');
        if (one.command === 'echo > .git/x' && !names('.git/**')) assert.equal(decided, 'deny');
      }),
      { numRuns: 400 },
    );
  });

  it('what a project says without an allow makes nothing looser', async () => {
    const strictOnly = (all: Layers): Layers =>
      JSON.parse(JSON.stringify(all), (_, value: unknown) => (value === 'allow' ? undefined : value)) as Layers;
    await fc.assert(
      fc.asyncProperty(call, layers, rules, async (one, { project: _, ...all }, project) => {
        const before = strictness(await judge(one, all));
        assert.ok(strictness(await judge(one, { ...all, ...strictOnly({ project }) })) >= before);
      }),
      { numRuns: 400 },
    );
  });

  it('the order of layers and keys does not matter', async () => {
    const reversed = (value: unknown): unknown =>
      typeof value !== 'object' || value === null
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, inner]) => [key, reversed(inner)]),
          );
    await fc.assert(
      fc.asyncProperty(call, layers, async (one, all) => {
        const turned = configOf(reversed(all) as Layers).toReversed();
        assert.equal((await decide(callOf(one), turned)).action, (await judge(one, all)).action);
      }),
      { numRuns: 300 },
    );
  });

  it('any pattern at all is decided about, in bounded time', async () => {
    const anyRules = fc.dictionary(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('{a,*}'.repeat(9))), action);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), anyRules, async (given, some) => {
        const all = { user: { tools: { file_edit: { paths: some } } } };
        assert.ok(ACTIONS.includes((await judge({ name: 'file_edit', path: given }, all)).action));
      }),
      { numRuns: 300 },
    );
  });
});
