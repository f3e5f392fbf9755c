/** One line from the person at the terminal, typed after they could read the question. */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

export interface LineQuestion {
  /** What stands above the line of the answer: whole lines, fit for a terminal. */
  above?: string;
  /** Stands before the answer. */
  prompt: string;
  /** Withdraws the question. */
  signal?: AbortSignal;
  /** Ctrl+C: while a question is open the terminal gives it to the question and not to the process. */
  onInterrupt?(): void;
}

/** Keys that were pressed before come within this time, and those that are held down one after the other. */
const QUIET_MS = 50;
const CTRL_C = '\u0003';

/** Standard input and standard error: standard output has the answer alone. */
export function terminal(): Terminal {
  return { input: process.stdin, output: process.stderr };
}

/** Whether somebody can be asked. */
export function atTerminal({ input, output } = terminal()): boolean {
  return input.isTTY && output.isTTY;
}

/**
 * What was typed before the question could be read is no answer to it, so it is dropped first. Undefined when the input has
 * ended, Ctrl+C was pressed, or the question was withdrawn.
 */
export async function askLine(
  { above = '', prompt, signal, onInterrupt }: LineQuestion,
  { input, output } = terminal(),
): Promise<string | undefined> {
  const typed = await dropTyped(input, signal);
  if (typed.includes(CTRL_C)) onInterrupt?.();
  if (typed.includes(CTRL_C) || signal?.aborted === true || isEnded(input)) return undefined;
  output.write(above);
  return new Promise((resolve) => {
    const reader = createInterface({ input, output });
    const close = () => reader.close();
    signal?.addEventListener('abort', close, { once: true });
    // The terminal was closed under the question.
    reader.on('error', close);
    reader.once('SIGINT', () => {
      onInterrupt?.();
      close();
    });
    let answer: string | undefined;
    reader.once('close', () => {
      signal?.removeEventListener('abort', close);
      // An answer ends its line itself.
      if (answer === undefined) output.write('\n');
      resolve(answer);
    });
    reader.question(prompt, (line) => {
      answer = line;
      close();
    });
  });
}

/** Reads until the keyboard is quiet; returns what came. Raw: a line that has not been ended yet is typed ahead too. */
async function dropTyped(input: NodeJS.ReadStream, signal: AbortSignal | undefined): Promise<string> {
  let typed = '';
  let before: string;
  const onData = (bytes: Buffer | string) => (typed += bytes.toString());
  const onError = () => undefined; // the terminal was closed: whoever reads next hears of it
  setRaw(input, true);
  input.on('data', onData).on('error', onError);
  do {
    before = typed;
    await sleep(QUIET_MS);
  } while (typed !== before && !typed.includes(CTRL_C) && signal?.aborted !== true);
  input.off('data', onData).off('error', onError).pause();
  setRaw(input, false);
  return typed;
}

function isEnded(input: NodeJS.ReadStream): boolean {
  return input.readableEnded || input.destroyed;
}

function setRaw(input: NodeJS.ReadStream, raw: boolean): void {
  // A terminal that was closed cannot be set any more.
  if (!isEnded(input)) (input as Partial<NodeJS.ReadStream>).setRawMode?.(raw);
}
