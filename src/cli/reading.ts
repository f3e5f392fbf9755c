/** `polyglav history`, `print` and `session`: a session is read, and nothing changes (E1). */
import { join } from 'node:path';

import { readTarget, targetOf } from '../agent/target.ts';
import { historyArguments } from '../commands/history.ts';
import { printArguments, printLimit } from '../commands/print.ts';
import { sizeOf } from '../commands/session.ts';
import { plural } from '../transcript/facts.ts';
import { history } from '../transcript/history.ts';
import { printTurn } from '../transcript/print.ts';
import { loadConfiguration, openSessions } from './engine.ts';
import { namedSession } from './newest.ts';
import type { Output } from './output.ts';
import { piecesText, writePieces } from './piecesText.ts';

/** `words`: what stands behind the command, as the slash command takes it, with the session first or behind `--run`. */
export async function showHistory(words: readonly string[], stdout: Output): Promise<void> {
  const { target, ...options } = historyArguments('polyglav history', words, true);
  const sessions = await openSessions();
  const selector = await namedSession(sessions.store, target);
  await readTarget(sessions, selector, (stream) => writePieces(history(stream, options), stdout));
}

export async function showTurn(words: readonly string[], stdout: Output): Promise<void> {
  const sessions = await openSessions();
  if (words.length === 0) await namedSession(sessions.store, undefined);
  const { target, turn, part, full } = printArguments('polyglav print', words, true);
  const selector = await namedSession(sessions.store, target);
  const { config } = await loadConfiguration(sessions.store.workspace);
  const options = { part, max_chars: full ? 0 : printLimit(config) };
  await readTarget(sessions, selector, (stream) => writePieces(printTurn(stream, turn, options), stdout));
}

export async function showSession(selector: string | undefined, stdout: Output): Promise<void> {
  const sessions = await openSessions();
  const { store } = sessions;
  const name = await targetOf(sessions, await namedSession(store, selector));
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
