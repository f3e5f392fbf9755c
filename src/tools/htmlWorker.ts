/** The thread that makes text of a page (`htmlText.ts` starts it): a hostile page can keep it busy for minutes, and nothing else. */
import { parentPort, workerData } from 'node:worker_threads';
import { convert, type Selector } from 'html-to-text';

const { html, base } = workerData as { html: string; base: string };

const selectors: Selector[] = [
  ...['script', 'style', 'noscript', 'template', 'svg', 'canvas', 'iframe', 'object', 'nav', 'button', 'select'].map(
    (selector) => ({ selector, format: 'skip' }),
  ),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  {
    selector: 'a',
    options: { pathRewrite: absolute, linkBrackets: ['(', ')'], hideLinkHrefIfSameAsText: true },
  },
  { selector: 'img', format: 'alternative' },
  // The package's own layout of tables makes room for as many columns as a page says that there are.
  { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
  ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' | ' } })),
  { selector: 'head > title', format: 'block' },
];

const text = convert(html, {
  wordwrap: false,
  baseElements: { selectors: ['head > title', 'body'], orderBy: 'selectors' },
  limits: { maxInputLength: html.length },
  formatters: { alternative: ({ attribs }, _walk, builder) => builder.addInline(attribs['alt'] ?? '') },
  selectors,
});
parentPort?.postMessage(
  text
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim(),
);

/** Empty for what is no place on the web, and is then left out. */
function absolute(href: string): string {
  if (!URL.canParse(href, base)) return '';
  const url = new URL(href, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : '';
}
