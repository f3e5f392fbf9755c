import assert from 'node:assert/strict';

import { childEnvironment } from '../../../src/tools/childEnvironment.ts';

describe('the environment of child processes', () => {
  it('has no key in it, under whatever name (R15)', () => {
    const env = {
      MY_KEY: 'sk-abcdefgh',
      COPY: 'sk-abcdefgh',
      HEADER: 'Bearer sk-abcdefgh',
      PATH: '/bin',
      HOME: '/root',
    };
    assert.deepEqual(childEnvironment(['MY_KEY', 'NOT_SET'], {}, env), { PATH: '/bin', HOME: '/root' });
  });

  it('has no copy of a key in it that stands in its own variable with a line break', () => {
    const env = { MY_KEY: ' sk-abcdefgh\n', COPY: 'sk-abcdefgh', PATH: '/bin' };
    assert.deepEqual(childEnvironment(['MY_KEY'], {}, env), { PATH: '/bin' });
    assert.deepEqual(childEnvironment(['MY_KEY'], {}, { MY_KEY: '       1\n', CI: '1' }), { CI: '1' });
  });

  it('leaves a variable alone that only shares a short value', () => {
    assert.deepEqual(childEnvironment(['MY_KEY'], {}, { MY_KEY: '1', CI: '1' }), { CI: '1' });
    assert.deepEqual(childEnvironment(['MY_KEY'], {}, { MY_KEY: '', CI: '' }), { CI: '' });
  });

  it('has nothing that only the editor needs', () => {
    const env = { ELECTRON_RUN_AS_NODE: '1', VSCODE_IPC_HOOK: 'x', EDITOR: 'vi' };
    assert.deepEqual(childEnvironment([], { PAGER: 'cat' }, env), { EDITOR: 'vi', PAGER: 'cat' });
  });
});
