/** `polyglav continue [session]`: take up the newest session, or the one that is named (E1, R9). */
import { interruptedPrompt } from '../agent/resume.ts';
import { savedSessions, targetOf } from '../agent/target.ts';
import { parseCommand } from '../commands/registry.ts';
import { titleOf } from '../session/state.ts';
import { SessionError, type SessionStore } from '../session/store.ts';
import { visible } from '../session/visible.ts';
import { confirmedConfiguration } from './consent.ts';
import { openStore, withEngine, workspaceFolder } from './engine.ts';
import type { Interrupt } from './interrupt.ts';
import { askLine, atTerminal } from './lineQuestion.ts';
import { newestSession } from './newest.ts';
import type { Output } from './output.ts';
import { take, terminalAsker } from './run.ts';
import { EXIT } from './usage.ts';
import { plainLine } from './visible.ts';

export interface ContinueFlags {
  yes: boolean;
}

/** Returns the exit code. Throws, with nothing changed, when there is no such session, or another program has it. */
export async function continueSession(
  selector: string | undefined,
  { yes }: ContinueFlags,
  stdout: Output,
  interrupt: Interrupt,
): Promise<number> {
  const workspace = await workspaceFolder();
  const store = openStore(workspace);
  const name = selector === undefined ? await newest(store) : await targetOf(savedSessions(store), selector);
  if (atTerminal() && (await confirmedConfiguration(workspace)) === undefined) return EXIT.cancelled;
  const asker = terminalAsker(yes, workspace, interrupt);
  return withEngine({ workspace, asker, stdout, overrides: {}, max_rounds: undefined }, async (engine) => {
    const session = await engine.open(name);
    const interrupted = interruptedPrompt(session.session);
    if (!atTerminal()) {
      await stdout.write(`${visible(interrupted === undefined ? name : `${name}\n${interrupted}`)}\n`);
      for (const notice of session.notices) process.stderr.write(`${plainLine(notice, 4096)}\n`);
      return EXIT.ok;
    }
    const title = titleOf(session.session);
    const about = [
      `Session ${plainLine(name)}${title === '' ? '' : `: ${plainLine(title)}`}`,
      ...(interrupted === undefined
        ? []
        : ['This prompt was interrupted; Enter alone sends it again:', visible(interrupted)]),
    ];
    const typed = await askLine({ above: `${about.join('\n')}\n`, prompt: '> ' });
    const line = typed?.trim() === '' ? interrupted : typed;
    if (line === undefined) return EXIT.ok;
    // An interrupted prompt is one, whatever it begins with.
    const parsed = line === interrupted ? ({ kind: 'prompt', text: line } as const) : parseCommand(line);
    return take(parsed, {
      engine,
      session,
      announced: process.stderr,
      flags: { yes, format: 'text' },
      stdout,
      interrupt,
    });
  });
}

/** Throws SessionError when there is none. */
async function newest(store: SessionStore): Promise<string> {
  const name = await newestSession(store);
  if (name === undefined)
    throw new SessionError('There is no session to continue in this folder. "polyglav run <prompt>" begins one.');
  return name;
}
