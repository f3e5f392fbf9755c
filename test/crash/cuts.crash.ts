/** A writer whose every call to the disk is recorded, cut off after each of them, and inside of writes at each byte (R6, A01). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import fsp from 'node:fs/promises';
import { setImmediate as soon } from 'node:timers/promises';
import { dirname, join } from 'node:path';

import { renameOver, syncFolder, writeAll, writeNew } from '../../src/session/disk.ts';
import type { SessionEvent } from '../../src/session/events.ts';
import type { Session } from '../../src/session/schema.ts';
import { SessionStore } from '../../src/session/store.ts';
import { sessionOf } from '../support/arbitraryRecords.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { canonical } from './canonical.ts';
import { filesAfter, putFiles, TracedDisk, type Call, type Loss } from './tracedDisk.ts';

/** 1: each call and each byte. `npm test` takes some of them. */
const STEP = process.env['POLYGLAV_CRASH'] === 'short' ? 7 : 1;

const LOSSES: Record<string, Loss> = {
  'the process was killed': { data: false, names: false },
  'contents were lost that were not synced': { data: true, names: false },
  'names were lost that were not synced': { data: false, names: true },
  'all was lost that was not synced': { data: true, names: true },
};

describe('a crash at any instant', function () {
  this.timeout(20 * 60_000);
  const folder = useTempFolder();
  const at = '2026-08-17T12:00:00.123+00:00';

  /** Two and a half turns, with what goes beside them. */
  function* script(): Generator<SessionEvent> {
    for (let index = 1; index <= 3; index++) {
      yield { type: 'turn_started', at, turn: { index, started_at: at, status: 'running', mode: 'build', parts: [] } };
      yield { type: 'part_added', at, part: { type: 'user', text: `Prompt ${index} 🙂`, timestamp: at } };
      yield { type: 'part_added', at, part: { type: 'text', text: '', timestamp: at } };
      yield { type: 'part_extended', at, text: 'I lo' };
      yield { type: 'part_extended', at, text: 'ok.' };
      for (const part of [2, 3]) {
        yield { type: 'part_added', at, part: { type: 'tool', name: 'x', input: { part }, timestamp: at, round: 1 } };
        yield {
          type: 'permission',
          at,
          entry: { tool: 'x', action: 'allow', decision: 'granted', timestamp: at, turn: index, part: part + 1 },
        };
      }
      yield { type: 'part_filled', at, part: 3, fill: { output: `second of ${index}`, is_error: false } };
      yield { type: 'error', at, entry: { code: 500, message: `Busy ${index}`, timestamp: at } };
      yield { type: 'part_filled', at, part: 2, fill: { output: `first of ${index}`, is_error: false } };
      if (index < 3) yield { type: 'turn_ended', at, status: 'ok', usage: { input_tokens: index } };
    }
  }

  /** Runs the script on a new session; checkpoints begin now and then while events go on. */
  async function trace(): Promise<{ calls: Call[]; states: string[] }> {
    const disk = new TracedDisk(folder.path);
    try {
      const file = await new SessionStore(folder.path, { version: '1.0.0' }).create({ name: 'notes' });
      const states = [canonical(file.session)];
      disk.acknowledge(0);
      const flushed: Promise<void>[] = [];
      let count = 0;
      for (const event of script()) {
        const number = ++count;
        const appended = file.append(event);
        states.push(canonical(file.session));
        if (event.type === 'part_extended') continue; // of what streams half a second may be lost
        const told = appended.then(() => disk.acknowledge(number));
        // One by one, and several at a time.
        if (number % 5 !== 0) await told;
        if (number % 4 === 0) flushed.push(file.flush());
        if (number % 3 === 0) await soon();
      }
      await Promise.all(flushed);
      await file.close();
      disk.acknowledge(count);
      return { calls: disk.calls, states };
    } finally {
      disk.stop();
    }
  }

  const root = () => join(folder.path, 'crashed');
  const store = () => new SessionStore(root(), { version: '1.0.0' });

  /** What the next reader, the next owner and any other program find. */
  async function check(files: Map<string, Buffer>, states: readonly string[], acknowledged: number): Promise<void> {
    putFiles(root(), withoutLocks(files));
    const read = await store().read('notes');
    const count = states.indexOf(canonical(read));
    assert.ok(count >= 0, `it holds what was never said: ${canonical(read)}`);
    assert.ok(count >= acknowledged, `${acknowledged} events were acknowledged, and ${count} are there`);

    const { file } = await store().open('notes');
    assert.equal(canonical(file.session), canonical(read), 'the next owner has another record than a reader');
    await file.append({ type: 'error', at, entry: { code: 0, message: 'After the crash.', timestamp: at } });
    await file.close();
    const text = readFileSync(join(store().dir, 'notes.json'), 'utf8');
    assert.equal(canonical(JSON.parse(text) as Session), canonical(file.session), 'the file does not stand by itself');
    assert.deepEqual(journals(), []);
  }

  const journals = () => readdirSync(join(store().dir, '.journal')).filter((name) => name.endsWith('.jsonl'));

  for (const [what, loss] of Object.entries(LOSSES))
    it(`loses nothing that was acknowledged after any call when ${what}`, async () => {
      const { calls, states } = await trace();
      let cuts = 0;
      for (let end = begin(calls); end <= calls.length; end += STEP, cuts++) {
        const before = calls.slice(0, end);
        await check(filesAfter(before, loss), states, acknowledgedIn(before)).catch(failing(calls, end));
      }
      console.log(`      ${cuts} cuts after one of ${calls.length} calls`);
    });

  it('loses nothing at any byte of a write', async () => {
    const { calls, states } = await trace();
    const names = new Map(calls.flatMap((call) => (call.do === 'create' ? [[call.file, call.path] as const] : [])));
    let cuts = 0;
    for (const [kind, most] of [
      [/\.jsonl$/, 4], // an entry of the journal, or its beginning
      [/notes\.json/, 3], // the end of the file
    ] as const) {
      const writes = calls.flatMap((call, position) =>
        call.do === 'write' && position >= begin(calls) && kind.test(names.get(call.file) ?? '') ? [position] : [],
      );
      // From the last ones, where there is most before them.
      for (const position of writes.slice(-most)) {
        const { bytes } = calls[position] as Extract<Call, { do: 'write' }>;
        const before = calls.slice(0, position + 1);
        for (let cut = 0; cut < bytes.length; cut += STEP, cuts++)
          await check(filesAfter(before, { data: false, names: false }, cut), states, acknowledgedIn(before)).catch(
            failing(calls, position, cut),
          );
      }
    }
    console.log(`      ${cuts} cuts inside of writes`);
  });

  it('loses nothing when the recovery is cut off too', async () => {
    const { calls, states } = await trace();
    let cuts = 0;
    for (let end = begin(calls); end <= calls.length; end += 5 * STEP) {
      const before = calls.slice(0, end);
      const left = withoutLocks(filesAfter(before, { data: false, names: false }));
      putFiles(root(), left);
      const disk = new TracedDisk(root());
      for (const [path, content] of left) disk.add(join(root(), path), content);
      const first = disk.calls.length;
      try {
        await (await store().open('notes')).file.close();
      } finally {
        disk.stop();
      }
      for (let second = first; second <= disk.calls.length; second++)
        for (const loss of Object.values(LOSSES)) {
          const after = filesAfter(disk.calls.slice(0, second), loss);
          await check(after, states, acknowledgedIn(before)).catch(failing(disk.calls, second));
          cuts++;
        }
    }
    console.log(`      ${cuts} cuts of a recovery`);
  });

  for (const [what, change] of Object.entries({
    'replaced by another one': async (path: string, theirs: Buffer) => {
      await writeNew(`${path}.theirs`, [theirs]);
      await renameOver(`${path}.theirs`, path);
      await syncFolder(dirname(path));
    },
    'overwritten in place': async (path: string, theirs: Buffer) => {
      const handle = await fsp.open(path, 'r+');
      await writeAll(handle, theirs, 0);
      await handle.truncate(theirs.length);
      await handle.sync();
      await handle.close();
    },
  }))
    it(`has one version or the other, whole, when the file was ${what} under its owner, and keeps theirs`, async () => {
      const foreign = sessionOf([], { session_id: 'k3x9ab', sub_sessions: ['sub_20260817_120100_cd34ef'] });
      const theirs = Buffer.from(JSON.stringify(foreign));
      const disk = new TracedDisk(folder.path);
      const states: string[] = [];
      let changed = 0;
      try {
        const file = await new SessionStore(folder.path, { version: '1.0.0' }).create({ name: 'notes' });
        states.push(canonical(file.session));
        for (const event of script()) {
          const written = file.append(event);
          states.push(canonical(file.session));
          if (event.type === 'part_extended') continue;
          await written;
          disk.acknowledge(states.length - 1);
          if (event.type !== 'turn_ended' || event.usage?.input_tokens !== 2) continue;
          await file.flush();
          await change(file.path, theirs);
          changed = disk.calls.length;
        }
        await file.flush();
        const rewritten = disk.calls.length;
        await file.close();
        assert.ok(
          disk.calls.slice(changed, rewritten).some((call) => call.do === 'link'),
          'it was not kept aside',
        );
      } finally {
        disk.stop();
      }
      let cuts = 0;
      for (const loss of Object.values(LOSSES))
        for (let end = changed; end <= disk.calls.length; end++, cuts++) {
          const files = filesAfter(disk.calls.slice(0, end), loss);
          assert.ok(
            [...files.values()].some((content) => content.equals(theirs)),
            `call ${end}: theirs is gone`,
          );
          putFiles(root(), withoutLocks(files));
          const read = await store().read('notes').catch(failing(disk.calls, end));
          if (canonical(read) === canonical(foreign)) continue;
          const count = states.indexOf(canonical(read));
          const acknowledged = acknowledgedIn(disk.calls.slice(0, end));
          assert.ok(count >= acknowledged, `${acknowledged} events were acknowledged, and ${count} are there`);
        }
      putFiles(root(), withoutLocks(filesAfter(disk.calls, { data: true, names: true })));
      assert.equal(canonical(await store().read('notes')), states.at(-1));
      console.log(`      ${cuts} cuts of a rewriting`);
    });

  it('has a trace in which all of it happens', async () => {
    const { calls } = await trace();
    assert.ok(existsSync(join(folder.path, '.polyglav', 'sessions', 'notes.json')));
    const journals = calls.filter((call) => call.do === 'create' && call.path.endsWith('.jsonl'));
    assert.ok(journals.length >= 4, `${journals.length} checkpoints`);
    const files = filesAfter(calls, { data: true, names: true });
    assert.deepEqual(
      files.get('.polyglav/sessions/notes.json'),
      readFileSync(join(folder.path, '.polyglav', 'sessions', 'notes.json')),
      'the traced calls do not give the real file',
    );
    // An event was acknowledged between the beginning and the end of a checkpoint.
    const doing = calls.map((call) =>
      call.do === 'truncate' ? 'T' : call.do === 'acknowledged' ? 'a' : call.do === 'create' ? 'c' : '',
    );
    assert.match(doing.join(''), /ca+T/);
  });
});

/** From where on the session is promised to be there. */
function begin(calls: readonly Call[]): number {
  return calls.findIndex((call) => call.do === 'acknowledged') + 1;
}

function acknowledgedIn(calls: readonly Call[]): number {
  return Math.max(0, ...calls.map((call) => (call.do === 'acknowledged' ? call.count : 0)));
}

/** Whoever held the session is dead. */
function withoutLocks(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  return new Map([...files].filter(([path]) => !path.includes('.lock.') && !path.endsWith('.tmp')));
}

function failing(calls: readonly Call[], end: number, cut?: number): (error: unknown) => never {
  return (error) => {
    const last = calls.slice(Math.max(0, end - 12), end).map((call) => `    ${describeCall(call)}`);
    throw new Error(`after call ${end}${cut === undefined ? '' : `, byte ${cut}`}:\n${last.join('\n')}`, {
      cause: error,
    });
  };
}

function describeCall(call: Call): string {
  return call.do === 'write' ? `write ${call.file} at ${call.at}: ${call.bytes.length} bytes` : JSON.stringify(call);
}
