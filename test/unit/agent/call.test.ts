import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

import { loadConfig } from '../../../src/config/load.ts';
import type { AllowRule } from '../../../src/config/rules.ts';
import type { AskAnswer } from '../../../src/permissions/ask.ts';
import type { PermissionEntry } from '../../../src/session/schema.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { tools } from '../../../src/tools/registry.ts';
import { Bench, callsOf, gate, noAnswer, tool, turn, until } from '../../support/engine.ts';

describe('agent/call', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  const write = (path = 'a.txt') => ({ call: 'file_write', arguments: { path } });
  const decisions = (entries: readonly PermissionEntry[]) =>
    entries.map(({ action, decision, by }) => [action, decision, by]);

  it('has all calls of the round, and the decision on this one, on the disk before it runs (R6)', async () => {
    const seen: unknown[] = [];
    bench.tools = [
      tool('file_write', async ({ path }) => {
        const { turns, permissions } = await bench.onDisk(run);
        seen.push([
          path,
          turns[0]!.parts.filter(({ type }) => type === 'tool').length,
          permissions.map(({ part, decision }) => [part, decision]),
        ]);
        return 'written';
      }),
    ];
    bench.provider.answer([write('a.txt'), write('b.txt')], ['ok']);
    const run = await bench.create();
    await turn(run);
    assert.deepEqual(seen, [
      ['a.txt', 2, [[2, 'granted']]],
      [
        'b.txt',
        2,
        [
          [2, 'granted'],
          [3, 'granted'],
        ],
      ],
    ]);
  });

  it('has the result of a call on the disk before the next one runs, and before the next request', async () => {
    const outputs: unknown[] = [];
    const look = async () => outputs.push(callsOf(await bench.onDisk(run)).map(({ output }) => output));
    bench.tools = [tool('file_read', async () => `${await look()}`)];
    bench.provider.answer([{ call: 'file_read' }, { call: 'file_read' }], [look, 'ok']);
    const run = await bench.create();
    await turn(run);
    assert.deepEqual(outputs, [
      [undefined, undefined],
      ['1', undefined],
      ['1', '2'],
    ]);
  });

  describe('that is asked for', () => {
    const answers: [answer: AskAnswer, decision: string, by: string, output: RegExp][] = [
      [{ answer: 'once' }, 'granted', 'once', /^written$/],
      [{ answer: 'session' }, 'granted', 'session', /^written$/],
      [{ answer: 'yes_flag' }, 'granted', '--yes', /^written$/],
      [{ answer: 'refused' }, 'declined', 'refused', /declined/],
      [{ answer: 'refused', note: 'Use b.txt.' }, 'declined', 'refused', /declined.* said: "Use b\.txt\." Go by that/],
      [{ answer: 'refused', note: `1\n2${'😀'.repeat(3000)}` }, 'declined', 'refused', /said: "1 2(😀){1996}…"/u],
      [{ answer: 'dismissed' }, 'declined', 'dismissed', /declined/],
      [{ answer: 'no_terminal' }, 'declined', 'no terminal', /nobody can be asked/],
    ];
    for (const [answer, decision, by, output] of answers)
      it(`is ${decision} by ${JSON.stringify(answer)}, and that is recorded (R13)`, async () => {
        bench.person.answers.push(answer);
        bench.provider.answer([write()], ['ok']);
        const run = await bench.create();
        assert.equal(await turn(run), 'ok');
        const session = await bench.onDisk(run);
        const { timestamp, ...entry } = session.permissions[0]!;
        assert.deepEqual(entry, {
          tool: 'file_write',
          action: 'ask',
          decision,
          path: join(bench.folder, 'a.txt'),
          turn: 1,
          part: 2,
          by,
        });
        assert.match(timestamp, /^2026-08-17T12:00:0/);
        const [call] = callsOf(session);
        assert.match(call!.output!, output);
        assert.equal(call!.is_error, decision !== 'granted');
        assert.deepEqual(faultsOf(session), []);
      });

    it('names to the person the session, the tool, the path and what would change', async () => {
      const change = { path: join(bench.folder, 'a.txt'), before: null, after: 'new' };
      bench.tools = [tool('file_write', () => 'written', { preview: () => Promise.resolve(change) })];
      bench.provider.answer([write()], ['ok']);
      const run = await bench.create();
      await turn(run);
      const { id, scope: _, ...ask } = bench.person.asks[0]!;
      assert.ok(id.length > 0);
      assert.deepEqual(ask, {
        session: run.name,
        tool: 'file_write',
        title: 'file_write a.txt',
        only_once: false,
        no_rule: 'there is no place to keep a rule',
        path: change.path,
        change,
      });
    });

    for (const [what, before, name, input, why] of [
      [
        'edited',
        'one two\n',
        'file_edit',
        { old: 'one', new: 'eins' },
        /a\.txt was changed while the person was asked.*Read the file again/,
      ],
      ['replaced', 'one\n', 'file_write', { content: 'two\n' }, /a\.txt has changed since/],
      ['made', undefined, 'file_write', { content: 'two\n' }, /a\.txt exists already/],
      ['left as it is', 'two\n', 'file_write', { content: 'two\n' }, /a\.txt has changed since/],
    ] as const)
      it(`changes what the person saw or nothing: a file to be ${what} that changes meanwhile is left alone (P3)`, async () => {
        const file = join(bench.folder, 'a.txt');
        if (before !== undefined) await writeFile(file, before);
        bench.tools = tools;
        bench.person.answers.push(async () => {
          await writeFile(file, 'one other\n');
          return { answer: 'once' };
        });
        const read = { call: 'file_read', arguments: { path: 'a.txt' } };
        bench.provider.answer([read], [{ call: name, arguments: { path: 'a.txt', ...input } }], ['ok']);
        const run = await bench.create();
        await turn(run);
        assert.equal(await readFile(file, 'utf8'), 'one other\n');
        const call = callsOf(run.session).at(-1);
        assert.equal(call!.is_error, true);
        assert.match(call!.output!, why);
        assert.equal(run.session.permissions.at(-1)?.decision, 'granted');
      });

    for (const [what, begin, meanwhile, input] of [
      [
        'whose text appears',
        (file: string) => writeFile(file, 'A=1\n'),
        (file: string) => writeFile(file, 'A=1\nB=2\n'),
        { call: 'file_edit', arguments: { path: '.env', old: 'B=2', new: 'B=3' } },
      ],
      [
        'that was not there',
        () => Promise.resolve(),
        (file: string) => writeFile(file, 'B=2\n'),
        { call: 'file_edit', arguments: { path: '.env', old: 'B=2', new: 'B=3' } },
      ],
      [
        'that stands in the way and goes',
        (file: string) => writeFile(file, 'A=1\n'),
        (file: string) => rm(file),
        { call: 'file_write', arguments: { path: '.env', content: 'B=3\n' } },
      ],
      [
        'in the place of a folder',
        (file: string) => mkdir(file),
        (file: string) => rm(file, { recursive: true }),
        { call: 'file_write', arguments: { path: '.env', content: 'B=3\n' } },
      ],
    ] as const)
      it(`makes no change that could not be shown, of a file ${what} while the person is asked (P3)`, async () => {
        const file = join(bench.folder, '.env');
        await begin(file);
        bench.tools = tools;
        const look = () => readFile(file, 'utf8').catch(() => null);
        let there: string | null | undefined;
        bench.person.answers.push(async () => {
          await meanwhile(file);
          there = await look();
          return { answer: 'once' };
        });
        bench.provider.answer([input], ['ok']);
        const run = await bench.create();
        await turn(run);
        assert.equal(bench.person.asks[0]!.change, undefined);
        assert.deepEqual(await look(), there);
        const [call] = callsOf(run.session);
        assert.equal(call!.is_error, true);
        assert.match(call!.output!, /changed while the person was asked.*nothing was written|failed/);
      });

    it('makes no change of a file that could not be looked at for a diff (P3)', async () => {
      const file = join(bench.folder, '.env');
      bench.tools = [
        tool('file_write', async (_, { files }) => String(await files.write(file, Buffer.from('new'), null)), {
          preview: () => Promise.reject(new Error('.env leads elsewhere now.')),
        }),
      ];
      bench.provider.answer([write('.env')], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.match(callsOf(run.session)[0]!.output!, /they have not seen this change, and nothing was written/);
      await assert.rejects(readFile(file), { code: 'ENOENT' });
    });

    it('is asked one after the other, each under an id of its own', async () => {
      let open = 0;
      bench.person.answers.push(
        ...Array.from({ length: 3 }, () => async (): Promise<AskAnswer> => {
          assert.equal(++open, 1);
          await new Promise((resolve) => setTimeout(resolve, 5));
          open--;
          return { answer: 'once' };
        }),
      );
      bench.provider.answer([write('a'), write('b'), write('c')], ['ok']);
      await turn(await bench.create());
      assert.equal(new Set(bench.person.asks.map(({ id }) => id)).size, 3);
    });

    it('is not asked for when it would fail anyway, where the model may read', async () => {
      bench.tools = [
        tool('file_write', () => 'written', { preview: () => Promise.reject(new Error('a.txt is a folder.')) }),
      ];
      bench.provider.answer([write()], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(bench.person.asks, []);
      assert.match(callsOf(run.session)[0]!.output!, /a\.txt is a folder/);
    });

    it('is asked for all the same, without a diff, where the error would tell what the model may not read (P2, P4)', async () => {
      bench.tools = [
        tool('file_write', () => 'written', { preview: () => Promise.reject(new Error('The file says: hunter2.')) }),
      ];
      const paths = ['../elsewhere.txt', '.env.local'];
      bench.person.answers.push({ answer: 'refused' }, { answer: 'once' });
      bench.provider.answer(paths.map(write), ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(
        bench.person.asks.map((ask) => ask.change),
        [undefined, undefined],
      );
      assert.deepEqual(
        decisions(run.session.permissions).map(([, decision]) => decision),
        ['declined', 'granted'],
      );
      assert.doesNotMatch(JSON.stringify(callsOf(run.session)), /hunter2/);
    });

    it('is withdrawn by Stop: declined, recorded, and not run even if a yes comes late (T7)', async () => {
      let ran = false;
      bench.tools = [tool('file_write', () => `${(ran = true)}`)];
      const late = gate();
      bench.person.answers.push(async (ask, signal) => {
        await noAnswer(ask, signal);
        late.open();
        return { answer: 'once' };
      });
      bench.provider.answer([write(), write('b.txt')], ['The edited one.']);
      const run = await bench.create();
      const { done } = await run.submit('Go.');
      await until(() => run.state === 'asking');
      assert.deepEqual(
        run.asks.map(({ title }) => title),
        ['file_write a.txt'],
      );
      await run.stop();
      await late.opened;
      assert.equal(await done, 'cancelled');
      assert.deepEqual(run.asks, []);
      const session = await bench.onDisk(run);
      assert.deepEqual(decisions(session.permissions), [['ask', 'declined', 'withdrawn']]);
      assert.ok(callsOf(session).every(({ is_error }) => is_error));
      assert.equal(ran, false);
      // The person edits the prompt and sends it: it arrives once, and nothing hangs.
      assert.equal(await turn(run, 'Go, but other.'), 'ok');
      assert.equal(bench.provider.requests.length, 2);
    });

    it('does not run when Stop comes while the yes is being written down', async () => {
      let ran = false;
      bench.tools = [tool('file_write', () => `${(ran = true)}`)];
      bench.provider.answer([write()]);
      const run = await bench.create();
      let stopped: Promise<void> | undefined;
      run.subscribe((event) => {
        if (event.type === 'log' && event.event.type === 'permission') stopped = run.stop();
      });
      assert.equal(await turn(run), 'cancelled');
      await stopped;
      assert.equal(ran, false);
      assert.match(callsOf(await bench.onDisk(run))[0]!.output!, /[Nn]ot run/);
    });
  });

  describe('with a grant for the session', () => {
    beforeEach(() => bench.person.answers.push({ answer: 'session' }, { answer: 'refused' }));

    it('is not asked for again in this run, and recorded as allowed', async () => {
      bench.provider.answer([write('a'), write('b')], ['ok'], [write('c')], ['ok']);
      const run = await bench.create();
      await turn(run);
      await turn(run);
      assert.equal(bench.person.asks.length, 1);
      assert.deepEqual(decisions((await bench.onDisk(run)).permissions), [
        ['ask', 'granted', 'session'],
        ['allow', 'granted', 'session'],
        ['allow', 'granted', 'session'],
      ]);
    });

    it('is asked for in another run, and after a restart: a log grants nothing (R15)', async () => {
      bench.provider.answer([write()], ['ok'], [write()], ['ok'], [write()], ['ok']);
      const first = await bench.create();
      await turn(first);
      await turn(await bench.create());
      assert.equal(bench.person.asks.length, 2);
      await bench.engine.close();
      bench.restart();
      await turn(await bench.open(first.name));
      assert.equal(bench.person.asks.length, 3);
    });

    it('is asked for outside the workspace every time (P4)', async () => {
      const outside = join(dirname(bench.folder), 'elsewhere.txt');
      bench.person.answers.push({ answer: 'once' });
      bench.provider.answer([write(outside), write(outside), write('a')], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(
        bench.person.asks.map((ask) => ask.only_once),
        [true, true, false],
      );
      // Neither "for the session" nor --yes is an answer to that.
      assert.deepEqual(
        decisions(run.session.permissions).map(([, decision]) => decision),
        ['declined', 'declined', 'granted'],
      );
      assert.match(bench.person.asks[0]!.reason!, /outside/);
    });
  });

  describe('with "always"', () => {
    const rules: AllowRule[] = [];
    beforeEach(() => {
      rules.length = 0;
      bench.person.answers.push({ answer: 'always' });
    });
    const keep = async (rule: AllowRule, before: () => Promise<void>) => {
      await before();
      rules.push(rule);
    };

    it('has its rule written before it runs, as narrow as the call, and the answer recorded (P3)', async () => {
      bench.tools = [tool('file_write', () => `ran with ${rules.length} rule`)];
      bench.restart({ rules: { add: keep } });
      bench.provider.answer([write('src/[a].txt')], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(rules, [{ tool: 'file_write', under: 'paths', pattern: 'src/\\[a\\].txt' }]);
      assert.equal(bench.person.asks[0]!.rule, 'file_write "src/\\\\[a\\\\].txt" allow');
      assert.deepEqual(decisions((await bench.onDisk(run)).permissions), [['ask', 'granted', 'always']]);
      assert.equal(callsOf(run.session)[0]!.output, 'ran with 1 rule');
    });

    it('is allowed this once when the rule cannot be written, and the person is told why', async () => {
      bench.restart({ rules: { add: () => Promise.reject(new Error('The disk is full')) } });
      bench.provider.answer([write()], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(decisions(run.session.permissions), [['ask', 'granted', 'once']]);
      assert.equal(callsOf(run.session)[0]!.output, 'written');
      const problems = bench.events.flatMap((event) => (event.type === 'problem' ? [event.message] : []));
      assert.deepEqual(problems, [
        'The rule file_write "a.txt" allow could not be written, so this call alone was allowed. The disk is full.',
      ]);
    });

    it('is no answer outside the workspace, and offers no rule there (P4)', async () => {
      bench.restart({ rules: { add: keep } });
      bench.provider.answer([write('../elsewhere.txt')], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.equal(bench.person.asks[0]!.rule, undefined);
      assert.deepEqual(decisions(run.session.permissions), [['ask', 'declined', 'always']]);
      assert.deepEqual(rules, []);
    });

    it('writes no key into a rule (R15)', async () => {
      bench.env = { MOCK_KEY: 'sk-test-0123456789abcdef' };
      bench.config = { ...bench.config, key_envs: ['MOCK_KEY'] };
      bench.restart({ rules: { add: keep } });
      bench.provider.answer([write('sk-test-0123456789abcdef.txt')], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.equal(bench.person.asks[0]!.rule, undefined);
      assert.deepEqual(decisions(run.session.permissions), [['ask', 'granted', 'once']]);
      assert.deepEqual(rules, []);
    });
  });

  it('takes no --yes for a call outside the workspace (P4)', async () => {
    bench.person.answers.push({ answer: 'yes_flag' });
    bench.provider.answer([write('../elsewhere.txt')], ['ok']);
    const run = await bench.create();
    await turn(run);
    assert.deepEqual(decisions(run.session.permissions), [['ask', 'declined', '--yes']]);
  });

  describe('that the rules decide', () => {
    it('runs, or not, without a question, and the rule is recorded', async () => {
      bench.config = {
        ...bench.config,
        permissions: [{ layer: 'user', rules: { tools: { file_write: 'allow', run_command: 'deny' } } }],
      };
      bench.provider.answer([write(), { call: 'run_command' }, { call: 'file_read' }], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(bench.person.asks, []);
      const session = await bench.onDisk(run);
      assert.deepEqual(decisions(session.permissions), [
        ['allow', 'granted', 'user: file_write allow'],
        ['deny', 'denied', 'user: run_command deny'],
        ['allow', 'granted', 'default'],
      ]);
      assert.match(callsOf(session)[1]!.output!, /[Dd]enied.*run_command/);
      assert.deepEqual(faultsOf(session), []);
    });

    it('never writes into the record, whatever is allowed (R15)', async () => {
      bench.config = { ...bench.config, permissions: [{ layer: 'user', rules: { default: 'allow' } }] };
      bench.provider.answer(
        [write('.polyglav/sessions/x.json'), write(`${bench.folder}/.polyglav/config.json`)],
        ['ok'],
      );
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(
        run.session.permissions.map(({ decision }) => decision),
        ['denied', 'denied'],
      );
    });
  });

  describe('while the rules change', () => {
    const rules = (action: 'allow' | 'deny'): typeof bench.config => ({
      ...bench.config,
      permissions: [{ layer: 'user', rules: { tools: { file_write: action } } }],
    });

    it('is decided by those of its moment', async () => {
      bench.config = rules('allow');
      bench.tools = [tool('file_write', () => ((bench.config = rules('deny')), 'written'))];
      bench.provider.answer([write('a'), write('b')], [write('c')], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(decisions(run.session.permissions), [
        ['allow', 'granted', 'user: file_write allow'],
        ['deny', 'denied', 'user: file_write deny'],
        ['deny', 'denied', 'user: file_write deny'],
      ]);
    });

    describe('of which one file is broken', () => {
      const file = (whose: 'project' | 'user') =>
        join(bench.folder, whose === 'project' ? '.polyglav' : 'home', 'config.json');
      const say = (tools: Record<string, unknown>) => JSON.stringify({ permissions: { tools } });
      const put = async (whose: 'project' | 'user', text: string) => {
        await mkdir(dirname(file(whose)), { recursive: true });
        await writeFile(file(whose), text);
      };
      beforeEach(() => {
        bench.restart({
          loadConfig: async () => {
            const loaded = await loadConfig({ workspace: bench.folder, home: join(bench.folder, 'home') });
            return { ...loaded, config: { ...bench.config, permissions: loaded.config.permissions } };
          },
        });
        bench.person.answers.push({ answer: 'once' }, { answer: 'refused' }, { answer: 'refused' });
      });
      /** What is decided of each of the calls behind one in which `change` happens. */
      const decided = async (change: () => Promise<void>, ...calls: string[]) => {
        bench.tools.push(tool('file_edit', async () => (await change(), 'edited')));
        bench.provider.answer([{ call: 'file_edit' }, ...calls.map((call) => ({ call }))], ['ok']);
        const run = await bench.create();
        await turn(run);
        return decisions(run.session.permissions).slice(1);
      };

      it('is decided by what that one last said', async () => {
        await put('project', say({ file_read: 'deny' }));
        await put('user', say({ run_command: 'deny', file_write: 'allow' }));
        const broken = () => put('user', '{');
        assert.deepEqual(await decided(broken, 'run_command', 'file_write', 'file_read'), [
          ['deny', 'denied', 'user: run_command deny'],
          ['allow', 'granted', 'user: file_write allow'],
          ['deny', 'denied', 'project: file_read deny'],
        ]);
      });

      it('is decided by what the other one says now, also where it allows no more', async () => {
        await put('project', say({ file_read: 'deny' }));
        await put('user', say({ run_command: 'allow', file_write: 'deny' }));
        const change = async () => {
          await put('project', '{');
          await put('user', say({ file_list: 'deny' }));
        };
        assert.deepEqual(await decided(change, 'run_command', 'file_write', 'file_read'), [
          ['ask', 'declined', 'refused'],
          ['ask', 'declined', 'refused'],
          ['deny', 'denied', 'project: file_read deny'],
        ]);
      });

      it('is decided by what it says when its fault is not in its form', async () => {
        await put('user', say({ run_command: 'allow' }));
        const change = () =>
          put('user', JSON.stringify({ model: 'nobody/m', permissions: { tools: { file_write: 'deny' } } }));
        assert.deepEqual(await decided(change, 'run_command', 'file_write'), [
          ['ask', 'declined', 'refused'],
          ['deny', 'denied', 'user: file_write deny'],
        ]);
      });
    });
  });

  describe('that cannot be run', () => {
    const strict = z.strictObject({ path: z.string(), content: z.string() });
    const sent: [what: string, args: string, input: object, output: RegExp][] = [
      ['no JSON', '{"path": "a.txt", "con', {}, /You sent: \{"path": "a\.txt", "con/],
      ['an array', '["a.txt"]', {}, /no JSON object[\s\S]*\["a\.txt"\]/],
      ['a string', '"a.txt"', {}, /no JSON object/],
      ['null', 'null', {}, /no JSON object/],
      ['words', 'write a.txt please', {}, /You sent: write a\.txt please/],
      ['nothing', '', {}, /path is missing/],
      ['no content', '{"path":"a.txt"}', { path: 'a.txt' }, /content is missing/],
      ['content null', '{"path":"a.txt","content":null}', { path: 'a.txt', content: null }, /content: expected string/],
      [
        'content as a number',
        '{"path":"a.txt","content":7}',
        { path: 'a.txt', content: 7 },
        /content: expected string/,
      ],
      [
        'content as an object',
        '{"path":"a.txt","content":{}}',
        { path: 'a.txt', content: {} },
        /content: expected string/,
      ],
      [
        'an unknown argument',
        '{"path":"a","content":"","mode":1}',
        { path: 'a', content: '', mode: 1 },
        /no argument "mode"/,
      ],
    ];
    for (const [what, args, input, output] of sent)
      it(`gets an error that quotes it: ${what} (P1)`, async () => {
        bench.tools = [tool('file_write', () => assert.fail('it ran'), { schema: strict })];
        bench.provider.answer([{ call: 'file_write', arguments: args }], ['ok']);
        const run = await bench.create();
        assert.equal(await turn(run), 'ok');
        const session = await bench.onDisk(run);
        const [call] = callsOf(session);
        assert.deepEqual(call!.input, input);
        assert.match(call!.output!, output);
        assert.equal(call!.is_error, true);
        assert.deepEqual([session.permissions, bench.person.asks], [[], []]);
        assert.equal(bench.provider.requests.length, 2);
      });

    it('is told which tools there are when it names another', async () => {
      bench.provider.answer([{ call: 'rm_rf', arguments: { path: '/' } }], ['ok']);
      const run = await bench.create();
      await turn(run);
      const [call] = callsOf(run.session);
      assert.equal(call!.name, 'rm_rf');
      assert.match(call!.output!, /no tool "rm_rf".*file_read, file_write, run_command/);
      assert.equal(call!.is_error, true);
      assert.deepEqual(run.session.permissions, []);
    });

    it('is not offered, and not run, in plan mode unless it only reads (A1)', async () => {
      bench.config = { ...bench.config, mode: 'plan' };
      bench.provider.answer([write(), { call: 'file_read' }], ['ok']);
      const run = await bench.create();
      await turn(run);
      assert.deepEqual(
        bench.provider.requests[0]!.tools.map(({ name }) => name),
        ['file_read'],
      );
      assert.deepEqual(
        callsOf(run.session).map(({ is_error }) => is_error),
        [true, false],
      );
      assert.deepEqual(bench.person.asks, []);
    });

    it('whose tool breaks is a result, and the turn goes on', async () => {
      bench.tools = [tool('file_read', () => Promise.reject(new Error('The disk is on fire.')))];
      bench.provider.answer([{ call: 'file_read' }], ['Oh.']);
      const run = await bench.create();
      assert.equal(await turn(run), 'ok');
      assert.deepEqual(
        callsOf(run.session).map(({ output, is_error }) => [output, is_error]),
        [['file_read failed: The disk is on fire.', true]],
      );
    });
  });

  it('keeps provider keys out of the record, the request and the panel (R15)', async () => {
    const key = 'sk-test-0123456789abcdef';
    bench.env = { MOCK_KEY: key, OPENAI_API_KEY: `${key}-longer`, SHORT: 'abc' };
    bench.config = { ...bench.config, key_envs: ['MOCK_KEY', 'SHORT', 'UNSET'] };
    bench.tools = [
      tool('file_read', ({ path }, { onOutput }) => {
        for (const piece of [`live ${key}, live ${key.slice(0, 9)}`, key.slice(9), '.']) void onOutput(piece);
        if (path === 'throws') throw new Error(`GET https://api.test/?key=${key} failed`);
        return { output: `MOCK_KEY=${key} OPENAI_API_KEY=${key}-longer abc`, is_error: true };
      }),
    ];
    bench.provider.answer(
      [
        { call: 'file_read' },
        { call: 'file_read', arguments: { path: 'throws' } },
        { call: 'file_read', arguments: `{"${key}` },
      ],
      [new Error(`bad key ${key}`)],
    );
    const run = await bench.create();
    await turn(run);
    const everything = JSON.stringify([await bench.onDisk(run), bench.provider.requests, bench.events]);
    assert.ok(!everything.includes(key));
    const live = bench.events.flatMap((event) => (event.type === 'output' ? [event.piece] : []));
    assert.equal(live.join(''), 'live [key of $MOCK_KEY], live [key of $MOCK_KEY].'.repeat(2));
    assert.match(
      callsOf(run.session)[0]!.output!,
      /^MOCK_KEY=\[key of \$MOCK_KEY\] OPENAI_API_KEY=\[key of \$OPENAI_API_KEY\] abc$/,
    );
  });
});
