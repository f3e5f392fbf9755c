/** What the person sees of a turn: the answer on standard output and nothing else there, the rest on standard error. */
import type { RunEvent } from '../agent/events.ts';
import type { SessionEvent } from '../session/events.ts';
import { notRun } from '../session/notRun.ts';
import { isKind, type Part, type PermissionEntry, type ToolPart } from '../session/schema.ts';
import { visible } from '../session/visible.ts';
import type { Tool } from '../tools/tool.ts';
import type { Output } from './output.ts';
import { plainJson, plainLine, VisiblePieces } from './visible.ts';

export interface Progress {
  onEvent(event: RunEvent): void;
  /** The turn has ended. */
  end(): void;
}

/** One JSON value per line: the log's events as they come, live output and problems. */
export class JsonProgress implements Progress {
  readonly #stdout: Output;

  constructor(stdout: Output) {
    this.#stdout = stdout;
  }

  onEvent(event: RunEvent): void {
    if (event.type === 'log') this.#line(event.event);
    else if (event.type !== 'state') this.#line(event);
  }

  end(): void {
    // Every event was written when it came.
  }

  #line(value: object): void {
    void this.#stdout.write(`${plainJson(value)}\n`);
  }
}

/**
 * The answer is the text after the last tool call; what the model said before is for the eye. To a terminal all text goes as it
 * arrives; to a file or a program, text is held until it is known to be the answer, so that it stands there alone.
 */
export class TextProgress implements Progress {
  readonly #stdout: Output;
  readonly #stderr: NodeJS.WritableStream;
  readonly #tools: readonly Tool[];
  #parts: Part['type'][] = [];
  /** By the number of their part, from 1. */
  readonly #decisions = new Map<number | undefined, PermissionEntry>();
  #held = '';
  /** Why the turn failed, as it was told. */
  #error = '';
  readonly #visible = new VisiblePieces();
  #atLineStart = true;

  constructor(stdout: Output, stderr: NodeJS.WritableStream, tools: readonly Tool[]) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#tools = tools;
  }

  onEvent(event: RunEvent): void {
    if (event.type === 'log') this.#onLog(event.event);
    // A turn that ends because it cannot be saved cannot save its end either.
    else if (event.type === 'problem' && !this.#error.startsWith(event.message)) this.#say(event.message);
  }

  end(): void {
    if (!this.#stdout.isTerminal && this.#held !== '') void this.#stdout.write(endedLine(this.#held));
    this.#held = '';
    this.#finishLine();
  }

  #onLog(event: SessionEvent): void {
    if (event.type === 'part_added') this.#onPart(event.part);
    else if (event.type === 'part_extended' && this.#parts.at(-1) === 'text') this.#answer(event.text);
    else if (event.type === 'permission') this.#decisions.set(event.entry.part, event.entry);
    else if (event.type === 'part_filled' && this.#parts[event.part] === 'tool')
      this.#onResult(event.fill, notRun(this.#decisions.get(event.part + 1)) ?? 'failed');
    else if (event.type === 'error') this.#say((this.#error = event.entry.message));
  }

  #onPart(part: Part): void {
    this.#parts.push(part.type);
    if (isKind(part, 'text')) this.#answer(this.#held === '' ? part.text : `\n\n${part.text}`);
    if (!isKind(part, 'tool')) return;
    if (this.#stdout.isTerminal) this.#finishLine();
    else if (this.#held.trim() !== '') this.#say(this.#held);
    this.#held = '';
    this.#say(`* ${this.#title(part)}`);
  }

  /** `what` became of it: what the model is told may begin with the same word. */
  #onResult({ output, is_error }: { output?: string; is_error?: boolean }, what: string): void {
    if (is_error !== true || output === undefined) return;
    const why = output.replace(new RegExp(`^${what}:? `, 'i'), '');
    this.#say(`  ${what}: ${plainLine(why)}`);
  }

  #answer(text: string): void {
    this.#held += text;
    if (!this.#stdout.isTerminal) return;
    this.#show(this.#visible.push(text));
  }

  #show(text: string): void {
    if (text === '') return;
    void this.#stdout.write(text);
    this.#atLineStart = text.endsWith('\n');
  }

  /** Answer and messages share the terminal's screen. */
  #finishLine(): void {
    this.#show(this.#visible.end());
    if (!this.#atLineStart) void this.#stdout.write('\n');
    this.#atLineStart = true;
  }

  #say(text: string): void {
    this.#finishLine();
    this.#stderr.write(endedLine(visible(text)));
  }

  #title({ name, input }: ToolPart): string {
    const tool = this.#tools.find((candidate) => candidate.name === name);
    const parsed = tool?.schema.safeParse(input);
    return plainLine(tool === undefined || parsed?.success !== true ? name : tool.words(parsed.data).title);
  }
}

function endedLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
