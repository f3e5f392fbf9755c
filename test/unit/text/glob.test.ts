import assert from 'node:assert/strict';
import fc from 'fast-check';
import picomatch from 'picomatch';

import { costOfGlob, matchesGlob, parseGlob, runGlob, type Glob } from '../../../src/text/glob.ts';

describe('text/glob', () => {
  it('matches paths, where stars and brackets stop at a slash', () => {
    const cases: [pattern: string, matching: string[], other: string[]][] = [
      ['*.ts', ['a.ts', '.ts', '.hidden.ts'], ['a.js', 'src/a.ts', 'a.ts.bak', '']],
      ['src/*', ['src/a', 'src/.env'], ['src', 'src/a/b', 'xsrc/a']],
      ['?', ['a', '.', '日', '😀'], ['', '/', 'ab']],
      ['a?b', ['a-b', 'a😀b'], ['a/b', 'ab']],
      ['[a-c].txt', ['a.txt', 'c.txt'], ['d.txt', 'A.txt', '.txt']],
      ['[!a-c]x', ['dx', '.x'], ['ax', '/x', 'x']],
      ['[^a]', ['b'], ['a']],
      ['[]a]', [']', 'a'], ['b']],
      ['[a-]', ['a', '-'], ['b']],
      ['[\\]\\\\]', [']', '\\'], ['a']],
      ['[+-9]', ['/', '3'].slice(1), ['/']],
      ['**', ['a', 'a/b', '.git/x', ''], []],
      ['**/*.ts', ['a.ts', 'src/a.ts', 'a/b/c.ts', '.x/.y.ts'], ['a.js', 'a.ts/b']],
      ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'x/ya', 'a/x']],
      ['src/**', ['src', 'src/a', 'src/a/b', 'src/.env'], ['srcx', 'a/src', 'sr']],
      ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb', 'a/b/c', 'a']],
      ['a/**/**', ['a', 'a/b', 'a/b/c'], ['ab']],
      ['**/**/x', ['x', 'a/b/x'], ['ax']],
      ['**/.env*', ['.env', 'a/.env.local'], ['env', 'a.env']],
      ['/etc/**', ['/etc', '/etc/passwd'], ['etc/passwd', '/etcx']],
      ['{a,b}.ts', ['a.ts', 'b.ts'], ['{a,b}.ts', 'c.ts', 'a,b.ts']],
      ['{src,test}/**', ['src', 'test/a/b'], ['other']],
      ['a{,.bak}', ['a', 'a.bak'], ['a.', 'ab']],
      ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['b', 'ad']],
      ['{**/x,y}/z', ['x/z', 'a/x/z', 'y/z'], ['a/y/z']],
      ['\\*\\?\\[\\{\\\\', ['*?[{\\'], ['a?[{\\']],
      ['a}b]c,d', ['a}b]c,d'], []],
      ['!a', ['!a'], ['b']],
      ['a+(b)', ['a+(b)'], ['ab']],
    ];
    for (const [pattern, matching, other] of cases) {
      for (const text of matching) assert.ok(matchesPath(pattern, text), `${pattern} is ${text}`);
      for (const text of other) assert.ok(!matchesPath(pattern, text), `${pattern} is not ${text}`);
    }
  });

  it('matches words, where a slash is like any character', () => {
    const isWord = (pattern: string, text: string) => matchesGlob(parsed(pattern), text, { slash: false });
    assert.ok(isWord('--file=*', '--file=a/b.txt'));
    assert.ok(isWord('a?b', 'a/b'));
    assert.ok(isWord('a[!x]b', 'a/b'));
    assert.ok(isWord('*', ''));
    assert.ok(isWord('*', 'two\nlines'));
    assert.ok(!isWord('a*', 'ba'));
  });

  it('minds letter case unless told not to', () => {
    const isMatch = (pattern: string, text: string) =>
      matchesGlob(parsed(pattern), text, { slash: true, ignoreCase: true });
    assert.ok(!matchesPath('.ENV', '.env'));
    assert.ok(isMatch('.ENV', '.env'));
    assert.ok(isMatch('[a-c]/ÄÖ', 'B/äö'));
    assert.ok(!isMatch('[!a-c]', 'B'));
    // Letters that a disk may take for others: a Kelvin sign, a long s.
    assert.ok(isMatch('key.s', '\u212Aey.\u017F'));
  });

  it('says of a pattern that cannot be what is wrong and what would do', () => {
    const cases: [string, RegExp][] = [
      ['', /empty/],
      ['a'.repeat(4097), /at most 4096/],
      ['a\\', /backslash/],
      ['[ab', /\[ is never closed; write \\\[/],
      ['[', /\[ is never closed/],
      ['[a\\', /\[ is never closed/],
      ['[]', /\[ is never closed/],
      ['[z-a]', /z-a runs backwards/],
      ['[[:alpha:]]', /\[:alpha:\] are not known here/],
      ['{a,b', /\{ is never closed; write \\\{/],
      ['{a}', /alternatives with commas/],
      ['{}', /alternatives with commas/],
      ['a**', /\*\* must stand alone/],
      ['**a', /\*\* must stand alone/],
      ['src/***', /\*\* must stand alone/],
      ['{{{{{{a,b},b},b},b},b},b}', /nested 5 deep/],
      ['{a,b}'.repeat(30), /too many patterns/],
      ['{,}'.repeat(30), /too many patterns/],
    ];
    for (const [pattern, error] of cases) {
      const result = parseGlob(pattern);
      assert.ok('error' in result, pattern);
      assert.match(result.error, error);
    }
  });

  it('agrees with picomatch on sane patterns and paths', () => {
    const name = fc.stringMatching(/^[ab.]{0,2}[ab]$/);
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', 'b', '.', 'ab') },
      { weight: 2, arbitrary: fc.constantFrom('*', '?', '[ab]', '[^a]') },
      { weight: 1, arbitrary: fc.constantFrom('{a,b}', '{ab,.a}') },
    );
    const segment = fc.oneof(
      { weight: 1, arbitrary: fc.constant('**') },
      {
        weight: 3,
        arbitrary: fc
          .array(piece, { minLength: 1, maxLength: 4 })
          // Where it differs: two stars in a row, segments that could be `.` or `..`, and [!a], in which it sees a `!`.
          .filter((pieces) => !pieces.join('').includes('**') && /[ab]/.test(pieces.at(-1) ?? ''))
          .map((pieces) => pieces.join('')),
      },
    );
    const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(pattern, path, (glob, text) => {
        assert.equal(matchesPath(glob, text), picomatch(glob, { dot: true, noextglob: true })(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('matches each text with itself written as a pattern', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (text) => {
        const literal = text.replace(/[\\*?[{]/g, '\\$&');
        assert.ok(matchesGlob(parsed(literal), text, { slash: true }));
        assert.ok(matchesGlob(parsed(literal), text, { slash: false, ignoreCase: true }));
        assert.ok(!matchesGlob(parsed(literal), `${text}x`, { slash: false }));
      }),
    );
  });

  it('costs a step for each character and 32 places of the pattern, whatever the pattern', () => {
    const text = `${'a'.repeat(3000)}!b`;
    for (const [pattern, most] of [
      [`${'*a'.repeat(400)}b`, 13],
      [`${'a*'.repeat(400)}b`, 13],
      [`*${'a'.repeat(400)}c*b`, 13],
      [`${'**/'.repeat(300)}b`, 1],
      [`${'?*'.repeat(400)}b`, 13],
      [`${'{a*b,*a}'.repeat(6)}b`, 64],
      [`${'*[!b]'.repeat(200)}b`, 7],
    ] as const) {
      for (const ignoreCase of [false, true]) {
        const { steps } = runGlob(parsed(pattern), text, { slash: true, ignoreCase });
        assert.ok(steps <= most * text.length, `${pattern.slice(0, 20)}…: ${steps} steps`);
      }
    }
  });

  it('matches patterns that are longer than a machine word', () => {
    const name = 'abcdefghij'.repeat(12);
    for (let cut = 0; cut < name.length; cut++) {
      const [head, tail] = [name.slice(0, cut), name.slice(cut)];
      for (const pattern of [
        `${head}*${tail}`,
        `${head}?${tail.slice(1)}`,
        `**/${name}`,
        `${'a/'.repeat(cut)}**/${name}`,
      ])
        assert.ok(matchesPath(pattern, `${pattern.startsWith('a/') ? 'a/'.repeat(cut) : ''}${name}`), pattern);
      for (const pattern of [`x/${head}/**/${tail}`, `x/${head}/**`]) {
        if (cut === 0) continue;
        assert.ok(matchesPath(pattern, `x/${head}/${tail}`), pattern);
        assert.ok(!matchesPath(pattern, `x/${head}y/${tail}`), pattern);
      }
      assert.ok(!matchesPath(`${head}*${tail}`, `${name}x`));
      assert.ok(!matchesPath(`${head}?${tail}`, name));
    }
  });

  it('tells what a pattern may cost: nothing for one that is a text', () => {
    assert.equal(costOfGlob(parsed('src/a\\*.ts')), 0);
    assert.ok(costOfGlob(parsed('{a,b}{c,d}*')) >= 4 * 3);
    assert.ok(costOfGlob(parsed('{a,b}{c,d}')) >= 4 * 2);
    assert.ok(costOfGlob(parsed('*a'.repeat(100))) >= 100);
  });
});

function parsed(pattern: string): Glob {
  const glob = parseGlob(pattern);
  assert.ok(!('error' in glob), `${pattern}: ${'error' in glob ? glob.error : ''}`);
  return glob;
}

function matchesPath(pattern: string, text: string): boolean {
  return matchesGlob(parsed(pattern), text, { slash: true });
}
