import assert from 'node:assert/strict';
import fc from 'fast-check';

import {
  matchesCommand,
  mayMatchCommand,
  narrowestPattern,
  parseCommandPattern,
  type CommandPattern,
} from '../../../src/permissions/commandPattern.ts';
import { DYNAMIC, type ShellWord } from '../../../src/permissions/shell/word.ts';

const GLOB_AND_QUOTES: readonly string[] = Array.from('ab*?[]{},\\\'"!^-$` ');

function parsed(text: string): CommandPattern {
  const pattern = parseCommandPattern(text);
  if ('error' in pattern) throw new Error(pattern.error);
  return pattern;
}

describe('patterns of commands', () => {
  const rows: [pattern: string, words: ShellWord[], matches: boolean][] = [
    ['git status', ['git', 'status'], true],
    ['  git\tstatus ', ['git', 'status'], true],
    ['git status', ['git', 'status', '-s'], false],
    ['git status', ['git'], false],
    ['git status', ['Git', 'status'], false],
    ['git status *', ['git', 'status'], true],
    ['git status *', ['git', 'status', '-s', 'a b'], true],
    ['git status *', ['git'], false],
    ['git * status', ['git', '-P', 'status'], true],
    ['git * status', ['git', 'status'], false],
    ['git * status', ['git', '-C', 'x', 'status'], false],
    ['*', ['anything', 'at', 'all'], true],
    ['npm run test:*', ['npm', 'run', 'test:unit'], true],
    ['npm run test:*', ['npm', 'run', 'test:unit', 'x'], false],
    ['npm run test:*', ['npm', 'run', 'build'], false],
    ['cat src/*', ['cat', 'src/a/b.ts'], true],
    ['ls ?', ['ls', 'a'], true],
    ['ls ?', ['ls', 'ab'], false],
    ['ls [ab]', ['ls', 'b'], true],
    ['npm {test,start}', ['npm', 'start'], true],
    ["echo 'a b'", ['echo', 'a b'], true],
    ['echo "a b" c', ['echo', 'a b', 'c'], true],
    ['echo a\\ b', ['echo', 'a b'], true],
    ["echo '*'", ['echo', '*'], true],
    ["echo '*'", ['echo', 'a'], false],
    ["echo '*'", ['echo'], false],
    ['echo \\*', ['echo', 'a', 'b'], false],
    ["'[' *", ['[', '-f', 'x', ']'], true],
    ["echo ''", ['echo', ''], true],
    ["echo ''", ['echo'], false],
    ['echo "\\""', ['echo', '"'], true],
    ['echo "\\a"', ['echo', '\\a'], true],
    ["a'*'b*", ['a*bc'], true],
    ["a'*'b*", ['axbc'], false],
    // What is only known when it runs.
    ['ls *', ['ls', DYNAMIC], true],
    ['ls *', ['ls', '-l', DYNAMIC, 'x'], true],
    ['ls ?*', ['ls', DYNAMIC], false],
    ['git * status', ['git', DYNAMIC, 'status'], false],
    ['git status *', ['git', DYNAMIC], false],
  ];
  for (const [pattern, words, matches] of rows)
    it(`${pattern} ${matches ? 'is' : 'is not'} ${words.map(String).join(' ')}`, () => {
      assert.equal(matchesCommand(parsed(pattern), words), matches);
      if (matches) assert.ok(mayMatchCommand(parsed(pattern), words));
    });

  const possible: [pattern: string, words: ShellWord[], may: boolean][] = [
    ['git push *', ['git', DYNAMIC], true],
    ['git push --force', ['git', DYNAMIC], true],
    ['git push *', ['npm', DYNAMIC], false],
    ['git push *', ['git', 'log', DYNAMIC], false],
    ['rm *', [DYNAMIC, 'x'], true],
    ['rm *', ['/bin/rm', 'x'], true],
    ['rm *', ['./rm', DYNAMIC], true],
    ['rm *', ['rmdir', 'x'], false],
    ['git push *', ['git', '-C', 'src', 'push'], true],
    ['git push *', ['/usr/bin/git', '--no-pager', '-c', 'a=b', 'push', 'x'], true],
    ['git push *', ['git', '-C', 'push', 'log'], false],
    ['git push *', ['GIT', 'push', 'x'], true],
    ['git push *', ['/usr/bin/Git.exe', '-C', 'src', 'push'], true],
    ['git push *', ['git', '--git-dir', 'x', 'push'], true],
    ['git push *', ['git', '--git-dir=x', '-P', 'push'], true],
    ['git push *', ['git', '-C', DYNAMIC], true],
    ['git push *', ['git', '-C', DYNAMIC, 'log'], true],
    ['npm publish *', ['C:\\bin\\NPM.cmd', 'publish'], true],
  ];
  for (const [pattern, words, may] of possible)
    it(`${words.map(String).join(' ')} ${may ? 'may be' : 'cannot be'} ${pattern}`, () =>
      assert.equal(mayMatchCommand(parsed(pattern), words), may));

  const mistakes: [pattern: string, message: RegExp][] = [
    ['', /it is empty/],
    ['  ', /it is empty/],
    ['git "status', /a " is never closed/],
    ["git 'status", /a ' is never closed/],
    ['git status\\', /ends in a single backslash/],
    ['git\nstatus', /line break/],
    ['git\0status', /control character/],
    ['ls **', /\*\* is for paths/],
    ['ls [a', /never closed/],
    ['ls {a', /never closed/],
  ];
  for (const [pattern, message] of mistakes)
    it(`${JSON.stringify(pattern)} is a mistake`, () => {
      const found = parseCommandPattern(pattern);
      assert.ok('error' in found);
      assert.match(found.error, message);
    });

  it('the narrowest one is exactly the words', () => {
    assert.equal(narrowestPattern(['git', 'commit', '-m', "it's *"]), "git commit -m 'it'\\''s *'");
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.string({ unit: fc.constantFrom(...GLOB_AND_QUOTES), maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.array(word, { maxLength: 4 }), (words, others) => {
        const text = narrowestPattern(words);
        if (text === undefined) return assert.match(words.join(' '), /[\p{Cc}\p{Cs}\u2028\u2029]/u);
        const pattern = parsed(text);
        assert.ok(matchesCommand(pattern, words));
        assert.ok(!matchesCommand(pattern, [...words, 'x']));
        assert.ok(!matchesCommand(pattern, words.slice(0, -1)));
        assert.equal(matchesCommand(pattern, others), JSON.stringify(others) === JSON.stringify(words));
      }),
      { numRuns: 500 },
    );
  });

  it('there is none for what cannot be written as one', () => {
    const rows: ShellWord[][] = [[], ['ls', DYNAMIC], ['echo', 'a\nb'], ['echo', '\0'], ['echo', 'a'.repeat(2000)]];
    for (const words of rows) assert.equal(narrowestPattern(words), undefined);
  });

  it('are matched in time that grows with their length only', () => {
    const pattern = parsed(`echo ${'*a'.repeat(500)}`);
    const start = performance.now();
    assert.ok(!matchesCommand(pattern, ['echo', 'a'.repeat(5000) + 'b']));
    assert.ok(performance.now() - start < 5000);
  });

  it('any text is one, or says what is wrong', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (text, words) => {
        const pattern = parseCommandPattern(text);
        if ('error' in pattern) assert.ok(pattern.error.length > 10);
        else matchesCommand(pattern, words);
      }),
    );
  });
});
