/**
 * What lasts from one command of a session to the next (P1): the folder and what was exported. It is data in this process's
 * memory, and each command is a process tree of its own that ends wholly (T7); so no command can take the shell down with it, and
 * functions, aliases and options, which would give another meaning to the words that a rule allows, do not last.
 */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { shownPath } from '../permissions/paths.ts';
import { childEnvironment } from './childEnvironment.ts';
import { oneLine } from '../text/codePoints.ts';
import { withGitSettings } from './gitSettings.ts';
import { isOfTheShell, neverLasts } from './lastingVariables.ts';
import type { ShellReport } from './shellReport.ts';

/** Nobody answers a command, and no program is to wait for an answer, page or colour its output. */
const QUIET = { GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', PAGER: 'cat', TERM: 'dumb', NO_COLOR: '1' };

/** Far below what a system can start a process with. */
const LONGEST_VALUE = 32_000;
const MOST_VALUES = 256_000;
const MOST_NAMED = 5;

export class SessionShell {
  readonly #workspace: string;
  #folder: string;
  /** Where `cd -` leads. */
  #before: string | undefined;
  #set = new Map<string, string>();
  #unset = new Set<string>();
  #news: string[];

  /** Of the session's workspace folder (absolute real path), where it starts. `news` is what the model is told with the next result. */
  constructor(workspace: string, news: readonly string[] = []) {
    this.#workspace = workspace;
    this.#folder = workspace;
    this.#news = [...news];
  }

  /** Absolute path of where the next command starts. Back in the workspace folder when it is no folder any more. */
  async folder(): Promise<string> {
    if (this.#folder !== this.#workspace && !(await isFolder(this.#folder))) {
      this.#folder = this.#workspace;
      this.#news.push('[The folder where the shell stood is gone: this ran in the workspace folder.]');
    }
    return this.#folder;
  }

  /** For the next command, without the keys that the variables of `secret` hold. */
  environment(secret: readonly string[], extra: Readonly<Record<string, string>>): Record<string, string> {
    const env: NodeJS.ProcessEnv = { ...process.env, CDPATH: undefined, OLDPWD: this.#before, ...QUIET };
    for (const name of this.#unset) env[name] = undefined;
    for (const [name, value] of this.#set) if (!secret.includes(name)) env[name] = value;
    return withGitSettings(childEnvironment(secret, extra, env));
  }

  /**
   * Takes over how a command left the shell that was started with `given`; returns remarks for the model. What `isKey` says yes
   * to is not kept (R15).
   */
  async take(
    report: ShellReport,
    given: Readonly<Record<string, string>>,
    isKey: (name: string, value: string) => boolean,
  ): Promise<string[]> {
    const lost = report.variables.size === 0 ? [] : this.#takeVariables(report.variables, given, isKey);
    const before = this.#folder;
    const folder = await realFolder(report.folder);
    this.#folder = folder ?? this.#workspace;
    if (this.#folder !== before) this.#before = before;
    const remarks: string[] = [];
    if (folder === undefined)
      remarks.push('[The folder where the shell stood is gone; it is back in the workspace folder.]');
    else if (folder !== before) remarks.push(`[The shell is now in ${this.#shown(folder)}]`);
    if (lost.length > 0) remarks.push(`[Not kept for the next command: ${named(lost)}]`);
    return remarks;
  }

  /** As at the start. */
  reset(): void {
    this.#folder = this.#workspace;
    this.#before = undefined;
    this.#set.clear();
    this.#unset.clear();
    this.#news = ['[The person reset the shell: this ran in the workspace folder, without what was exported before.]'];
  }

  /** What the model was not told yet. */
  takeNews(): string[] {
    return this.#news.splice(0);
  }

  /** The names that cannot last. */
  #takeVariables(
    reported: ReadonlyMap<string, string>,
    given: Readonly<Record<string, string>>,
    isKey: (name: string, value: string) => boolean,
  ): string[] {
    const lost: string[] = [];
    let room = MOST_VALUES - [...this.#set].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    for (const [name, value] of reported) {
      if (given[name] === value || isOfTheShell(name) || isTranslated(given[name])) continue;
      const size = name.length + value.length;
      if (neverLasts(name) || isKey(name, value) || value.length > LONGEST_VALUE || size > room) lost.push(name);
      else {
        room -= size;
        this.#set.set(name, value);
        this.#unset.delete(name);
      }
    }
    for (const name of Object.keys(given)) {
      // A shell does not tell of names that it could not use itself.
      if (reported.has(name) || isOfTheShell(name) || !/^[A-Za-z_]\w*$/.test(name)) continue;
      this.#set.delete(name);
      if (neverLasts(name)) lost.push(name);
      else this.#unset.add(name);
    }
    return lost;
  }

  #shown(folder: string): string {
    return folder === this.#workspace ? 'the workspace folder' : oneLine(`${shownPath(this.#workspace, folder)}/`, 300);
  }
}

/** Bash on Windows sees lists of Windows paths in its own form, and must be given them in theirs. */
function isTranslated(value: string | undefined): boolean {
  return process.platform === 'win32' && value?.includes('\\') === true;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => oneLine(name, 40));
  return `${shown.join(', ')}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''}`;
}

/** Undefined when there is no folder at this absolute path. */
async function realFolder(told: string): Promise<string | undefined> {
  if (!path.isAbsolute(told)) return undefined;
  const real = await fs.realpath(told).catch(() => undefined);
  return real !== undefined && (await isFolder(real)) ? real : undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return fs.stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
