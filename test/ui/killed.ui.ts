/** The extension host is killed while a command runs. */
import assert from 'node:assert/strict';
import { isRunning } from '../support/processes.ts';
import { Chat } from './harness/chat.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

describe('an extension host that is killed', () => {
  let window: Workbench;
  let chat: Chat;
  before(async function () {
    if (process.platform !== 'linux') this.skip();
    window = await openWorkbench();
    chat = new Chat(window);
    await window.openChat();
  });
  after(() => window.dispose());

  it('leaves none of its commands running (T7)', async () => {
    await chat.send(
      'run echo $PPID > host; setsid sleep 300 > /dev/null 2>&1 & echo $! > away; sleep 300 & echo $! > here; wait',
    );
    await window.modal('Run echo');
    await window.answerModal('Allow Once');
    const pid = (name: string) => (window.exists(name) ? Number(window.read(name)) : 0);
    const [host, ...commands] = await until(() => {
      const pids = ['host', 'away', 'here'].map(pid);
      return pids.every((each) => each > 1) && pids;
    }, 'the command');
    assert.deepEqual(commands.map(isRunning), [true, true]);
    process.kill(host!, 'SIGKILL');
    await until(() => !commands.some(isRunning), 'the end of the command');
  });
});
