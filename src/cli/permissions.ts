/** `polyglav permissions`: the decisions of a session, read, with nothing changed (P6). */
import { readTarget } from '../agent/target.ts';
import { audit, auditEntries } from '../transcript/audit.ts';
import { openSessions } from './engine.ts';
import { namedSession } from './newest.ts';
import type { Output } from './output.ts';
import { writePieces } from './piecesText.ts';
import { plainJson } from './visible.ts';

export async function showPermissions(
  selector: string | undefined,
  format: 'text' | 'json',
  stdout: Output,
): Promise<void> {
  const sessions = await openSessions();
  const name = await namedSession(sessions.store, selector);
  await readTarget(sessions, name, async (stream) => {
    if (format === 'text') return writePieces(audit(stream), stdout);
    // As they are made: a session may have very many.
    let before = '[';
    for await (const entry of auditEntries(stream)) {
      if (stdout.closed) return;
      await stdout.write(`${before}\n  ${plainJson(entry)}`);
      before = ',';
    }
    await stdout.write(before === '[' ? '[]\n' : '\n]\n');
  });
}
