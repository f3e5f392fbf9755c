/**
 * Markdown of a person or a model as HTML that can do nothing (E3): no raw HTML, no address that is loaded by itself, links to web
 * and mail addresses alone. What cannot be seen is spelled out.
 */
import MarkdownIt, { type Token } from 'markdown-it';

import { visible } from '../session/visible.ts';

const md = new MarkdownIt({ html: false, linkify: true });
// `readme.md` and `main.rs` are files here, not web sites.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const schema of ['ftp:', '//']) md.linkify.add(schema, null);
// Every address is taken here, and those that are not safe are put in words below.
md.validateLink = () => true;
md.core.ruler.push('addresses', ({ tokens }) => {
  for (const { children } of tokens) if (children !== null) disarm(children);
});
// No class by the text's own words.
md.renderer.rules['fence'] = (tokens, at) =>
  `<pre><code>${md.utils.escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`;
md.renderer.rules['image'] = (tokens, at) => picture(tokens[at] as Token);

/** Most of a log: there is nothing to spell out in it, and looking closer takes long. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
const SAFE = /^(?:https?:\/\/[^/]|mailto:[^/])/i;
/** Beyond it the parser drops what is nested deeper, or takes long: such a text is shown as it is. */
const MOST = { levels: 90, characters: 512 * 1024 };

/** `prompt`: what a person typed, whose line breaks are meant. */
export function proseHtml(text: string, prompt = false): string {
  const source = seen(text);
  if (source.length > MOST.characters) return preformatted(text);
  md.set({ breaks: prompt });
  const tokens = md.parse(source, {});
  if (tokens.some(({ level }) => level > MOST.levels)) return preformatted(text);
  return md.renderer.render(tokens, md.options, {});
}

/** Text of any kind for an element or a quoted attribute, with what cannot be seen spelled out. */
export function escaped(text: string): string {
  return md.utils.escapeHtml(seen(text));
}

/** Text of any kind as it is, line by line. A parser drops a line break right behind the tag, so there is one more. */
export function preformatted(text: string): string {
  return `<pre>\n${escaped(text)}</pre>\n`;
}

function seen(text: string): string {
  return PLAIN.test(text) ? text : visible(text);
}

/** A link elsewhere becomes its words, with the address as a hint; the rest of its tokens stay. */
function disarm(tokens: Token[]): void {
  let open: Token | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      open = token;
      const href = attribute(token, 'href');
      token.tag = SAFE.test(href) ? 'a' : 'span';
      token.attrs = SAFE.test(href)
        ? [
            ['href', href],
            ['rel', 'noopener noreferrer'],
          ]
        : [
            ['class', 'address'],
            ['title', href],
          ];
    } else if (token.type === 'link_close') {
      token.tag = open?.tag ?? 'a';
      open = undefined;
    } else if (token.type === 'image') token.meta = { inLink: open !== undefined };
  }
}

/** Its alternative text, and a link to where it is: nothing is loaded. */
function picture(token: Token): string {
  const source = attribute(token, 'src');
  const words = md.utils.escapeHtml(token.content === '' ? 'Image' : token.content);
  const shown = `<span class="picture" title="${md.utils.escapeHtml(source)}">${words}</span>`;
  const { inLink } = token.meta as { inLink: boolean };
  if (inLink || !SAFE.test(source)) return shown;
  return `${shown} <a href="${md.utils.escapeHtml(source)}" rel="noopener noreferrer">(image source)</a>`;
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}
