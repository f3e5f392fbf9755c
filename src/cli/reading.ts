/** `polyglav history`, `print` and `session`: a session is read, and nothing changes (E1). */
import { join } from 'node:path';

import { readTarget, targetOf } from '../agent/target.ts';
import { turnCount } from '../commands/history.ts';
import { printLimit, turnAndPart } from '../commands/print.ts';
import { sizeOf } from '../commands/session.ts';
import { plural } from '../transcript/facts.ts';
import { history } from '../transcript/history.ts';
import { printTurn } from '../transcript/print.ts';
import { loadConfiguration, openSessions } from './engine.ts';
import type { Output } from './output.ts';
import { piecesText } from './piecesText.ts';
import { UsageError } from './usage.ts';

export async function showHistory(
  selector: string,
  count: string | undefined,
  thoughts: true | string | undefined,
  stdout: Output,
): Promise<void> {
  if (typeof thoughts === 'string' && thoughts !== 'all')
    throw new UsageError(`--thoughts takes nothing or "all", not ${JSON.stringify(thoughts)}.`);
  const options = {
    ...(count === undefined ? {} : { count: turnCount(count) }),
    thoughts: thoughts === undefined ? false : thoughts === 'all' ? 'all' : 'excerpt',
  } as const;
  const session = await readTarget(await openSessions(), selector);
  await stdout.write(piecesText(history(session, options), stdout.isTerminal));
}

export async function showTurn(selector: string, place: string, full: boolean, stdout: Output): Promise<void> {
  const { turn, part } = turnAndPart(place);
  const sessions = await openSessions();
  const session = await readTarget(sessions, selector);
  const { config } = await loadConfiguration(sessions.store.workspace);
  const pieces = printTurn(session, turn, { part, max_chars: full ? 0 : printLimit(config) });
  await stdout.write(piecesText(pieces, stdout.isTerminal));
}

export async function showSession(selector: string, stdout: Output): Promise<void> {
  const sessions = await openSessions();
  const { store } = sessions;
  const name = await targetOf(sessions, selector);
  const { turns, messages, tokens } = sizeOf(await store.read(name));
  const facts = {
    Session: name,
    File: join(store.dir, `${name}.json`),
    Turns: turns,
    Context: `${plural(messages, 'message')}, ~${tokens} tokens`,
  };
  const text = Object.entries(facts)
    .map(([fact, value]) => `${fact}: ${value}`)
    .join('\n');
  await stdout.write(piecesText([{ text }], stdout.isTerminal));
}
