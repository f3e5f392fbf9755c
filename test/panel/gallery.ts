/** A session in which everything is that the panel can show: for pictures and for axe. */
import type { Problem } from '../../src/protocol/messages.ts';
import type { FakeHost } from './fakeHost.ts';

const ANSWER = `The greeting is now **friendlier**. I changed \`src/greet.ts\` and its test:

- \`greet()\` says *hello* with the name, see [src/greet.ts](src/greet.ts#L2)
- the empty name is refused

\`\`\`ts
// Says hello.
export function greet(name: string): string {
  if (name === '') throw new Error("a name is needed");
  return \`Hello, \${name}! You are number \${42}\`;
}
\`\`\`

| file | lines |
|---|---:|
| src/greet.ts | 4 |
| test/greet.test.ts | 12 |

> The tests pass. See https://example.com/docs for more.
`;

/** All of it has happened when the page first asks. */
export function gallery(host: FakeHost): void {
  host.start('Make the greeting friendlier, and add a test for the empty name.');
  host.add({ type: 'thinking', text: 'First I look at the file, then at **its test**.' });
  host.add(
    { type: 'tool', name: 'todo_write', round: 1, input: { todos: todos() }, output: 'ok', is_error: false },
    3200,
  );
  host.add({
    type: 'tool',
    name: 'file_read',
    round: 1,
    input: { path: 'src/greet.ts' },
    output: '1\texport const x = 1;',
    is_error: false,
  });
  host.add({
    type: 'tool',
    name: 'file_search',
    round: 1,
    input: { pattern: 'greet\\(' },
    output: 'src/greet.ts:2',
    is_error: false,
  });
  host.add({ type: 'tool', name: 'file_edit', round: 2, input: EDIT, output: 'Edited src/greet.ts', is_error: false });
  host.permit(5, { tool: 'file_edit' });
  host.add({
    type: 'tool',
    name: 'run_command',
    round: 3,
    input: { command: 'npm test' },
    output: '  1) greets\n\n1 failing\n[Exit code 1]',
    is_error: true,
  });
  host.permit(6, {});
  host.add({
    type: 'tool',
    name: 'run_command',
    round: 4,
    input: { command: 'rm -rf build && npm test -- --grep "a very long pattern"' },
    output: 'The person declined this call.',
    is_error: true,
  });
  host.permit(7, { decision: 'declined', by: 'refused' });
  host.add({ type: 'text', text: ANSWER });
  host.end('ok', { input_tokens: 12_345, output_tokens: 678, cached_tokens: 10_000 }, 21_000);

  host.start('/mode plan');
  host.session.turns.at(-1)!.parts = [{ type: 'command', text: '/mode plan', timestamp: host.at() }];
  host.end();

  host.start('And now?');
  host.add({ type: 'system', kind: 'resume', text: 'Polyglav was closed while this turn ran; it was not finished.' });
  host.add({ type: 'hologram', depth: 3 });
  host.fail(
    401,
    'The provider refused the key. Check the environment variable OPENAI_API_KEY, then send the message again.',
  );
  host.end('error');
}

export function todos(): { text: string; status: string }[] {
  return [
    { text: 'Read the greeting', status: 'done' },
    { text: 'Make it friendlier', status: 'in_progress' },
    { text: 'Add a test', status: 'pending' },
  ];
}

export const EDIT = {
  path: 'src/greet.ts',
  old: "export function greet(name: string): string {\n  return 'Hi ' + name;\n}\n",
  new: "export function greet(name: string): string {\n  if (name === '') throw new Error('a name is needed');\n  return 'Hello, ' + name;\n}\n",
};

/** A turn in its middle: one call asks, one waits, a prompt is queued, a command has said something. */
export function working(host: FakeHost): void {
  host.state = {
    ...host.state,
    run: 'asking',
    asks: [
      {
        id: 'a',
        title: 'Run npm test',
        detail: 'npm test -- --grep "the long name of a test"\nin /home/me/project',
        reason: 'outside the workspace: /etc/hosts',
        no_rule: 'this is asked whatever the rules allow',
      },
      { id: 'b', session: 'Rename the long function', title: 'Edit src/functions/long.ts' },
    ],
    queue: [
      {
        id: 'q',
        text: 'And then run the linter over everything, please, and tell me what it says about long functions.',
      },
    ],
  };
  host.start('Fix the test');
  const running = host.session.turns.at(-1);
  if (running !== undefined) running.started_at = new Date(Date.now() - 65_000).toISOString();
  host.add({ type: 'thinking', text: 'Hm.' });
  host.add(
    {
      type: 'tool',
      name: 'file_write',
      round: 1,
      input: { path: 'src/new.ts', content: 'a\nb\n' },
      output: 'Wrote',
      is_error: false,
    },
    61_000,
  );
  host.add({ type: 'tool', name: 'run_command', round: 2, input: { command: 'npm test' } });
  host.add({ type: 'tool', name: 'run_command', round: 2, input: { command: 'npm run lint' } });
}

/** Faults in two files, more than can be shown at once. */
export function faults(): Problem[] {
  const project = { path: '/home/me/project/.polyglav/config.json', shown: '.polyglav/config.json' };
  const own = { path: '/home/me/.polyglav/config.json', shown: '~/.polyglav/config.json' };
  return Array.from({ length: 14 }, (_, at) => ({
    text: `Line ${at + 3}: permissions.tools.run_command.commands."git push ${at}" must be "allow", "ask" or "deny", not "alow".`,
    file: at < 12 ? project : own,
  }));
}

export const LONG_COMMAND = Array.from(
  { length: 200 },
  (_, at) => `echo "line ${at} of what a model wrote" >> out-${at}.txt`,
).join('\n');

/** All that takes room around the conversation. */
export function crowd(host: FakeHost): void {
  working(host);
  const [ask] = host.state.asks;
  host.state = {
    ...host.state,
    problems: faults(),
    withheld: 'untrusted',
    asks: [{ ...ask!, title: `Run ${LONG_COMMAND.replaceAll('\n', ' ')}`, detail: LONG_COMMAND }, ...host.state.asks],
    queue: Array.from({ length: 9 }, (_, at) => ({ id: `q${at}`, text: `Prompt ${at}: ${'more words '.repeat(20)}` })),
  };
}
