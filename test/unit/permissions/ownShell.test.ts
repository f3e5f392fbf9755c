import assert from 'node:assert/strict';

import { mayChangeEnvironment } from '../../../src/permissions/shell/ownShell.ts';
import { readShellLine } from '../../../src/permissions/shell/readLine.ts';

const CHANGES = [
  'export X=1',
  'ls; export X=1',
  'f() { export X=1; }; f',
  'if true; then declare -x X; fi',
  'typeset -x X=1',
  'readonly -x X=1',
  'unset X',
  '"export" X=1',
  '\\export X=1',
  '$cmd X=1',
  'command export X=1',
  'builtin export X=1',
  'eval export X=1',
  'eval "$line"',
  "trap 'export X=1' DEBUG",
  'source env.sh',
  '. ./env.sh',
  'X=1',
  'PATH=$PWD:$PATH; ls',
  'http_proxy=x',
  ': ${X:=1}',
  'for X in a b; do ls; done',
  'read X',
  'read $x',
  'printf -v X 1',
  'mapfile X',
  'getopts a X',
  'let X=1',
  'set -a; x=1',
  'set -a',
  'shopt -s x',
  'enable -f ./x.so x',
  'echo "',
  'a\0b',
  '('.repeat(300) + ')'.repeat(300),
];
const KEEPS = [
  '',
  'ls',
  'cd src',
  'cd src && npm test',
  'x=1; echo "$x"',
  'for f in *; do echo "$f"; done',
  'read -r line',
  'printf "%s" X=1',
  'eval ls',
  "trap 'ls' EXIT",
  'echo export X=1',
  'echo a > file',
  'echo a >&97',
  'set -e',
  'git -c a=b log',
];

describe('what a line does to the shell itself', () => {
  for (const line of CHANGES)
    it(`may change the environment: ${JSON.stringify(line.slice(0, 40))}`, async () => {
      assert.equal(await mayChangeEnvironment(line), true);
      const { ask } = await readShellLine(line, { cwd: import.meta.dirname, home: '/nonexistent' });
      assert.notEqual(ask.length, 0, 'is asked');
    });
  for (const line of KEEPS)
    it(`leaves the environment: ${JSON.stringify(line)}`, async () => {
      assert.equal(await mayChangeEnvironment(line), false);
    });
});
