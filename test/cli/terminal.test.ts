import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { MockProvider, type Reply } from '../support/mockProvider.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { ensureBuilt, hasTerminal, Place } from './polyglav.ts';

describe('polyglav at a terminal', function () {
  this.timeout(30_000);
  const folder = useTempFolder();
  let place: Place;
  let mock: MockProvider | undefined;

  before(function () {
    if (!hasTerminal) this.skip();
    ensureBuilt();
  });
  beforeEach(async () => {
    place = new Place(folder.path);
    await place.make();
  });
  afterEach(async () => {
    await mock?.stop();
    mock = undefined;
  });

  async function withReplies(replies: Reply[]): Promise<void> {
    mock = await MockProvider.start({ strict: true, replies });
    await place.configure({
      model: 'mock/mock-model',
      providers: { mock: { type: 'openai-chat', base_url: mock.url } },
    });
  }

  it('asks before a call, and takes no key that was pressed before the question for its answer (P3)', async () => {
    await withReplies([
      [{ call: 'file_write', arguments: { path: 'a.txt', content: 'A\n' } }],
      [{ call: 'file_write', arguments: { path: 'b.txt', content: 'B\n' } }],
      [{ text: 'Done.' }],
    ]);
    const { code } = await place.runAtTerminal(['run', '--session-id', 's', 'write'], async ({ type, sees }) => {
      type('y\ny\ny');
      await sees('Write a.txt');
      await wait(300);
      assert.equal(existsSync(place.file('a.txt')), false);
      type('y\ry\r');
      await sees('Write b.txt');
      await wait(300);
      assert.equal(existsSync(place.file('b.txt')), false);
      type('n\r');
    });
    assert.equal(code, 0);
    const { permissions } = await place.session('s');
    assert.deepEqual(
      permissions.map(({ by }) => by),
      ['once', 'refused'],
    );
  });

  it('says once that a session cannot be saved', async () => {
    await place.run(['run', '--session-id', 's', '--model', 'demo/demo', 'hello']);
    const { code, screen } = await place.runAtTerminal(['continue', 's'], async ({ type, sees }) => {
      await sees('> ');
      await rm(place.file('.polyglav', 'sessions'), { recursive: true });
      await writeFile(place.file('.polyglav', 'sessions'), '');
      type('again\r');
    });
    assert.equal(code, 1);
    const told = screen.split('\n').filter((line) => line.includes('could not be saved'));
    assert.equal(told.length, 1, screen);
    assert.match(told[0]!, /^The session could not be saved: .*[^.]\. Nothing was sent\.\r$/);
  });

  it('deletes a session only after a yes to the question that is shown', async () => {
    await place.run(['run', '/session new mine']);
    const no = await place.runAtTerminal(['sessions', 'delete', 'mine'], async ({ type, sees }) => {
      type('y\n');
      await sees('Really?');
      type('\r');
    });
    assert.equal(no.code, 130);
    assert.deepEqual(await place.sessions(), ['mine']);
    const slash = await place.runAtTerminal(['run', '/sessions delete mine'], async ({ type, sees }) => {
      await sees('Really?');
      type('n\r');
    });
    assert.equal(slash.code, 130);
    assert.match(slash.screen, /The session `mine` was not deleted\./);
    assert.deepEqual(await place.sessions(), ['mine']);
    const yes = await place.runAtTerminal(['sessions', 'delete', 'mine'], async ({ type, sees }) => {
      await sees('Really?');
      type('y\r');
    });
    assert.equal(yes.code, 0);
    assert.deepEqual(await place.sessions(), []);
  });
});
