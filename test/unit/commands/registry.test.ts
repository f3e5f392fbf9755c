import assert from 'node:assert/strict';

import fc from 'fast-check';

import { parseCommand } from '../../../src/commands/registry.ts';

/** What a line was taken for. */
function taken(line: string): string {
  const parsed = parseCommand(line);
  return parsed.kind === 'prompt' ? `prompt: ${parsed.text}` : `${parsed.command.name}: ${parsed.args}`;
}

describe('commands/registry', () => {
  const lines: [line: string, taken: string][] = [
    ['/help', 'help: '],
    ['  /help  ', 'help: '],
    ['/session', 'session: '],
    ['/session new', 'session new: '],
    ['/session new my notes', 'session new: my notes'],
    ['/session   load\tx', 'session load: x'],
    ['/sessions', 'sessions: '],
    ['/sessions preview my notes', 'sessions preview: my notes'],
    ['/history all --thoughts', 'history: all --thoughts'],
    ['/permissions --run x', 'permissions: --run x'],
    ['/print 3.2 --full', 'print: 3.2 --full'],
    ['/model', 'model: '],
    ['/model ollama/llama3.2', 'model: ollama/llama3.2'],
    ['/mode plan\n', 'mode: plan'],
    ['hello /help', 'prompt: hello /help'],
    ['', 'prompt: '],
    ['  indented text', 'prompt:   indented text'],
    ['//help me', 'prompt: /help me'],
    ['//', 'prompt: /'],
    ['///', 'prompt: //'],
    ['/home/me/x is broken', 'prompt: /home/me/x is broken'],
    ['/etc/', 'prompt: /etc/'],
  ];
  for (const [line, expected] of lines)
    it(`takes ${JSON.stringify(line)} as ${JSON.stringify(expected)}`, () => {
      assert.equal(taken(line), expected);
    });

  const refused: [line: string, message: RegExp][] = [
    ['/sesion', /There is no command "\/sesion"\. Did you mean "\/session"\? \/help lists .* begin it with "\/\/"/],
    ['/xyzzy', /There is no command "\/xyzzy"\. \/help/],
    ['/', /There is no command "\/"/],
    ['/Help', /Did you mean "\/help"\?/],
    ['/help me', /\/help takes nothing after it, not "me"\.$/],
    [
      '/session lod x',
      /There are also \/session new \[name\], \/session load <name>, \/session save\. Did you mean "\/session load"\?/,
    ],
    ['/session rename foo', /There are also \/session new \[name\], .*, \/session save\.$/],
    ['/export', /Did you mean "\/sessions export"\?/],
    ['/delte', /Did you mean "\/sessions delete"\?/],
    ['/new', /Did you mean "\/session new"\?/],
    ['/sessions x', /\/sessions takes nothing after it/],
    ['/session load', /\/session load needs <name>/],
    ['/print', /\/print needs <n>/],
    ['/sessions delete', /\/sessions delete needs <name>/],
  ];
  for (const [line, message] of refused)
    it(`refuses ${JSON.stringify(line)}`, () => {
      assert.throws(() => parseCommand(line), { name: 'CommandError', message });
    });

  it('takes every text as a prompt that does not begin with a slash, as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.trimStart().startsWith('/'));
        assert.deepEqual(parseCommand(text), { kind: 'prompt', text });
      }),
    );
  });

  it('can send every text, with one more slash where it begins with one', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.deepEqual(parseCommand(`//${text}`), { kind: 'prompt', text: `/${text}` });
      }),
    );
  });
});
