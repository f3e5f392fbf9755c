/** The time since a moment, ticking by itself so that nothing else is drawn again for it. Not read aloud. */
import { duration } from './words.ts';

export class ElapsedElement extends HTMLElement {
  #since = Number.NaN;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Milliseconds since the epoch; shows nothing when it is no number. */
  set since(since: number) {
    this.#since = since;
    this.#show();
  }

  connectedCallback(): void {
    this.ariaHidden = 'true';
    this.#timer = setInterval(() => this.#show(), 1000);
    this.#show();
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }

  #show(): void {
    const text = Number.isNaN(this.#since) ? '' : duration(Date.now() - this.#since);
    if (this.textContent !== text) this.textContent = text;
  }
}

customElements.define('polyglav-elapsed', ElapsedElement);
