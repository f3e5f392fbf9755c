/**
 * Turns → provider messages (X1). A pure function of the log, so that the messages of one
 * request are a byte-exact prefix of the next one's, and always valid for a strict provider: every call has exactly one
 * result, right after the message that made it; user and assistant alternate; arguments are JSON.
 */
import type { Message, Thinking, ToolCall } from '../providers/provider.ts';
import {
  isKind,
  type CommandPart,
  type Part,
  type Session,
  type SystemPart,
  type ToolPart,
  type Turn,
  type TurnStatus,
} from '../session/schema.ts';

export interface MessageOptions {
  system_prompt: string;
  /** The provider that gets the messages: what it wanted back goes back to it alone. */
  provider: string;
  /** The text that stands before the first prompt of the turns that a mode governs; undefined for a mode that needs none. */
  modeInstruction(mode: string, previous: string | undefined): string | undefined;
}

export function messagesOf(session: Session, options: MessageOptions): Message[] {
  const out = new Conversation(options.provider);
  out.system(options.system_prompt);
  const compaction = latestCompaction(session);
  if (compaction !== undefined) out.note(`Summary of earlier conversation:\n\n${compaction.summary}`);
  let mode: string | undefined;
  for (const turn of session.turns) {
    if (compaction !== undefined && turn.index < compaction.compact_from) continue;
    if (turn.mode !== undefined && turn.mode !== mode && turn.parts.some((part) => isKind(part, 'user'))) {
      const instruction = options.modeInstruction(turn.mode, mode);
      if (instruction !== undefined) out.note(instruction);
      mode = turn.mode;
    }
    for (const [position, part] of turn.parts.entries()) out.add(part, turn, position);
    // Only the last turn can really be running: an earlier one was left so by a crash or by another program.
    out.endTurn(turn.status, turn === session.turns.at(-1));
  }
  return out.messages;
}

function latestCompaction(session: Session): { summary: string; compact_from: number } | undefined {
  for (const turn of session.turns.toReversed()) {
    const found = turn.parts.findLast(
      (part): part is CommandPart =>
        isKind(part, 'command') && part.summary !== undefined && part.compact_from !== undefined,
    );
    // What came after the record is never hidden, whatever index a broken one names.
    if (found !== undefined)
      return { summary: found.summary ?? '', compact_from: Math.min(found.compact_from ?? 1, turn.index) };
  }
  return undefined;
}

/** Builds the list, holding back what must be joined with something that comes later. */
class Conversation {
  readonly messages: Message[] = [];
  readonly #provider: string;
  readonly #ids = new Set<string>();
  /** System text waits for the prompt it stands beside: many providers take a system message only first. */
  #notes: string[] = [];
  #thinking: Thinking[] = [];
  /** Thinking that nothing has followed yet. */
  #open: Thinking[] = [];
  #text: string[] = [];
  #calls: ToolCall[] = [];
  #results: Message[] = [];
  #round: number | undefined;

  constructor(provider: string) {
    this.#provider = provider;
  }

  system(content: string): void {
    this.messages.push({ role: 'system', content });
  }

  note(text: string): void {
    if (text.trim() !== '') this.#notes.push(text);
  }

  add(part: Part, turn: Turn, position: number): void {
    if (isKind(part, 'user')) {
      this.#flush();
      this.#user(part.text);
    } else if (isKind(part, 'system')) {
      if (part.kind !== 'notice') this.#system(part);
    } else if (isKind(part, 'thinking')) {
      if (this.#calls.length > 0) this.#flush();
      this.#open.push(withData(part.text, this.#mine(part.provider_data)));
    } else if (isKind(part, 'text')) {
      if (this.#calls.length > 0) this.#flush();
      if (part.text.trim() !== '') {
        this.#text.push(part.text);
        this.#commitThinking();
      }
    } else if (isKind(part, 'tool')) {
      if (this.#calls.length > 0 && part.round !== this.#round) this.#flush();
      this.#round = part.round;
      this.#commitThinking();
      this.#call(part, turn, position);
    }
    // Commands and parts of unknown types are never sent.
  }

  /** `last`: no turn follows, so this one may still be running. */
  endTurn(status: TurnStatus, last: boolean): void {
    this.#flush();
    const role = this.messages.at(-1)?.role;
    if ((last && status === 'running') || (role !== 'user' && role !== 'tool')) return;
    this.#push({ role: 'assistant', content: UNANSWERED[status] });
  }

  #user(text: string): void {
    this.note(text);
    if (this.#notes.length === 0) return;
    const content = this.#notes.join('\n\n');
    this.#notes = [];
    const last = this.messages.at(-1);
    if (last?.role === 'user') last.content += `\n\n${content}`;
    else this.#push({ role: 'user', content });
  }

  /** What was found for a prompt joins it; the note of a resume came after the prompt was sent, and waits for the next one. */
  #system(part: SystemPart): void {
    const last = this.messages.at(-1);
    const beside =
      last?.role === 'user' && this.#open.length === 0 && this.#text.length === 0 && this.#calls.length === 0;
    if (beside && part.kind !== 'resume') this.#user(part.text);
    else this.note(part.text);
  }

  #commitThinking(): void {
    this.#thinking.push(...this.#open);
    this.#open = [];
  }

  /** Roles alternate also where the log leaves one out, as those of other programs may. */
  #push(message: Message): void {
    const last = this.messages.at(-1)?.role;
    if (message.role === 'assistant' && last !== 'user' && last !== 'tool') {
      this.#user(this.#notes.length === 0 ? '(No message.)' : '');
    }
    if (message.role === 'user' && last === 'tool') this.messages.push({ role: 'assistant', content: UNANSWERED.ok });
    this.messages.push(message);
  }

  #call(part: ToolPart, turn: Turn, position: number): void {
    const data = this.#mine(part.provider_data);
    const id = this.#freshId(data?.['id'], turn, position);
    this.#calls.push({
      id,
      name: part.name,
      arguments: JSON.stringify(part.input),
      ...(data === undefined ? {} : { data }),
    });
    this.#results.push({ role: 'tool', call_id: id, name: part.name, content: part.output ?? NO_RESULT });
  }

  /** Some providers use an id again in a later round; a strict one then cannot tell the results apart. */
  #freshId(theirs: unknown, turn: Turn, position: number): string {
    let id =
      typeof theirs === 'string' && theirs !== '' && !this.#ids.has(theirs)
        ? theirs
        : `call_${turn.index}_${position + 1}`;
    // A provider may have used this form too, and a log may have an index twice.
    while (this.#ids.has(id)) id += '_';
    this.#ids.add(id);
    return id;
  }

  #mine(data: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
    return data?.['provider'] === this.#provider ? data : undefined;
  }

  /** Thinking that no text or call followed is dropped here. */
  #flush(): void {
    const content = this.#text.join('\n\n');
    if (content !== '' || this.#calls.length > 0) {
      this.#push({
        role: 'assistant',
        content,
        ...(this.#thinking.length > 0 ? { thinking: this.#thinking } : {}),
        ...(this.#calls.length > 0 ? { calls: this.#calls } : {}),
      });
      this.messages.push(...this.#results);
    }
    this.#open = [];
    this.#thinking = [];
    this.#text = [];
    this.#calls = [];
    this.#results = [];
    this.#round = undefined;
  }
}

function withData(text: string, data: Record<string, unknown> | undefined): Thinking {
  return data === undefined ? { text } : { text, data };
}

const NO_RESULT =
  'Interrupted: this call has no result. It may or may not have taken effect; check before you repeat it.';

/** What stands for the answer of a turn that ended without one, so that roles alternate. */
const UNANSWERED: Record<TurnStatus, string> = {
  running: '(Polyglav was stopped before this turn was answered.)',
  ok: '(No answer was given.)',
  error: '(No answer: the request failed.)',
  truncated: '(The answer was cut off by the output limit.)',
  empty: '(The answer was empty.)',
  cancelled: '(The person stopped this turn before it was answered.)',
};
