import assert from 'node:assert/strict';

import type { Unsent } from '../../../src/protocol/messages.ts';
import { MemoryFolder } from '../../../src/vscode/memoryFolder.ts';
import { UnsentTexts } from '../../../src/vscode/unsentTexts.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const draft = (at: number, text: string): Unsent => ({ at, draft: text, sends: [], prefilled: [] });

describe('the unsent texts that the host keeps', () => {
  const temp = useTempFolder();
  const open = async () => new UnsentTexts(await MemoryFolder.open(temp.path));

  it('are there in the next window, whatever a session is called', async () => {
    const texts = await open();
    const names = ['', '__proto__', 'constructor', 'ñ'.repeat(125), 'A', 'a'];
    for (const [at, name] of names.entries()) await texts.keep(name, draft(at, `draft of ${name}`));
    const all = (await open()).all();
    assert.deepEqual(
      names.map((name) => new Map(Object.entries(all)).get(name)),
      names.map((name, at) => draft(at, `draft of ${name}`)),
    );
  });

  it('are the last that was written, in whatever order the copies come', async () => {
    const texts = await open();
    await texts.keep('one', draft(2, 'second'));
    await texts.keep('one', draft(1, 'first'));
    assert.deepEqual((await open()).all(), { one: draft(2, 'second') });
  });

  it('of two windows do not overwrite each other', async () => {
    const [here, there] = [await open(), await open()];
    await here.keep('one', draft(1, 'here'));
    await there.keep('two', draft(2, 'there'));
    assert.deepEqual((await open()).all(), { one: draft(1, 'here'), two: draft(2, 'there') });
  });

  it('remember of fifty sessions that nothing is unsent, and all drafts', async () => {
    const texts = await open();
    for (let at = 0; at < 60; at += 1) await texts.keep(`session ${at}`, draft(at, at % 10 === 9 ? 'text' : ''));
    const all = (await open()).all();
    assert.equal(Object.keys(all).length, 56);
    assert.equal(Object.values(all).filter((unsent) => unsent.draft === 'text').length, 6);
    assert.equal('session 0' in all, false);
  });

  it('that nobody can read are forgotten', async () => {
    const memory = await MemoryFolder.open(temp.path);
    await memory.update('unsent-odd', { session: 'x', unsent: { at: 'now' } });
    await memory.update('unsent-odder', 3);
    await new UnsentTexts(memory).keep('one', draft(1, 'text'));
    assert.deepEqual((await open()).all(), { one: draft(1, 'text') });
  });
});
