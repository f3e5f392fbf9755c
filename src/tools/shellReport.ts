/**
 * What a shell tells of itself when a command has ended: where it stands and what it exports. It goes a way of its own, so that
 * no output can be taken for it, and it is told by an exit trap, so that it comes however the command ends but by a signal, by
 * `exec` or by an exit trap of its own.
 */
import { languageOf } from './commandShell.ts';

/** More is no environment that a process could be started with, and no report. */
export const MOST_REPORT_BYTES = 4 * 2 ** 20;

export interface ShellReport {
  /** Absolute; empty when the shell stands nowhere because its folder is gone. */
  folder: string;
  /** The exported variables; empty when the shell has no means to tell them. */
  variables: ReadonlyMap<string, string>;
}

/**
 * A script for `<shell> -c <script> <name> <command>`: runs the command with both of its streams on standard output, and writes
 * the report to standard error. `nonce` (letters, digits, `-`, `_`) is what {@link readReport} knows it by.
 */
export function reportingScript(shell: string, nonce: string): string {
  const way = reportWay(shell);
  const report = languageOf(shell) === 'bash' ? bashReport(nonce) : shReport(nonce);
  const trap = `{ ${report}; } 2>/dev/null >&${way}`.replaceAll("'", `'\\''`);
  // All on one line, so that the shell counts the command's lines as they are; `shift` takes the command out of "$@".
  return `exec ${way}>&2 2>&1; trap '${trap}' EXIT; eval "shift; $1"`;
}

/** The descriptor of the report, out of reach of what a command opens for itself; other shells than bash know single digits only. */
export function reportWay(shell: string): number {
  return languageOf(shell) === 'bash' ? 97 : 9;
}

/**
 * By what is built in, so that it works with whatever PATH and functions the command has made: a shell that follows POSIX lets no
 * function take the place of `unset`.
 */
function bashReport(nonce: string): string {
  const folder = process.platform === 'win32' ? 'builtin pwd -W' : 'builtin pwd -P';
  const variables =
    'for _polyglav in $(builtin compgen -e); do builtin printf "%s=%s\\0" "$_polyglav" "${!_polyglav-}"; done';
  const mark = `builtin printf "%s\\0" ${nonce}`;
  const plain = 'POSIXLY_CORRECT=1; \\unset -f unset set trap builtin; \\unset POSIXLY_CORRECT';
  return `${plain}; set +aefux; trap - DEBUG; IFS=$'\\n'; ${mark}; ${folder}; builtin printf "\\0"; ${variables}; ${mark}`;
}

function shReport(nonce: string): string {
  const mark = `printf "%s\\0" ${nonce}`;
  return `unset -f printf pwd env; set +aefux; ${mark}; pwd -P; printf "\\0"; env -0; ${mark}`;
}

/** Undefined when what came is not one whole report: of two, one is forged, and nobody can tell which. */
export function readReport(bytes: Uint8Array, nonce: string): ShellReport | undefined {
  // What stands before and behind it is the shell's own noise.
  const [, body, after, ...more] = new TextDecoder().decode(bytes).split(`${nonce}\0`);
  if (body === undefined || after === undefined || more.length > 0) return undefined;
  const [folder = '', ...entries] = body.split('\0');
  const variables = entries.flatMap((entry): [string, string][] => {
    const at = entry.indexOf('=');
    return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
  });
  return { folder: folder.replace(/\n$/, ''), variables: new Map(variables) };
}
