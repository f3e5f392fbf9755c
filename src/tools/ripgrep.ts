/** One search with ripgrep: no shell, no configuration of the person's, ended at once when the call is stopped. */
import { execa } from 'execa';

import { RealFolder } from './realFolder.ts';
import { childEnvironment } from './childEnvironment.ts';
import type { ToolContext } from './tool.ts';
import { ToolError } from './toolError.ts';
import { INTERNAL } from './walk.ts';

export interface Found {
  /** In the order of their paths; `file` is relative to the folder that was searched. */
  matches: { file: string; line: number; text: string }[];
  /** Files that match and are no text. */
  binary: string[];
  /** False when it was ended early because there were too many. */
  complete: boolean;
  /** Some files could not be read. */
  unreadable: boolean;
}

interface Where {
  /** Absolute real path. */
  folder: string;
  /** A name in it. */
  file: string | undefined;
  /** What is searched in place of what the file has on the disk. */
  text?: Uint8Array;
  everything: boolean;
}

const MOST_MATCHES = 5000;
/** Bytes; longer lines are cut by ripgrep, between characters. */
const LONGEST_LINE = 2000;

/**
 * Searches one file of a folder, or all in it; `everything` includes what git ignores. Throws {@link ToolError} for a pattern that
 * ripgrep does not take.
 */
export async function ripgrep(pattern: string, where: Where, context: ToolContext): Promise<Found> {
  if (context.ripgrep === undefined)
    throw new ToolError('Searching needs ripgrep, and there is none here. Use run_command with grep instead.');
  if (pattern.includes('\0')) throw new ToolError('The pattern has a NUL character in it; write it as \\x00.');
  const folder = await RealFolder.open(where.folder);
  try {
    return await searchIn(folder, pattern, where, context);
  } finally {
    await folder.close();
  }
}

async function searchIn(folder: RealFolder, pattern: string, where: Where, context: ToolContext): Promise<Found> {
  // Opened here and handed over, so that it is the file that was judged; ripgrep would follow a link.
  const file = where.file === undefined || where.text !== undefined ? undefined : await folder.openFile(where.file);
  try {
    const child = execa(
      context.ripgrep ?? 'rg',
      [...options(where.everything), '-e', pattern, '--', where.file === undefined ? '.' : '-'],
      {
        cwd: folder.at(),
        env: childEnvironment(context.secret_env),
        extendEnv: false,
        // The number of an open file is taken too; the types know those of standard streams only.
        ...(where.text === undefined ? { stdin: (file?.fd ?? 'ignore') as 'ignore' } : { input: where.text }),
        buffer: { stdout: false },
        reject: false,
        cancelSignal: context.signal,
      },
    );
    const reader = new MatchReader(where.file);
    for await (const line of child) {
      reader.read(line);
      if (reader.found.matches.length < MOST_MATCHES) continue;
      reader.found.complete = false;
      child.kill();
      break;
    }
    const { exitCode, stderr } = await child;
    context.signal.throwIfAborted();
    return conclude(reader.found, exitCode, stderr);
  } finally {
    await file?.close();
  }
}

/** 0 is "found", 1 "found nothing", 2 a bad pattern or unreadable files; none when it was ended by us or could not be started. */
function conclude(found: Found, exitCode: number | undefined, stderr: string): Found {
  if (!found.complete || exitCode === 0 || exitCode === 1) return found;
  if (exitCode === 2 && stderr.trim() === '') return { ...found, unreadable: true };
  throw new ToolError(`ripgrep did not search: ${stderr.replace(/^rg: /, '').trim() || 'it could not be started.'}`);
}

function options(everything: boolean): string[] {
  return [
    '--no-config',
    // Errors of single files, not those of the pattern.
    '--no-messages',
    '--hidden',
    ...(everything ? ['--no-ignore'] : ['--no-ignore-dot', '--no-ignore-global', '--no-require-git']),
    ...INTERNAL.map((name) => `--glob=!${name}`),
    '--sort=path',
    '--crlf',
    '--color=never',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--null',
    `--max-columns=${LONGEST_LINE}`,
    '--max-columns-preview',
  ];
}

/** Reads `path NUL line:text`. A path may have a line feed in it; what has no NUL and is a known remark tells of a binary file. */
class MatchReader {
  readonly found: Found = { matches: [], binary: [], complete: true, unreadable: false };
  #path = '';
  readonly #only: string | undefined;

  /** `only` is the name of the one file that is searched, which ripgrep does not know. */
  constructor(only: string | undefined) {
    this.#only = only;
  }

  read(line: string): void {
    const end = line.indexOf('\0');
    const binary =
      end === -1 ? /^(.*): (?:binary file matches|WARNING: stopped searching binary file)/.exec(line) : null;
    if (binary !== null) this.found.binary.push(this.#named(this.#path + (binary[1] ?? '')));
    if (end === -1) {
      this.#path = binary === null ? `${this.#path}${line}\n` : '';
      return;
    }
    const file = this.#named(this.#path + line.slice(0, end));
    this.#path = '';
    const [, number = '', text = ''] = /^(\d+):(.*)$/s.exec(line.slice(end + 1)) ?? [];
    this.found.matches.push({ file, line: Number(number), text: text.replace(/\r$/, '') });
  }

  #named(path: string): string {
    return this.#only ?? path.replace(/^\.[\\/]/, '');
  }
}
