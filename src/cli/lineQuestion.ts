/** One line from the person at the terminal. */
import { createInterface } from 'node:readline';

/** Whether somebody can be asked. */
export function atTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Undefined when the input ended, or Ctrl+C was pressed, which is `onInterrupt`'s. */
export function askLine(question: string, onInterrupt: () => void = () => undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    reader.once('SIGINT', () => {
      onInterrupt();
      reader.close();
    });
    reader.once('close', () => {
      process.stderr.write('\n');
      resolve(undefined);
    });
    reader.question(question, (line) => {
      resolve(line);
      reader.close();
    });
  });
}
