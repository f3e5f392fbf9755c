/** `kill -9` at random moments of runs with many tools (R6, R9): `POLYGLAV_KILLS` of them, 300 when it is not set. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { isKind, type Session } from '../../src/session/schema.ts';
import { SessionStore } from '../../src/session/store.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { buildChild, Child, removeChild } from './children.ts';

const KILLS = Number(process.env['POLYGLAV_KILLS'] ?? 300);
/** After so many a new session is begun. */
const KILLS_PER_SESSION = 25;

describe('a run that is killed', function () {
  this.timeout(30 * 60_000);
  const folder = useTempFolder();
  before(buildChild);
  after(removeChild);

  it(`is there with all that was acknowledged, ran no tool unrecorded, and goes on (${KILLS} times)`, async () => {
    const store = new SessionStore(folder.path, { version: '1.0.0' });
    const at = { opening: 0, streaming: 0, tools: 0 };
    let name = '';
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % KILLS_PER_SESSION === 0) {
        name = `killed-${kill}`;
        await (await store.create({ name })).close();
      }
      const child = new Child('turns', folder.path, name);
      // One in five while it opens what the last one left; the others somewhere in the work.
      if (kill % 5 === 0) await wait(60 + Math.random() * 120);
      else {
        await child.next(0);
        await wait(Math.random() * 250);
      }
      await child.kill();
      assert.equal(child.errors, '', `kill ${kill}`);

      const session = await store.read(name);
      assertAcknowledged(session, child, `kill ${kill}`);
      assertRecorded(session, effects(), child.process.pid as number);
      const last = session.turns.at(-1);
      if (child.said.length === 0) at.opening++;
      else if (last?.parts.some((part) => isKind(part, 'tool') && part.output === undefined) === true) at.tools++;
      else at.streaming++;

      const next = new Child('more', folder.path, name);
      await next.ended;
      assert.equal(next.process.exitCode, 0, `after kill ${kill} it does not go on: ${next.errors}`);
      assert.ok(next.said.some((said) => 'answered' in said));
      const after = await store.read(name);
      assertAcknowledged(after, child, `after kill ${kill}`);
      assertAcknowledged(after, next, `after kill ${kill}`);
      assert.ok(after.turns.every(({ status }) => status !== 'running'));
      assertGrown(session, after);
      const text = readFileSync(join(store.dir, `${name}.json`), 'utf8');
      assert.deepEqual(JSON.parse(text), after, 'the file does not stand by itself');
    }
    console.log(`      ${at.opening} while it opened, ${at.tools} with a call in flight, ${at.streaming} elsewhere`);
    if (KILLS >= 100) assert.ok(at.opening > 0 && at.tools > 0 && at.streaming > 0);
  });

  const effects = () => {
    const path = join(folder.path, 'effects.txt');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
});

function assertAcknowledged(session: Session, child: Child, when: string): void {
  for (const said of child.said) {
    if (!('acknowledged' in said)) continue;
    const { path, value } = said.acknowledged;
    let found: unknown = session;
    for (const key of path) found = (found as Record<string, unknown> | undefined)?.[key];
    assert.deepEqual(found, value, `${when}: ${path.join('.')} was acknowledged`);
  }
}

/** Each call of that process that had an effect is in the record, with the decision on it. */
function assertRecorded(session: Session, effects: readonly string[], pid: number): void {
  const allowed = new Set(
    session.permissions.map(({ turn, part, decision }) => (decision === 'granted' ? `${turn} ${part}` : '')),
  );
  const recorded = new Set(
    session.turns.flatMap(({ index, parts }) =>
      parts.flatMap((part, position) =>
        isKind(part, 'tool') && allowed.has(`${index} ${position + 1}`) ? [part.input['id']] : [],
      ),
    ),
  );
  for (const id of effects)
    if (id.startsWith(`${pid}_`)) assert.ok(recorded.has(id), `the call ${id} ran and is not recorded`);
}

/** Nothing of before is gone or changed, but what was open is closed. */
function assertGrown(before: Session, after: Session): void {
  assert.deepEqual(after.permissions.slice(0, before.permissions.length), before.permissions);
  assert.deepEqual(after.errors.slice(0, before.errors.length), before.errors);
  for (const [index, turn] of before.turns.entries()) {
    const now = after.turns[index];
    if (turn.status !== 'running') assert.deepEqual(now, turn);
    else
      for (const [position, part] of turn.parts.entries())
        assert.deepEqual({ ...now?.parts[position], ...part }, now?.parts[position]);
  }
}
