/** What tells one start of a machine, one container and one process from another, as far as the system says. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';

let boot: string | undefined;
/** Another one after each start of the machine; empty where the system does not say. */
export function bootId(): string {
  boot ??=
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ??
    attempt(() => run('sysctl', ['-n', 'kern.bootsessionuuid'])) ??
    '';
  return boot;
}

let namespace: string | undefined;
/** Process ids count within it; empty where the system does not say. */
export function pidNamespace(): string {
  namespace ??= attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  return namespace;
}

/** A process that has ended and waits for its parent to notice. */
export const DEAD = 'dead';

/** When the process began; undefined where the system does not say. */
export function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    // The name (field 2) may hold spaces and brackets: what follows its last bracket is field 3, the state; 22 is the start.
    const fields = attempt(() =>
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' '),
    );
    return fields?.[0] === 'Z' || fields?.[0] === 'X' ? DEAD : fields?.[19];
  }
  if (process.platform === 'darwin') return attempt(() => run('ps', ['-o', 'lstart=', '-p', String(pid)]));
  return undefined;
}

function run(command: string, args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', cwd: tmpdir(), stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Undefined when it fails. */
export function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
