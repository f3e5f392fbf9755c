import assert from 'node:assert/strict';

import { consentLines, consentSummary } from '../../../src/config/consentText.ts';
import type { BroughtProvider, Unconfirmed } from '../../../src/config/consent.ts';

const brought = (providers: Partial<BroughtProvider>[], allows: string[] = []): Unconfirmed => ({
  ...{ file: '/w/.polyglav/config.json', folder: '/w', sha256: '', allows },
  providers: providers.map((each) => ({ name: 'p', origin: 'https://h', key: undefined, replaces: false, ...each })),
});

describe('config/consentText', () => {
  it('says where each provider is, which key goes there, and what it takes the place of', () => {
    const lines = consentLines(
      brought([{ key: 'KEY' }, { name: 'ollama', origin: 'http://10.0.0.7:1', replaces: true }, { origin: undefined }]),
      20,
    );
    assert.deepEqual(lines, [
      'Providers, which would get your prompts and what the tools read:',
      '  • p: https://h, with the key in $KEY',
      '  • ollama: http://10.0.0.7:1, without a key; in place of the one that you have',
      '  • p: the built-in demo model',
    ]);
  });

  it('shows rules as they stand in a decision, with what cannot be seen spelled out', () => {
    assert.deepEqual(consentLines(brought([], ['default allow', 'run_command "a\u202Eb\nc" allow']), 20), [
      'Rules that allow without a question:',
      '  • default allow (every tool that no rule names)',
      '  • run_command "a⟨U+202E⟩b c" allow',
    ]);
  });

  it('counts what it leaves out, of many and of a long one, and shows the providers first', () => {
    const many = consentLines(brought([{}], Array<string>(30).fill('file_edit allow')), 5);
    assert.equal(many.length, 1 + 1 + 1 + 1 + 4 + 1);
    assert.equal(many.at(-1), '… and 26 more of them, which stand in the file.');
    const [, long] = consentLines(brought([], [`run_command "${'😀'.repeat(500)} rm" allow`]), 5);
    assert.match(long!, /^ {2}• run_command "😀+…\(\d+ more characters\)…😀+ rm" allow$/u);
    assert.ok([...long!].length < 200);
  });

  it('names them on one line', () => {
    assert.equal(consentSummary(brought([{}])), 'the provider p');
    assert.equal(
      consentSummary(brought([{}, { name: 'q' }], ['a allow', 'b allow', 'c allow', 'd allow'])),
      'the providers p, q and the rules a allow, b allow, c allow and 1 more',
    );
  });
});
