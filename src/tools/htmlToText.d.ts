/** The part of the package that is used here; it brings no types of its own. */
declare module 'html-to-text' {
  interface Element {
    attribs: Readonly<Record<string, string>>;
  }
  interface Builder {
    addInline(text: string): void;
  }
  type Formatter = (element: Element, walk: unknown, builder: Builder) => void;
  interface Selector {
    selector: string;
    format?: string;
    options?: Readonly<Record<string, unknown>>;
  }
  interface Options {
    wordwrap: false;
    baseElements: { selectors: string[]; orderBy: 'selectors' };
    limits: { maxInputLength: number };
    formatters: Readonly<Record<string, Formatter>>;
    selectors: Selector[];
  }
  export function convert(html: string, options: Options): string;
}
