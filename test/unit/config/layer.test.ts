import assert from 'node:assert/strict';

import { parseLayer } from '../../../src/config/layer.ts';

const FILE = '/p/.polyglav/config.json';

function problemsOf(text: string) {
  return parseLayer(text, FILE).problems;
}

/** The only problem of a text. */
function problemOf(text: string) {
  const problems = problemsOf(text);
  assert.equal(problems.length, 1, JSON.stringify(problems));
  return problems[0]!;
}

describe('config/layer', () => {
  it('takes comments, trailing commas and every key', () => {
    const { value, problems } = parseLayer(
      `// my configuration
      {
        "$schema": "x", /* here */
        "model": "ollama/library/llama3.2:3b",
        "providers": {
          "ollama": { "type": "openai-chat", "base_url": "http://localhost:11434/v1", "headers": { "X-Title": "Polyglav" }, },
          "or": { "type": "openai-chat", "base_url": "https://openrouter.ai/api/v1", "api_key_env": "OPENROUTER_API_KEY" },
          "demo": { "type": "demo" },
        },
        "models": { "ollama/library/llama3.2:3b": { "context_window": 8192, "max_output_tokens": 1024, "reasoning": "low" } },
        "mode": "plan",
        "permissions": { "default": "ask", "tools": {
          "run_command": { "commands": { "git status": "allow", "git push *": "deny" }, "paths": { "secrets/**": "deny" } },
          "file_write": { "action": "allow", "paths": { "src/{a,b}/**": "ask" } },
          "file_edit": {},
          "todo_write": "deny",
        } },
        "folders": { "/home/me/shop": { "permissions": { "tools": { "file_edit": { "paths": { "a.ts": "allow" } } } } } },
        "system_prompt": "",
        "reasoning": false,
      }`,
      FILE,
    );
    assert.deepEqual(problems, []);
    assert.equal(value.model, 'ollama/library/llama3.2:3b');
    assert.deepEqual(value.permissions, {
      default: 'ask',
      tools: {
        run_command: {
          commands: { 'git status': 'allow', 'git push *': 'deny' },
          paths: { 'secrets/**': 'deny' },
        },
        file_write: { action: 'allow', paths: { 'src/{a,b}/**': 'ask' } },
        file_edit: {},
        todo_write: 'deny',
      },
    });
    assert.deepEqual(value.folders, {
      '/home/me/shop': { permissions: { tools: { file_edit: { paths: { 'a.ts': 'allow' } } } } },
    });
    assert.equal(value.reasoning, false);
  });

  for (const empty of ['', '  \n', '// nothing yet\n', '{}'])
    it(`takes ${JSON.stringify(empty)} as an empty layer`, () => {
      const { value, problems } = parseLayer(empty, FILE);
      assert.deepEqual([value, problems], [{}, []]);
    });

  it('names file, key, line and column of an unknown key, and the near one', () => {
    const problem = problemOf('{\n  "mode": "plan",\n  "modle": "a/b"\n}');
    assert.deepEqual({ ...problem, message: '' }, { file: FILE, key: 'modle', message: '', line: 3, column: 3 });
    assert.match(problem.message, /^is not known here; there are: .*model, providers.*\. Did you mean "model"\?$/);
  });

  it('gives each unknown key a problem of its own', () => {
    const problems = problemsOf('{"providers": {"x": {"type": "demo", "base_url": "u", "headers": {}}}}');
    assert.deepEqual(
      problems.map(({ key }) => key),
      ['providers.x.base_url', 'providers.x.headers'],
    );
  });

  const refused: [text: string, key: string, message: RegExp][] = [
    ['[]', '', /must be an object/],
    ['{"model": "llama3.2"}', 'model', /must be "<provider>\/<model>".*not "llama3\.2"/],
    ['{"model": 3}', 'model', /must be "<provider>\/<model>".*not 3/],
    ['{"mode": "biuld"}', 'mode', /must be "build" or "plan", not "biuld"\. Did you mean "build"\?/],
    ['{"reasoning": true}', 'reasoning', /must be false, "off", .*not true/],
    ['{"reasoning": "hihg"}', 'reasoning', /Did you mean "high"\?/],
    ['{"system_prompt": null}', 'system_prompt', /must be text, not null/],
    ['{"providers": []}', 'providers', /must be an object/],
    ['{"providers": {"x": {}}}', 'providers.x.type', /is missing; it must be "openai-chat" or "demo"/],
    ['{"providers": {"x": {"type": "openai"}}}', 'providers.x.type', /must be "openai-chat" or "demo", not "openai"/],
    ['{"providers": {"x": {"type": "openai-responses"}}}', 'providers.x.type', /must be "openai-chat" or "demo"/],
    ['{"providers": {"a/b": {"type": "demo"}}}', 'providers."a/b"', /must be a name of letters/],
    [
      '{"providers": {"x": {"type": "openai-chat"}}}',
      'providers.x.base_url',
      /is missing; it must be an http or https/,
    ],
    [
      '{"providers": {"demo": {"type": "openai-chat", "base_url": "http://h"}}}',
      'providers.demo.type',
      /must be "demo"/,
    ],
    ['{"models": {"x": {}}}', 'models.x', /must be "<provider>\/<model>"/],
    [
      '{"models": {"a/b": {"context_window": 1.5}}}',
      'models."a/b".context_window',
      /whole number of tokens above 0, not 1\.5/,
    ],
    ['{"models": {"a/b": {"context_window": 0}}}', 'models."a/b".context_window', /above 0, not 0/],
    ['{"models": {"a/b": {"max_output_tokens": "9"}}}', 'models."a/b".max_output_tokens', /above 0, not "9"/],
    ['{"permissions": {"default": "alow"}}', 'permissions.default', /Did you mean "allow"\?/],
    [
      '{"permissions": {"tools": {"run_comand": "deny"}}}',
      'permissions.tools.run_comand',
      /Did you mean "run_command"\?/,
    ],
    [
      '{"permissions": {"tools": {"run_command": "no"}}}',
      'permissions.tools.run_command',
      /must be "allow", "ask" or "deny"/,
    ],
    [
      '{"permissions": {"tools": {"run_command": 7}}}',
      'permissions.tools.run_command',
      /must be "allow", "ask" or "deny", or an object of rules/,
    ],
    [
      '{"permissions": {"tools": {"run_command": {"actoin": "ask"}}}}',
      'permissions.tools.run_command.actoin',
      /there are: action, paths, commands\. Did you mean "action"\?/,
    ],
    [
      '{"permissions": {"tools": {"file_edit": {"action": "no", "paths": {"a": "ask"}}}}}',
      'permissions.tools.file_edit.action',
      /must be "allow", "ask" or "deny", not "no"/,
    ],
    [
      '{"permissions": {"tools": {"file_edit": {"paths": {"src/[a": "ask"}}}}}',
      'permissions.tools.file_edit.paths."src/[a"',
      /is no path pattern: a \[ is never closed/,
    ],
    [
      '{"permissions": {"tools": {"file_edit": {"paths": {"src/**": "alow"}}}}}',
      'permissions.tools.file_edit.paths."src/**"',
      /Did you mean "allow"\?/,
    ],
    [
      '{"permissions": {"tools": {"file_edit": {"paths": "src/**"}}}}',
      'permissions.tools.file_edit.paths',
      /must be an object of path patterns and actions/,
    ],
    [
      '{"permissions": {"tools": {"file_edit": {"commands": {}}}}}',
      'permissions.tools.file_edit.commands',
      /there are: action, paths\./,
    ],
    [
      '{"permissions": {"tools": {"todo_write": {"paths": {}}}}}',
      'permissions.tools.todo_write.paths',
      /are: action\./,
    ],
    [
      '{"permissions": {"tools": {"run_command": {"commands": {"": "allow"}}}}}',
      'permissions.tools.run_command.commands.""',
      /is no command pattern/,
    ],
    [
      '{"permissions": {"tools": {"run_command": {"commands": {"git \\"status": "allow"}}}}}',
      'permissions.tools.run_command.commands."git \\"status"',
      /is no command pattern: a " is never closed/,
    ],
    ...(
      [
        ['~/.ssh/**', /~ is no folder here; write the absolute path/],
        ['~', /~ is no folder here/],
        ['C:\\\\Users\\\\me', /write \/ between folders/],
        ['\\\\\\\\server\\\\x', /write \/ between folders/],
        ['src/', /write src\/\*\* for a folder and all that is in it/],
        ['./src/a.ts', /leave "\.\/" out/],
        ['src/./a.ts', /leave "\.\/" out/],
        ['src/../a.ts', /"\.\." can only stand at the beginning/],
        ['../a/../b', /"\.\." can only stand at the beginning/],
        ['/../etc/**', /"\.\." can only stand at the beginning/],
        ['**/..', /"\.\." can only stand at the beginning/],
        ['src//a.ts', /write one \/ between folders/],
        ['a**', /must stand alone between slashes/],
      ] as const
    ).map(([pattern, message]): [string, string, RegExp] => [
      `{"permissions": {"tools": {"file_read": {"paths": {"${pattern}": "deny"}}}}}`,
      `permissions.tools.file_read.paths."${pattern}"`,
      message,
    ]),
    ['{"folders": {"~/shop": {}}}', 'folders."~/shop"', /must be the absolute path of a folder.*not "~\/shop"/],
    ['{"folders": {"/a": {"model": "a/b"}}}', 'folders."/a".model', /there are: permissions/],
    [
      '{"folders": {"/a": {"permissions": {"tools": {"file_edit": {"paths": {"{a": "deny"}}}}}}}',
      'folders."/a".permissions.tools.file_edit.paths."{a"',
      /is no path pattern/,
    ],
    ['{"mode": "plan", "mode": "build"}', 'mode', /is written twice/],
    ['{"providers": {"__proto__": {"type": "demo"}}}', 'providers.__proto__', /is not a usable name/],
  ];
  for (const [text, key, message] of refused)
    it(`refuses ${text}`, () => {
      const problem = problemOf(text);
      assert.equal(problem.key, key);
      assert.match(problem.message, message);
      assert.ok(problem.line !== undefined && problem.column !== undefined);
      assert.deepEqual(parseLayer(text, FILE).value, {});
    });

  it('takes every pattern that can match a path', () => {
    const patterns = [
      '.',
      '**',
      '/',
      '/**',
      '..',
      '../**',
      '../../a',
      'a..b/c',
      '..a/b',
      '.../x',
      'a/...',
      '~a',
      '\\\\~/x',
      'C:/x/**',
      '.env*',
      'a/.b',
    ];
    for (const pattern of patterns) {
      const rules = `{"permissions": {"tools": {"file_read": {"paths": {"${pattern}": "deny"}}}}}`;
      assert.deepEqual(problemsOf(rules), [], pattern);
    }
  });

  it('refuses a bad address, and never repeats what may be a secret', () => {
    const provider = (rest: string) => `{"providers": {"x": {"type": "openai-chat", ${rest}}}}`;
    for (const url of ['localhost:1234', 'ftp://h/v1', 'http://', 'http:/v1'])
      assert.match(problemOf(provider(`"base_url": "${url}"`)).message, /must be an http or https address/);
    const secrets = [
      provider('"base_url": "https://me:sk-secret@h/v1"'),
      provider('"base_url": "https://h/v1", "api_key_env": "sk-secret"'),
      provider('"base_url": "https://h/v1", "headers": {"Authorization": "Bearer\\nsk-secret"}'),
    ];
    for (const text of secrets) assert.doesNotMatch(problemOf(text).message, /secret/);
    assert.match(problemOf(secrets[1]!).message, /name of an environment variable .* never the key itself/);
  });

  const broken: [text: string, line: number, column: number, message: RegExp][] = [
    ['{"mode" "plan"}', 1, 9, /":"/],
    ['{\n"mode": "plan"\n"model": "a/b"}', 3, 1, /","/],
    ['{"mode": }', 1, 10, /value/],
    ['{"mode": "plan"', 1, 16, /"}"/],
    ["{'mode': 1}", 1, 2, /./],
    ['{} {}', 1, 4, /after its end/],
    ['{"a": "b\u0007"}', 1, 7, /control character/],
    ['{ /* open', 1, 3, /never closed/],
  ];
  for (const [text, line, column, message] of broken)
    it(`says where ${JSON.stringify(text)} is not JSON`, () => {
      const problem = problemOf(text);
      assert.deepEqual([problem.key, problem.line, problem.column], ['', line, column]);
      assert.match(problem.message, message);
    });

  it('survives nesting without end', () => {
    assert.match(problemOf('['.repeat(200_000)).message, /nested too deeply/);
    for (const levels of [200, 2000, 5000])
      for (const nested of [
        '{"a":'.repeat(levels) + '1' + '}'.repeat(levels),
        '['.repeat(levels) + ']'.repeat(levels),
      ]) {
        const { key, message, line } = problemOf(`{"models":\n${nested}}`);
        assert.deepEqual([key, message], ['', 'is nested too deeply; no setting needs more than a few levels.']);
        if (levels === 200) assert.equal(line, 2);
      }
  });

  it('takes no more patterns than can be compared quickly, and says where they become too many', () => {
    const rules = (under: string, patterns: string[]) =>
      JSON.stringify({
        permissions: {
          tools: { run_command: { [under]: Object.fromEntries(patterns.map((pattern) => [pattern, 'deny'])) } },
        },
      });
    const many = (count: number, pattern: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => pattern(i));
    assert.deepEqual(
      problemsOf(
        rules(
          'paths',
          many(1000, (i) => `src/a/file/of/the/usual/length/${i}.ts`),
        ),
      ),
      [],
    );
    assert.deepEqual(
      problemsOf(
        rules(
          'commands',
          many(200, (i) => `npm run script${i} *`),
        ),
      ),
      [],
    );

    const number = problemOf(rules('commands', many(1001, String)));
    assert.equal(number.key, 'permissions.tools.run_command.commands');
    assert.match(number.message, /has 1001 patterns, and 1000 are the most/);
    for (const [under, pattern] of [
      ['paths', (i: number) => `${'*a'.repeat(1000)}${i}`],
      ['paths', (i: number) => `${'{a,b}'.repeat(7)}${i}`],
      ['commands', (i: number) => `${'*a'.repeat(1000)}${i} x`],
    ] as const) {
      const patterns = many(20, pattern);
      const problem = problemOf(rules(under, patterns));
      assert.match(problem.message, /is too much: .* more than 5000 characters/);
      assert.ok(
        patterns.slice(0, 8).some((text) => problem.key.endsWith(JSON.stringify(text))),
        problem.key,
      );
    }
  });
});
