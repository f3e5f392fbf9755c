/** An answer, or any Markdown for the person, that may still grow. */
import { Blocks } from './blocks.ts';
import { morph } from './morph.ts';

/** Between two renderings of a text that grows: the eye needs no more, and a long open block may cost at most a fifth of the time. */
const PAUSE = { ms: 50, times_cost: 4 };

export class AnswerElement extends HTMLElement {
  readonly #blocks = new Blocks();
  #text = '';
  #growing = false;
  #html: string[] = [];
  #cost = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  set text(text: string) {
    if (text === this.#text) return;
    this.#text = text;
    this.#changed();
  }

  set growing(growing: boolean) {
    if (growing === this.#growing) return;
    this.#growing = growing;
    this.#changed();
  }

  connectedCallback(): void {
    this.classList.add('answer');
    this.dir = 'auto';
    this.#draw();
  }

  #changed(): void {
    if (!this.isConnected) return;
    if (this.#growing && this.#html.length > 0) {
      this.#timer ??= setTimeout(() => this.#draw(), Math.max(PAUSE.ms, this.#cost * PAUSE.times_cost));
    } else this.#draw();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const from = performance.now();
    const html = this.#growing ? this.#blocks.grow(this.#text) : this.#blocks.finish(this.#text);
    html.forEach((block, at) => {
      if (block === this.#html[at]) return;
      const element = this.children[at] ?? this.appendChild(document.createElement('div'));
      morph(element, block);
    });
    while (this.children.length > html.length) this.lastElementChild?.remove();
    this.#html = html;
    this.#cost = performance.now() - from;
  }
}

customElements.define('polyglav-answer', AnswerElement);
