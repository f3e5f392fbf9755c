/**
 * The texts that a person wrote and the log does not have yet: for each session a draft, and the prompts that were sent and
 * not answered. Whatever happens, each text is in exactly one place: in a draft, on the way, or with the host (T9, R9). The
 * host has a copy, since what VS Code keeps for the page may be some seconds old after a reload.
 */
import type { RefusedOver, Unsent, UnsentSend } from '../../src/protocol/messages.ts';
import type { KeptState } from '../kept.ts';

/** What the host takes, in UTF-16 units. */
const LONGEST = 10_000_000;
/** UTF-16 units. */
const SMALL = 20_000;
/** Ids of texts from the host, of which one may come again. */
const PREFILLED_KEPT = 50;

const NOTHING: Unsent = { at: 0, draft: '', sends: [], prefilled: [] };

/** A prompt on its way to the host. `session` is the one it was written in; '' is one that has no name yet. */
export interface Send extends UnsentSend {
  session: string;
}

/** Without `due_to` it does not pass by itself. */
export interface Refused {
  reason: string;
  due_to?: RefusedOver;
}

export class Drafts {
  /** The session that is shown; '' is one that has no name yet. */
  session = '';
  /** Why the host refused the last prompt; the text is back in the draft. Undefined: it did not, or what it was due to has passed. */
  refusal: Refused | undefined;
  /** The prompts that were sent from the session without a name: the next name is that of the session they began. */
  readonly #beginning = new Set<string>();
  readonly #kept: KeptState;
  readonly #newId: () => string;
  readonly #now: () => number;

  /** `now`: ms since the epoch. */
  constructor(kept: KeptState, newId: () => string, now: () => number = Date.now) {
    this.#kept = kept;
    this.#newId = newId;
    this.#now = now;
  }

  get text(): string {
    return this.#of(this.session).draft;
  }

  /** Prompts of the shown session on their way to the host, oldest first. */
  get sends(): readonly UnsentSend[] {
    return this.#of(this.session).sends;
  }

  type(text: string): void {
    this.#change(this.session, { draft: text });
    // The page may be gone in the next moment; only what is slow to write waits for a pause in the typing.
    if (text.length < SMALL) this.#kept.save();
    else this.#kept.saveSoon();
  }

  /** Takes the draft for sending; undefined when it is blank. It is kept until the host has answered. */
  send(): Send | undefined {
    const text = this.text.trim();
    if (text === '') return undefined;
    if (text.length > LONGEST) {
      const reason = `This message has ${text.length} characters; at most ${LONGEST} can be sent. Put it into a file and name the file.`;
      this.refusal = { reason };
      return undefined;
    }
    const send = { id: this.#newId(), text };
    this.#change(this.session, { draft: '', sends: [...this.sends, send] });
    this.refusal = undefined;
    // A command begins no session, and what it says is for the one that is shown.
    if (this.session === '' && !isCommand(text)) this.#beginning.add(send.id);
    this.#kept.save();
    return { ...send, session: this.session };
  }

  accepted(id: string): void {
    const session = this.#sessionOf(id);
    if (session === undefined) return;
    this.#change(session, { sends: this.#of(session).sends.filter((send) => send.id !== id) });
    this.#kept.save();
  }

  refused(id: string, refused: Refused): void {
    const session = this.#sessionOf(id);
    if (session === undefined) return;
    this.refusal = refused;
    this.#beginning.delete(id);
    this.#giveBack(session, [id]);
    this.#kept.save();
  }

  /** What a prompt may have been refused for is over. */
  passed(what: RefusedOver): void {
    if (this.refusal?.due_to === what) this.refusal = undefined;
  }

  /** Text that the host gives back: once, however often it comes. When this returns it is kept. */
  prefill(id: string, text: string): void {
    const { unsent } = this.#kept.value;
    if (Object.values(unsent).some(({ prefilled }) => prefilled.includes(id))) return;
    this.#change(this.session, { prefilled: [...this.#of(this.session).prefilled, id].slice(-PREFILLED_KEPT) });
    this.offer(text);
    this.#kept.save();
  }

  /** Text for the composer, after what is there. */
  offer(text: string): void {
    if (this.text.trim() === text.trim()) return;
    this.type(joined(this.text, text));
  }

  /** The host's copy, after the page was loaded: of each session the one that was written later counts. */
  restore(unsent: Record<string, Unsent>): void {
    for (const [session, theirs] of Object.entries(unsent))
      if (theirs.at > this.#of(session).at) this.#kept.take(session, theirs);
    this.#kept.saveSoon();
  }

  /** The panel shows another session, or the new one has got its name, which takes along what was written in it. */
  show(session: string): void {
    if (session === this.session) return;
    const began = this.#beginning.size > 0 && this.session === '';
    if (began) this.#move(session, true);
    this.session = session;
    this.#beginning.clear();
    this.refusal = undefined;
    this.#kept.saveSoon();
  }

  /**
   * After the page was loaded: what the host has not answered, to be sent again under the same id (it knows what it has
   * taken). A prompt of another session than the one shown becomes that session's draft again; one of a new session belongs
   * to what is shown, which got its name unheard.
   */
  unanswered(): readonly Send[] {
    const { session } = this;
    for (const [other, { sends }] of Object.entries(this.#kept.value.unsent)) {
      if (other === session || sends.length === 0) continue;
      if (other === '') this.#move(session, false);
      else
        this.#giveBack(
          other,
          sends.map(({ id }) => id),
        );
    }
    this.#kept.save();
    return this.sends.map((send) => ({ ...send, session }));
  }

  /** What is on its way from the new session is on its way from this one, and `whole` takes the draft along. */
  #move(session: string, whole: boolean): void {
    const from = this.#of('');
    const to = this.#of(session);
    this.#change(session, {
      draft: whole ? joined(to.draft, from.draft) : to.draft,
      sends: [...to.sends, ...from.sends],
    });
    this.#change('', { draft: whole ? '' : from.draft, sends: [] });
  }

  #giveBack(session: string, ids: readonly string[]): void {
    const { draft, sends } = this.#of(session);
    const back = sends.filter(({ id }) => ids.includes(id)).map(({ text }) => text);
    this.#change(session, {
      draft: [...back, draft].reduce(joined),
      sends: sends.filter(({ id }) => !ids.includes(id)),
    });
  }

  #sessionOf(id: string): string | undefined {
    const { unsent } = this.#kept.value;
    return Object.keys(unsent).find((session) => this.#of(session).sends.some((send) => send.id === id));
  }

  #of(session: string): Unsent {
    return this.#kept.unsent(session) ?? NOTHING;
  }

  #change(session: string, change: Partial<Unsent>): void {
    const unsent = this.#of(session);
    // Later than what it replaces also when the clock was set back.
    this.#kept.change(session, { ...unsent, ...change, at: Math.max(this.#now(), unsent.at + 1) });
  }
}

/** As the host reads it: `//` stands for `/`, and a second slash in the first word makes it a path. */
export function isCommand(text: string): boolean {
  return /^\/[^/\s]*(\s|$)/.test(text);
}

/** One text after the other, a blank line between them; nothing that a person typed is ever replaced. */
function joined(first: string, second: string): string {
  if (first.trim() === '') return second;
  return second.trim() === '' ? first : `${first.trimEnd()}\n\n${second}`;
}
