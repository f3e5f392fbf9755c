/**
 * What enters a session's log passes here once, so that no known key gets into it, whoever wrote it: the person, the model, a tool
 * or a provider (R15). What is made of the log (requests, panel, exports) has none then either.
 */
import type { SessionEvent } from '../session/events.ts';
import { isKind, type Part } from '../session/schema.ts';
import { secretsOf, type RedactedPieces, type Secrets } from './secrets.ts';

export class Redaction {
  #secrets: Secrets = secretsOf([], {});
  /** The text or thinking that streams. */
  #stream: RedactedPieces | undefined;

  /** What must not get into the log from now on. */
  use(secrets: Secrets): void {
    this.#secrets = secrets;
  }

  /**
   * What to append for `event`, in order. The end of a text that streams waits while it may be the beginning of a key, at the
   * longest until the text ends.
   */
  clean(event: SessionEvent): SessionEvent[] {
    const { redact, redactAll } = this.#secrets;
    switch (event.type) {
      case 'part_extended': {
        const text = (this.#stream ??= this.#secrets.inPieces()).push(event.text);
        return text === '' ? [] : [{ ...event, text }];
      }
      case 'part_added':
        return [...this.end(event.at), { ...event, part: this.#part(event.part) }];
      case 'part_filled':
        return [{ ...event, fill: redactAll(event.fill) }];
      case 'turn_ended':
        return [...this.end(event.at), event];
      case 'error':
        return [{ ...event, entry: { ...event.entry, message: redact(event.entry.message) } }];
      case 'permission': {
        const { path } = event.entry;
        return [{ ...event, entry: { ...event.entry, ...(path === undefined ? {} : { path: redact(path) }) } }];
      }
      case 'turn_started':
      case 'sub_session':
        return [event];
    }
  }

  /** What still waits of a text to which nothing comes any more. */
  end(at: string): SessionEvent[] {
    const text = this.#stream?.end() ?? '';
    this.#stream = undefined;
    return text === '' ? [] : [{ type: 'part_extended', at, text }];
  }

  #part(part: Part): Part {
    if (isKind(part, 'text') || isKind(part, 'thinking')) {
      this.#stream = this.#secrets.inPieces();
      part = { ...part, text: this.#stream.push(part.text) };
    }
    const { type, timestamp, ...content } = part;
    return { type, timestamp, ...this.#secrets.redactAll(content) };
  }
}
