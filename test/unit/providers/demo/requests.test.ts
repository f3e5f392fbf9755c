import assert from 'node:assert/strict';
import fc from 'fast-check';

import { understand, type DemoRequest } from '../../../../src/providers/demo/requests.ts';

const list = (path?: string, pattern?: string): DemoRequest => ({ kind: 'list', path, pattern });
const read = (path: string): DemoRequest => ({ kind: 'read', path });
const search = (pattern: string, path?: string): DemoRequest => ({ kind: 'search', pattern, path });
const create = (path: string, content: string): DemoRequest => ({ kind: 'create', path, content });
const edit = (path: string, old: string, replacement: string): DemoRequest => ({
  kind: 'edit',
  path,
  old,
  new: replacement,
});
const run = (command: string): DemoRequest => ({ kind: 'run', command });

const PROMPTS: [string, DemoRequest][] = [
  ['list files', list()],
  ['List the files.', list()],
  ['Please list all files in src', list('src')],
  ['list the files in this folder', list()],
  ['ls src/', list('src/')],
  ['list all *.ts files in src', list('src', '*.ts')],
  ['Which files are there?', list()],
  ['Can you show me the files in `my folder`?', list('my folder')],

  ['read README.md', read('README.md')],
  ['Read the file src/a.ts.', read('src/a.ts')],
  ['could you please open "my notes.txt"', read('my notes.txt')],
  ['show me package.json', read('package.json')],
  ["What's in notes.txt?", read('notes.txt')],
  ['explain src/main.c', read('src/main.c')],
  ['Read LICENSE', read('LICENSE')],
  ['cat Makefile', read('Makefile')],

  ['search for TODO', search('TODO')],
  ['Search for "hello world" in src', search('hello world', 'src')],
  ['grep foo in a.txt', search('foo', 'a.txt')],
  ['find FIXME in the project', search('FIXME')],
  ['Where is parseName defined?', search('parseName')],

  ['create a file hello.txt that says Hello', create('hello.txt', 'Hello\n')],
  ['Create a file hello.txt with "Hi there."', create('hello.txt', 'Hi there.\n')],
  ['create hello.txt with the content: one', create('hello.txt', 'one\n')],
  ['Please make a new file called src/new.ts containing `export {};`', create('src/new.ts', 'export {};\n')],
  ['create a file notes.md that says:\n\n# Title\n\nread it', create('notes.md', '# Title\n\nread it\n')],
  ['create a.ts with\n```ts\nconst a = 1;\n```', create('a.ts', 'const a = 1;\n')],
  ['write hello to hello.txt', create('hello.txt', 'hello\n')],
  ['create a file hello.txt', create('hello.txt', 'Hello from the demo model.\n')],

  ['in hello.txt replace Hello with Good morning', edit('hello.txt', 'Hello', 'Good morning')],
  ['In `src/a.ts`, replace `a + b` with `a - b`.', edit('src/a.ts', 'a + b', 'a - b')],
  ['replace foo with bar in notes.txt', edit('notes.txt', 'foo', 'bar')],
  ['change "1.0" to "2.0" in package.json', edit('package.json', '1.0', '2.0')],
  ['Read notes.txt and change foo to bar', edit('notes.txt', 'foo', 'bar')],
  ['In notes.txt change x to ""', edit('notes.txt', 'x', '')],

  ['run npm test', run('npm test')],
  ['Run the tests', run('npm test')],
  ['please execute `git status --short`', run('git status --short')],
  ['run the command: echo "a b"', run('echo "a b"')],

  ['plan', { kind: 'plan', topic: '' }],
  ['Plan how to add tests', { kind: 'plan', topic: 'add tests' }],
  ['make a plan for a release.', { kind: 'plan', topic: 'a release' }],
  ['write a todo list for the release', { kind: 'plan', topic: 'the release' }],

  ['write a long answer', { kind: 'long' }],
  ['Give me a long text please', { kind: 'long' }],
  ['show me a code sample', { kind: 'sample' }],
  ['show me some Markdown', { kind: 'sample' }],

  ['help', { kind: 'help' }],
  ['Hello!', { kind: 'help' }],
  ['', { kind: 'help' }],
  ['Bitte lies die Datei', { kind: 'help' }],
  ['What is the meaning of life?', { kind: 'help' }],
  ['change foo to bar', { kind: 'help' }],
];

describe('providers/demo/requests', () => {
  for (const [prompt, expected] of PROMPTS) {
    it(`understands ${JSON.stringify(prompt)}`, () => assert.deepEqual(understand(prompt), expected));
  }

  it('finds the prompt behind instructions that stand before it', () => {
    const instructions =
      'You are in plan mode: look around with the reading tools. Nothing can be changed or run until later.';
    for (const [prompt, expected] of PROMPTS)
      assert.deepEqual(understand(`${instructions}\n\n${prompt}`), expected, prompt);
  });

  it('makes something of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(typeof understand(text).kind, 'string')),
    );
    const verbs = fc.constantFrom(
      'read',
      'replace',
      'with',
      'in',
      'create',
      'run',
      '"',
      '`',
      "'",
      '\n\n',
      'a.txt',
      ' ',
      'search for',
    );
    fc.assert(fc.property(fc.array(verbs), (words) => assert.equal(typeof understand(words.join(' ')).kind, 'string')));
  });

  it('is not held up by a long prompt', () => {
    const odd = ['replace ', 'a ', 'x\n\n', 'search for "', 'create a with b: ', 'plan .'].map((text) =>
      text.repeat(9_999 / text.length),
    );
    const started = performance.now();
    for (const text of [...odd, 'read a.txt'.repeat(1_000_000)]) understand(text);
    assert.ok(performance.now() - started < 2000);
  });
});
