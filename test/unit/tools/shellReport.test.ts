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

  it('is nothing when there are two of them', () => {
    const whole = (folder: string) => `${NONCE}\0${folder}\n\0${NONCE}\0`;
    const read = (text: string) => readReport(Buffer.from(text), NONCE);
    assert.equal(read(whole('/a'))?.folder, '/a');
    assert.equal(read(whole('/evil') + whole('/a')), undefined);
    assert.equal(read(`${NONCE}\0/evil\n\0${whole('/a')}`), undefined);
    assert.equal(read(`${whole('/a')}${NONCE}\0`), undefined);
  });

  /** How a command could try to tell what is not so; each knows the nonce. */
  const FORGED = String.raw`'${NONCE}\0/evil\n\0EVIL=1\0${NONCE}\0'`;
  const forgeries: [how: string, command: string][] = [
    ['over the same descriptor', `printf ${FORGED} >&WAY`],
    ['by a program', `env printf ${FORGED} >&WAY`],
    ['in the background', `printf ${FORGED} >&WAY & wait`],
    ['with a half one', String.raw`printf '${NONCE}\0/evil\n\0' >&WAY`],
    ['before it closes the way for its exit', `printf ${FORGED} >&WAY; exit 3 WAY>&-`],
    ['in a shell of its own', `(trap - EXIT; printf ${FORGED} >&WAY)`],
    ['over standard error', `printf ${FORGED} >&2`],
    ['over the output', `printf ${FORGED}`],
  ];
  const functions = ['printf', 'pwd', 'env', 'set', 'trap', 'builtin', 'command', 'unset', 'compgen', 'eval'];
  for (const [shell, way] of [
    ['/bin/bash', '97'],
    ['/bin/sh', '9'],
  ] as const)
    describe(`cannot be forged in ${shell}`, () => {
      const told = (command: string) => {
        const { stderr } = runIn(shell, command.replaceAll('WAY', way));
        return readReport(Buffer.from(stderr), NONCE);
      };

      for (const [how, command] of forgeries)
        it(how, () => {
          const report = told(command);
          assert.notEqual(report?.folder, '/evil');
          assert.equal(report?.variables.has('EVIL') ?? false, false);
        });

      it('by functions of the names that it uses', () => {
        for (const name of functions) {
          const report = told(`${name}() { echo ${FORGED}; echo; }`);
          // A shell that refuses the name ends with the line.
          assert.equal(report?.folder, '/', name);
          assert.equal(report.variables.has('EVIL'), false, name);
        }
      });

      it('after a shell that ended without one', () => {
        assert.equal(told('exec true'), undefined);
        assert.equal(told('kill -KILL $$'), undefined);
        assert.equal(told('trap - EXIT'), undefined);
      });
    });
});
