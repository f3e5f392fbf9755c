/** What the scripts tell the person in front of the terminal. */

/** @param {string} text */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * A duration as a person would say it: "0.4 s", "12 s", "1 min 5 s".
 *
 * @param {number} ms
 */
export function duration(ms) {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * Says what is about to happen, does it, and says how long it took.
 *
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(what, work) {
  say(`${what} …`);
  const from = Date.now();
  const result = await work();
  say(`  done in ${duration(Date.now() - from)}`);
  return result;
}

/** A mistake of the person or the machine, not of this code: shown as one line, without a stack. */
export class Trouble extends Error {}

/**
 * Runs a script's main function; what it throws becomes a message and exit code 1.
 *
 * @param {() => Promise<void>} main
 */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`\n${reason(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * What to print of something that was thrown.
 *
 * @param {unknown} error
 */
export function reason(error) {
  if (error instanceof Trouble) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
