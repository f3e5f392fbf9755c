import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';

import { narrowestPattern } from '../../../src/permissions/commandPattern.ts';
import { readShellLine, type ShellReading } from '../../../src/permissions/shell/readLine.ts';
import type { ShellWord } from '../../../src/permissions/shell/word.ts';
import { useTempFolder } from '../../support/tempFolder.ts';
import { Canaries, hasBash } from './canaries.ts';

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const shown = ({ commands, ask }: ShellReading) =>
  JSON.stringify({ commands: commands.map((words) => words.map(String)), ask });

/** Words and lines that a shell takes, mostly; `strange` parts are what is easily read wrong. */
function lines(strange: boolean): fc.Arbitrary<string> {
  const plain = fc.constantFrom(
    'a',
    'b',
    '-x',
    'p1',
    '"a b"',
    "'q r'",
    '"$x"',
    '$x',
    'a\\ b',
    '{a,b}',
    '*',
    '1',
    '"d"e\'f\'',
    "$'p\\x32'",
  );
  const odd = fc.constantFrom(
    ...[
      '#h',
      'a#h',
      '!',
      'if',
      'then',
      '{',
      '}',
      'in',
      'do',
      'done',
      '2',
      '>/dev/null',
      '2>&1',
      '<f',
      '<<<w',
      '-c',
      '"p2 $(p3)"',
      '=',
      'a=',
    ],
    ...[
      '$',
      '\\;',
      '&',
      '[',
      ']',
      '[[',
      'a$',
      '"$ $(p3)"',
      '${x:-$(p3)}',
      '$((1+1))',
      '`p3 t`',
      '<(p3 v)',
      '\\\n',
      '\t',
      '',
      '~',
      'x=1',
      '-exec',
      '{}',
      '1>&2',
      '+',
    ],
  );
  const others = fc.constantFrom(
    ...['env', 'xargs', 'eval', 'command', 'timeout 1', 'nice', 'exec', 'find . -exec', 'cat', 'true', 'time', 'echo'],
    ...(strange
      ? ['bash -c', '!', 'trap', '[', '[[', 'test', 'cd', 'x=1', 'y=$(p1)', 'coproc', 'read x', 'set --']
      : []),
  );
  const canary = fc.constantFrom(
    'p1',
    'p2',
    'p3',
    ...(strange ? ['\\p1', 'p"1"', 'env p1', 'xargs p2', 'eval p3', 'time p1'] : []),
  );
  const name = fc.oneof({ weight: 2, arbitrary: canary }, { weight: 1, arbitrary: others });
  const word = strange ? fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: odd }) : plain;
  const blank = strange ? fc.constantFrom(' ', ' ', ' ', ' ', ' ', '\t', '  ', ' \\\n', '') : fc.constant(' ');
  const command = fc
    .tuple(name, fc.array(fc.tuple(blank, word), { maxLength: 3 }))
    .map(([first, rest]) => first + rest.map(([gap, each]) => gap + each).join(''));
  const document = fc
    .tuple(
      fc.constantFrom('E', "'E'", ...(strange ? ['"E"', '\\E', '-E', ' E'] : [])),
      fc.constantFrom('', ' | p2', ' && p2', ...(strange ? [' b', '; p2 a'] : [])),
      fc.constantFrom(
        'x',
        '$(p1 h)',
        '$x',
        ...(strange ? ['`p1 h`', '\\$(p1 h)', '\tE', ' E', '"', '${x:-$(p1)}'] : []),
      ),
    )
    .map(([end, after, body]) => `cat <<${end}${after}\n${body}\nE`);
  const { line } = fc.letrec<{ line: string; statement: string }>((tie) => ({
    statement: fc.oneof(
      { depthSize: 'small' },
      command,
      command,
      tie('line').map((inner) => `( ${inner}\n)`),
      tie('line').map((inner) => `{ ${inner}\n}`),
      tie('line').map((inner) => `if ${inner}\nthen ${inner}\nfi`),
      tie('line').map((inner) => `for x in a b; do ${inner}\ndone`),
      tie('line').map((inner) => `case a in a) ${inner}\n;; esac`),
      tie('line').map((inner) => `echo "a $( ${inner}\n) b"`),
      tie('line').map((inner) => `cat <( ${inner}\n)`),
      tie('line').map((inner) => `bash -c ${quote(inner)}`),
      tie('line').map((inner) => `eval ${quote(inner)}`),
      tie('statement').map((inner) => `! ${inner}`),
      document.map((text) => `${text}\n`),
    ),
    line: fc
      .tuple(
        tie('statement'),
        fc.array(fc.tuple(fc.constantFrom(' && ', ' || ', ' | ', '; ', '\n', ' & '), tie('statement')), {
          maxLength: 2,
        }),
      )
      .map(
        ([first, rest]) =>
          first + rest.map(([separator, each]) => (first.endsWith('\n') ? each : separator + each)).join(''),
      ),
  }));
  if (!strange) return line;
  const change = fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.constantFrom(
      '',
      '"',
      "'",
      '`',
      '\\',
      '$',
      '(',
      ')',
      '{',
      '}',
      ';',
      '&',
      '|',
      '#',
      ' ',
      '\n',
      '<<',
      '\u00a0',
      '\r',
      'p1',
    ),
  );
  const changed = fc.tuple(line, fc.array(change, { minLength: 1, maxLength: 2 })).map(([text, changes]) =>
    changes.reduce((whole, [place, gone, put]) => {
      const at = place % (whole.length + 1);
      return whole.slice(0, at) + put + whole.slice(at + gone);
    }, text),
  );
  return fc.oneof(line, changed);
}

describe('laws of shell lines', function () {
  this.timeout(120_000);
  const folder = useTempFolder();
  const read = (line: string) => readShellLine(line, { cwd: folder.path, home: '/nonexistent' });

  it('any text is read, in bounded time', async () => {
    const pieces = fc.constantFrom(
      ...[
        '(',
        ')',
        '{',
        '}',
        '$(',
        '${',
        '$((',
        '`',
        '"',
        "'",
        '\\',
        '<<',
        '<<E\n',
        'E\n',
        '|',
        '&',
        ';',
        '\n',
        '#',
        '[[',
        ']]',
        '<(',
        '\0',
        '\ud800',
      ],
      ...[
        'if ',
        'then ',
        'for ',
        'in ',
        'do ',
        'case ',
        'esac',
        'function ',
        'time ',
        'coproc ',
        'eval ',
        'bash -c ',
        '~',
        '*',
        '=',
        'a',
        ' ',
        '../',
      ],
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (line) => {
        const { commands, ask } = await read(line);
        assert.ok(Array.isArray(commands) && Array.isArray(ask));
      }),
      { numRuns: 500 },
    );
    const long = [
      '(',
      ')',
      'a;',
      '$(',
      '`',
      '{ ',
      '<',
      'a=(',
      'a<(',
      '${a:-',
      '"$(',
      '<<E ',
      '[[',
      '((',
      '\\',
      '$x/..,',
      'x,../',
      "eval '",
      'cd a;',
      'a/b ',
      '*/b ',
      '{a,b}/',
      'x/{1..9}{1..9} ',
      'xargs ',
      'sudo ',
      "find . -exec a ';' ",
      "bash -c 'a;a;a';",
      'x=$x$x;',
      'cat <<a\n$x\na\n',
    ];
    const wholes = [
      ...long.map((piece) => piece.repeat(16_000 / piece.length)),
      `sed 's/${'[^a]'.repeat(60)}!/x/q' a`,
      `sed 's/${'[^a]'.repeat(3900)}!/x/q' a`,
      `ls ${'{1..10}'.repeat(20)}`,
      `ls ${'*/'.repeat(7900)}`,
      `ls ${'~a:'.repeat(5000)}`,
      `ls ${Array.from({ length: 1500 }, (_, index) => `-Ca${index}`).join(' ')}`,
      `git ${'-C a '.repeat(3000)}push`,
    ];
    for (const line of wholes) {
      const gaps = [];
      for (let run = 0; run < 3; run++) gaps.push(await longestGap(() => read(line)));
      // Each is about a tenth of a second at most; a busy machine may add to one of them.
      assert.ok(Math.min(...gaps) < 500, `${line.slice(0, 40)} ${gaps.join()}`);
    }
    for (const piece of long)
      assert.notEqual((await read(piece.repeat(1_000_000 / piece.length))).ask.length, 0, piece);
    assert.deepEqual((await read('a '.repeat(1000))).commands.length, 1);
  });

  it('what is put around a line hides none of its commands', async () => {
    const around: ((line: string) => string)[] = [
      (line) => `( ${line}\n)`,
      (line) => `{ ${line}\n}`,
      (line) => `echo $( ${line}\n)`,
      (line) => `echo "$( ${line}\n)"`,
      (line) => `cat <( ${line}\n)`,
      (line) => `if true; then ${line}\nfi`,
      (line) => `while true; do ${line}\ndone`,
      (line) => `f() { ${line}\n}`,
      (line) => `case x in x) ${line}\n;; esac`,
      (line) => `bash -c ${quote(line)}`,
      (line) => `eval ${quote(line)}`,
      (line) => `cat <<E\n$( ${line}\n)\nE`,
      (line) => `${line}\nrm x`,
      (line) => `rm x; ${line}`,
    ];
    const keys = (reading: ShellReading) => reading.commands.map((words) => JSON.stringify(words.map(String)));
    await fc.assert(
      fc.asyncProperty(lines(false), fc.constantFrom(...around), async (line, wrap) => {
        const inner = await read(line);
        const outer = await read(wrap(line));
        // What the grammar cannot take is asked; what is no line by itself may end what stands around it.
        if ([...inner.ask, ...outer.ask].some((reason) => reason.startsWith('cannot be parsed'))) return;
        for (const key of keys(inner)) assert.ok(keys(outer).includes(key), `${wrap(line)} ${shown(outer)}`);
        if (wrap('x').includes('rm x')) assert.ok(keys(outer).includes('["rm","x"]'), `${wrap(line)} ${shown(outer)}`);
        if (inner.ask.length > 0) assert.notEqual(outer.ask.length, 0);
      }),
      { numRuns: 300 },
    );
  });

  it('a narrowest pattern is a line that is read as the same words', async () => {
    const word = fc.string({ unit: fc.constantFrom(...Array.from('ab*?[]{},\\\'"!^-$` ;&|<>()#~=/.')), maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async (words) => {
        const pattern = narrowestPattern(['p1', ...words]);
        assert.ok(pattern !== undefined);
        assert.deepEqual((await read(pattern)).commands, [['p1', ...words]]);
      }),
      { numRuns: 300 },
    );
  });

  it('words are those that bash makes', async function () {
    if (!hasBash) return this.skip();
    const sources = [
      ...[
        'a',
        '"a b"',
        "'a b'",
        'a"b"\'c\'',
        'a\\ b',
        '\\a',
        '\\\\',
        "'\\'",
        '"\\a\\"\\\\\\$\\`"',
        '"a\\\nb"',
        '""',
        "''",
        'a""',
        '"a"\'\'',
        '-x="a b"',
      ],
      ...[
        "$'a\\n\\t\\x41\\101\\''",
        "$'\\e'",
        'é',
        '"日本"',
        'a=b',
        'a,b',
        '{}',
        '{a}',
        'a{b',
        '}',
        'a]',
        ']',
        'a#b',
        '%',
        '@',
        '^',
        '!',
        'a!b',
      ],
      ...[
        '"$"',
        '"a$"',
        'a$',
        '$',
        '\\*',
        '"*"',
        "'?'",
        '\\~',
        '"~"',
        'a~',
        '\\{a,b}',
        '{a\\,b}',
        '"{a,b}"',
        '\\#',
        '-',
        '--',
        '"\\\'"',
        "'\"'",
        '"a\nb"',
        '"  a  "',
      ],
      ...[
        '{a,b}',
        '{1..3}',
        '{a..c}x',
        '$HOME',
        '~',
        '"$x"',
        '$x',
        '*',
        '?',
        'a[bc]',
        '$(echo a)',
        '`echo a`',
        '$((1+1))',
        'x{a,"b c"}',
        '~+',
        'a=~',
      ],
    ];
    for (const source of sources) {
      const [words = []] = (await read(`p1 ${source}`)).commands.slice(-1);
      const got = execFileSync('/bin/bash', ['-c', `printf '%s\\0' p1 ${source}`], {
        cwd: folder.path,
        encoding: 'utf8',
      });
      assert.ok(
        covers(words, got.split('\0').slice(0, -1)),
        `${source}: ${JSON.stringify(words.map(String))} ${JSON.stringify(got)}`,
      );
    }
    // Those before the last row are known.
    for (const source of sources.slice(0, -16)) {
      const { commands, ask } = await read(`p1 ${source}`);
      assert.ok(commands[0]?.every((word) => typeof word === 'string') && ask.length === 0, source);
    }
  });

  it('a line that is not asked runs in bash only what is listed, and writes nothing', async function () {
    if (!hasBash) return this.skip();
    const canaries = new Canaries(folder.path);
    await canaries.setUp();
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(lines(true), async (line) => {
        const reading = await read(line);
        if (reading.ask.length > 0) return;
        const { runs, files } = await canaries.run(line);
        ran += runs.length;
        assert.deepEqual(files, []);
        for (const run of runs)
          assert.ok(
            reading.commands.some((words) => covers(words, run)),
            `${JSON.stringify(line)} ran ${JSON.stringify(run)}: ${shown(reading)}`,
          );
      }),
      { numRuns: 600 },
    );
    assert.ok(ran > 25, `only ${ran} programs ran`);
  });
});

/** Whether these are the words, with anything for what was not known. */
function covers(words: readonly ShellWord[], run: readonly string[]): boolean {
  const [word, ...others] = words;
  if (word === undefined) return run.length === 0;
  if (typeof word === 'string') return run[0] === word && covers(others, run.slice(1));
  return run.some((_, index) => covers(others, run.slice(index))) || covers(others, []);
}

/** For how long at most nothing else had its turn, in ms. */
async function longestGap(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  await work();
  look();
  clearInterval(timer);
  return longest;
}
