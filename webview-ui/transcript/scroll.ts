/**
 * Where the transcript stands (U3). It follows its end while the person is there; otherwise nothing that arrives moves it,
 * neither do a selection being made nor a card being opened.
 */

/** Pixels from the end that still count as there. */
const NEAR = 24;
const INPUTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'];

export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  readonly #onChange: () => void;
  readonly #resizes: ResizeObserver;
  #following = true;
  #last = 0;
  #pressed = false;
  #unseen = false;
  #inputs = 0;

  /** `onChange` is called when `following` or `unseen` may have changed, and after each scroll. */
  constructor(scroller: HTMLElement, content: HTMLElement, onChange: () => void) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    this.#resizes = new ResizeObserver(() => this.#follow());
    this.#resizes.observe(content);
    this.#resizes.observe(scroller);
    scroller.addEventListener('scroll', this.#scrolled, { passive: true });
    scroller.addEventListener('pointerdown', this.#press);
    for (const name of INPUTS) scroller.addEventListener(name, this.#input, { passive: true });
    window.addEventListener('pointerup', this.#release);
    window.addEventListener('pointercancel', this.#release);
  }

  dispose(): void {
    this.#resizes.disconnect();
    this.#scroller.removeEventListener('scroll', this.#scrolled);
    this.#scroller.removeEventListener('pointerdown', this.#press);
    for (const name of INPUTS) this.#scroller.removeEventListener(name, this.#input);
    window.removeEventListener('pointerup', this.#release);
    window.removeEventListener('pointercancel', this.#release);
  }

  /** The transcript stands at its end and stays there. */
  get following(): boolean {
    return this.#following;
  }

  /** Something arrived below while the person was elsewhere. */
  get unseen(): boolean {
    return this.#unseen;
  }

  /** Counts what a person does that may scroll. */
  get inputs(): number {
    return this.#inputs;
  }

  arrived(): void {
    if (this.#following || this.#unseen) return;
    this.#unseen = true;
    this.#onChange();
  }

  toEnd(): void {
    this.#settle();
    this.#scrollToEnd();
  }

  /** Stays where it is, whatever grows. */
  hold(): void {
    this.#following = false;
  }

  /** Brings the top of what is in it to its own; `scrollIntoView` would move whatever is around it too. */
  toTopOf(element: Element): void {
    this.hold();
    this.shift(element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top);
  }

  /** Moves by what was put in above. */
  shift(pixels: number): void {
    this.#scroller.scrollTop += pixels;
    this.#last = this.#scroller.scrollTop;
  }

  #follow(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const distance = scrollHeight - clientHeight - scrollTop;
    if (!this.#following) {
      // What was opened is shut again, or all of it fits.
      if (distance <= 1) this.#settle();
      return;
    }
    if (distance > 1 && this.#isReading()) {
      this.#following = false;
      this.arrived();
      return;
    }
    this.#scrollToEnd();
  }

  #scrollToEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#last = this.#scroller.scrollTop;
  }

  readonly #scrolled = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const distance = scrollHeight - clientHeight - scrollTop;
    if (scrollTop < this.#last && distance > 1) this.#following = false;
    else if (distance <= NEAR) this.#settle();
    this.#last = scrollTop;
    this.#onChange();
  };

  #settle(): void {
    this.#following = true;
    this.#unseen = false;
    this.#onChange();
  }

  /** A selection is in sight or being made. */
  #isReading(): boolean {
    if (this.#pressed) return true;
    const selection = document.getSelection();
    if (selection === null || selection.isCollapsed || !this.#scroller.contains(selection.anchorNode)) return false;
    const selected = selection.getRangeAt(0).getBoundingClientRect();
    const window = this.#scroller.getBoundingClientRect();
    return selected.bottom > window.top && selected.top < window.bottom;
  }

  readonly #input = (): void => {
    this.#inputs += 1;
  };

  readonly #press = (): void => {
    this.#pressed = true;
  };

  readonly #release = (): void => {
    this.#pressed = false;
  };
}
