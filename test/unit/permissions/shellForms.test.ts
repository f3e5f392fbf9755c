/** Lines of what shells and grammars read in different ways, run in a real bash where they are not asked. */
import assert from 'node:assert/strict';
import fc from 'fast-check';

import { readShellLine, type ShellReading } from '../../../src/permissions/shell/readLine.ts';
import { useTempFolder } from '../../support/tempFolder.ts';
import { Canaries, hasBash } from './canaries.ts';

/** Each runs a program or writes a file where a shell takes it so. */
const PAYLOADS = [
  ...[
    '$(p1 c)',
    '`p1 c`',
    '$(>c)',
    '`>c`',
    '$((a[$(p1 c)]))',
    '${z:-$(p1 c)}',
    'a[$(p1 c)]',
    ';p1 c;',
    '\np1 c\n',
    '|p1 c',
  ],
  ...['<(p1 c)', '${v@P}', '${!v}', '$v', '"$v"', '>c', '[v]=1', '[$v]=1', '-v', '%n', 'v', '${v}', '$((v))', '{v[v]}'],
];
const OPERATORS = [':-', '-', ':=', '+', ':+', '#', '##', '%', '/a/', '//', '^', '@', ':', ':?'];
const QUOTES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `'${text}'`,
  (text) => `"${text}"`,
  (text) => `$'${text}'`,
  (text) => `$"${text}"`,
  (text) => `\\${text}`,
  (text) => `\\'${text}\\'`,
  (text) => `\\"${text}\\"`,
  (text) => `'a'${text}`,
  (text) => `a${text}''`,
  (text) => `[${text}]`,
  (text) => `{a,${text}}`,
  (text) => `#${text}`,
  (text) => ` #${text}`,
  (text) => `\\\n${text}`,
  (text) => `*${text}`,
  (text) => `\`echo ${text}\``,
  (text) => `\`echo '\`${text}\`'\``,
  (text) => `$(echo ${text})`,
  (text) => `$((1+${text}))`,
  ...OPERATORS.flatMap((operator) => [
    (text: string) => `\${y${operator}${text}}`,
    (text: string) => `"\${y${operator}${text}}"`,
    (text: string) => `"\${y${operator}'${text}'}"`,
  ]),
];
const STATEMENTS: readonly ((text: string) => string)[] = [
  (text) => `echo ${text}`,
  (text) => `p2 ${text} b`,
  (text) => `cat <<E\n${text}\nE`,
  (text) => `cat <<'E'\n${text}\nE`,
  (text) => `cat <<-E\n\t${text}\n\tE`,
  (text) => `cat <<\\E\n${text}\nE`,
  (text) => `cat <<E <<'F'\n${text}\nE\n${text}\nF`,
  (text) => `cat <<< ${text}`,
  (text) => `case ${text} in a) echo;; esac`,
  (text) => `case a in ${text}) echo;; esac`,
  (text) => `[[ ${text} == a ]]`,
  (text) => `[[ a =~ ${text} ]]`,
  (text) => `[[ ${text} -eq 1 ]]`,
  (text) => `[ ${text} ]`,
  (text) => `[ ${text} = a ]`,
  (text) => `test ${text} "$v"`,
  (text) => `for i in ${text}; do p2 "$i"; done`,
  (text) => `y=${text}; echo "$y"`,
  (text) => `y=(${text}); echo`,
  (text) => `y[${text}]=1; echo`,
  (text) => `echo a {y}>&1 ${text}`,
  (text) => `echo a ${text}>&1`,
  (text) => `printf ${text} v`,
  (text) => `echo a # ${text}\necho b`,
  (text) => `echo \`echo ${text}\``,
  (text) => `echo $(cat <<'E'\n${text}\nE\n)`,
  (text) => `echo $(case a in a) echo ${text};; esac)`,
  (text) => `bash -c "echo ${text}"`,
  (text) => `eval echo ${text}`,
  (text) => `read ${text} < f`,
];
const VARIABLES = ['', '', "v='a[$(p1 v)]'; ", "v='$(p1 v)'; ", 'x=a y=b; ', "v='-v a[$(p1 v)]'; "];

describe('forms of shell lines', function () {
  this.timeout(120_000);
  const folder = useTempFolder();

  const pieces = fc.tuple(
    fc.constantFrom(...STATEMENTS),
    fc.array(fc.constantFrom(...QUOTES), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...PAYLOADS),
  );
  const statement = pieces.map(([put, quotes, payload]) => put(quotes.reduce((text, quote) => quote(text), payload)));
  const line = fc
    .tuple(fc.constantFrom(...VARIABLES), fc.array(statement, { minLength: 1, maxLength: 2 }))
    .map(([variables, statements]) => variables + statements.join('\n'));

  it('run nothing that is not listed and write nothing where they are not asked', async function () {
    if (!hasBash) return this.skip();
    const canaries = new Canaries(folder.path);
    await canaries.setUp();
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(line, async (text) => {
        const reading = await readShellLine(text, { cwd: folder.path, home: '/nonexistent' });
        if (reading.ask.length > 0) return;
        ran++;
        const { runs, files } = await canaries.run(text);
        assert.deepEqual(files, [], JSON.stringify(text));
        for (const [name = ''] of runs) assert.ok(isListed(reading, name), `${JSON.stringify(text)} ran ${name}`);
      }),
      { numRuns: 3000 },
    );
    assert.ok(ran > 100, `only ${ran} lines ran`);
  });
});

/** By its name alone: which words it may get is a law of its own. */
function isListed({ commands }: ShellReading, name: string): boolean {
  return commands.some(([first]) => first === name);
}
