/**
 * The texts that a person wrote and the log does not have yet: one draft per session, and the prompts that were sent and not
 * answered. Whatever happens, each text is in exactly one place: in a draft, on the way, or with the host (T9, R9).
 */
import type { KeptState, Send } from '../kept.ts';

/** What the host takes, in UTF-16 units. */
const LONGEST = 10_000_000;
/** UTF-16 units. */
const SMALL = 20_000;
/** Ids of texts from the host, of which one may come again. */
const PREFILLED_KEPT = 50;

export class Drafts {
  /** The session that is shown; '' is one that has no name yet. */
  session = '';
  /** Why the host refused the last prompt; the text is back in the draft. */
  refusal = '';
  /** The prompts that were sent from the session without a name: the next name is that of the session they began. */
  readonly #beginning = new Set<string>();
  readonly #kept: KeptState;
  readonly #newId: () => string;

  constructor(kept: KeptState, newId: () => string) {
    this.#kept = kept;
    this.#newId = newId;
  }

  get text(): string {
    return this.#draft(this.session);
  }

  /** Prompts on their way to the host, oldest first. */
  get sends(): readonly Send[] {
    return this.#kept.value.sends;
  }

  type(text: string): void {
    this.#set(this.session, text);
    // The page may be gone in the next moment; only what is slow to write waits for a pause in the typing.
    if (text.length < SMALL) this.#kept.save();
    else this.#kept.saveSoon();
  }

  /** Takes the draft for sending; undefined when it is blank. It is kept until the host has answered. */
  send(): Send | undefined {
    const text = this.text.trim();
    if (text === '') return undefined;
    if (text.length > LONGEST) {
      this.refusal = `This message has ${text.length} characters; at most ${LONGEST} can be sent. Put it into a file and name the file.`;
      return undefined;
    }
    const send = { id: this.#newId(), text, session: this.session };
    this.#kept.value.sends.push(send);
    this.#set(this.session, '');
    this.refusal = '';
    // A command begins no session, and what it says is for the one that is shown.
    if (this.session === '' && !isCommand(text)) this.#beginning.add(send.id);
    this.#kept.save();
    return send;
  }

  accepted(id: string): void {
    this.#kept.value.sends = this.sends.filter((send) => send.id !== id);
    this.#kept.save();
  }

  refused(id: string, reason: string): void {
    const send = this.sends.find((other) => other.id === id);
    if (send === undefined) return;
    this.refusal = reason;
    this.#beginning.delete(id);
    this.#giveBack(send);
    this.#kept.save();
  }

  /** Text that the host gives back: once, however often it comes. When this returns it is kept. */
  prefill(id: string, text: string): void {
    const { value } = this.#kept;
    if (value.prefilled.includes(id)) return;
    value.prefilled = [...value.prefilled, id].slice(-PREFILLED_KEPT);
    this.offer(text);
    this.#kept.save();
  }

  /** Text for the composer, after what is there. */
  offer(text: string): void {
    if (this.text.trim() === text.trim()) return;
    this.type(joined(this.text, text));
  }

  /** The panel shows another session, or the new one has got its name, which takes the draft along. */
  show(session: string): void {
    if (session === this.session) return;
    const began = this.#beginning.size > 0 && this.session === '';
    const text = this.text;
    if (began) {
      this.#set('', '');
      for (const send of this.#kept.value.sends) if (send.session === '') send.session = session;
    }
    this.session = session;
    this.#beginning.clear();
    this.refusal = '';
    if (began) this.#set(session, joined(this.text, text));
    this.#kept.saveSoon();
  }

  /**
   * After the page was loaded: what the host has not answered, to be sent again under the same id (it knows what it has
   * taken). A prompt of another session than the one shown becomes that session's draft again; one of a new session belongs
   * to what is shown, which got its name unheard.
   */
  unanswered(): readonly Send[] {
    for (const send of this.sends) {
      if (send.session === '') send.session = this.session;
      else if (send.session !== this.session) this.#giveBack(send);
    }
    this.#kept.save();
    return this.sends;
  }

  #giveBack(send: Send): void {
    this.#kept.value.sends = this.sends.filter((other) => other !== send);
    this.#set(send.session, joined(send.text, this.#draft(send.session)));
  }

  /** A session may be called `constructor`. */
  #draft(session: string): string {
    const { drafts } = this.#kept.value;
    return Object.hasOwn(drafts, session) ? (drafts[session] ?? '') : '';
  }

  #set(session: string, text: string): void {
    const { [session]: _, ...others } = this.#kept.value.drafts;
    this.#kept.value.drafts = text === '' ? others : { ...others, [session]: text };
  }
}

/** As the host reads it: `//` stands for `/`, and a second slash in the first word makes it a path. */
function isCommand(text: string): boolean {
  return /^\/[^/\s]*(\s|$)/.test(text);
}

/** One text after the other, a blank line between them; nothing that a person typed is ever replaced. */
function joined(first: string, second: string): string {
  if (first.trim() === '') return second;
  return second.trim() === '' ? first : `${first.trimEnd()}\n\n${second}`;
}
