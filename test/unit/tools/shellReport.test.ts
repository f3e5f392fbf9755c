import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';

import { readReport, reportingScript } from '../../../src/tools/shellReport.ts';

const NONCE = 'nonce-1';

function runIn(shell: string, command: string): { stdout: string; stderr: string; status: number | null } {
  const env = { PATH: process.env['PATH'], ODD: 'a=b\nc', 'NO.IDENTIFIER': '1' };
  const args = ['-c', reportingScript(shell, NONCE), shell, command];
  return spawnSync(shell, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
}

describe('what a shell tells of itself', () => {
  for (const shell of ['/bin/bash', '/bin/sh'])
    it(`is its folder and what it exports, in ${shell}`, () => {
      const command = `cd '${tmpdir()}'; export NEW="1 2"; echo out; echo err >&2; echo "$# $0"; exit 4`;
      const { stdout, stderr, status } = runIn(shell, command);
      assert.equal(stdout, `out\nerr\n0 ${shell}\n`);
      assert.equal(status, 4);
      const { folder, variables } = readReport(Buffer.from(stderr), NONCE)!;
      assert.equal(folder, realpathSync(tmpdir()));
      assert.equal(variables.get('NEW'), '1 2');
      assert.equal(variables.get('ODD'), 'a=b\nc');
      assert.equal(variables.get('PATH'), process.env['PATH']);
    });

  it('counts the lines of the command as they are', () => {
    assert.match(runIn('/bin/bash', 'true\nno-such-program').stdout, /line 2: no-such-program/);
  });

  it('is nothing when it did not come whole', () => {
    const read = (text: string) => readReport(Buffer.from(text), NONCE);
    assert.equal(read(''), undefined);
    assert.equal(read(`noise${NONCE}\0/a\n\0A=1\0`), undefined);
    assert.equal(read(`other\0/a\n\0A=1\0other\0`), undefined);
    assert.deepEqual(read(`noise${NONCE}\0/a\n\n\0A=1\0=\0B=\0${NONCE}\0`), {
      folder: '/a\n',
      variables: new Map([
        ['A', '1'],
        ['B', ''],
      ]),
    });
  });
});
