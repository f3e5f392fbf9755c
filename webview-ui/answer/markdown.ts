/**
 * Markdown of a model to HTML (P7): no raw HTML, no images, no address that the page itself would follow. What a link or a
 * button stands for is in a `data-` attribute, and the panel decides what to do about it.
 */
import MarkdownIt, { type Token } from 'markdown-it';

import { visible } from '../../src/session/visible.ts';
import { highlight } from './highlight.ts';
import { linkTarget } from './links.ts';

export const md = new MarkdownIt({ html: false, linkify: true });
// `readme.md` and `main.rs` are files here, not web sites.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const schema of ['ftp:', '//']) md.linkify.add(schema, null);
md.validateLink = (href) => linkTarget(href) !== undefined;

/** More cells than anybody reads would keep the browser busy for seconds, with each piece of a growing answer again. */
const MOST_CELLS = 5000;

// Such a table is shown as it was written. The parser's own rule for tables comes behind this one.
md.block.ruler.before(
  'table',
  'huge_table',
  (state, startLine, endLine, silent) => {
    const line = (at: number) => state.src.slice(state.bMarks[at], state.eMarks[at]);
    if (startLine + 2 > endLine || !/^[\s|:>-]*-[\s|:>-]*$/.test(line(startLine + 1))) return false;
    let cells = 0;
    let end = startLine;
    for (; end < endLine && !state.isEmpty(end); end++) cells += line(end).split('|').length - 1;
    if (cells <= MOST_CELLS) return false;
    if (silent) return true;
    state.line = end;
    const token = state.push('code_block', 'code', 0);
    token.content = state.getLines(startLine, end, state.blkIndent, false);
    token.map = [startLine, end];
    return true;
  },
  { alt: ['paragraph', 'reference'] },
);

const escape = (text: string): string => md.utils.escapeHtml(text);
const rules = md.renderer.rules;

rules['text'] = (tokens, at) => escape(visible(tokens[at]?.content ?? ''));
rules['fence'] = (tokens, at) => codeBlock(tokens[at]?.content ?? '', tokens[at]?.info.trim().split(/\s+/)[0] ?? '');
rules['code_block'] = (tokens, at) => codeBlock(tokens[at]?.content ?? '', '');
rules['code_inline'] = (tokens, at) => `<code>${escape(visible(tokens[at]?.content ?? ''))}</code>`;
rules['link_open'] = (tokens, at) => linkOpen(attribute(tokens[at], 'href'));
rules['link_close'] = () => '</a>';
rules['image'] = (tokens, at) => {
  const words = escape(visible(tokens[at]?.content || attribute(tokens[at], 'src')));
  const label = `<i class="codicon codicon-file-media" aria-hidden="true"></i> ${words}`;
  return insideLink(tokens, at) ? label : `${linkOpen(attribute(tokens[at], 'src'))}${label}</a>`;
};
// The page's policy forbids style attributes.
for (const name of ['th_open', 'td_open'])
  rules[name] = (tokens, at) => {
    const side = /right|center/.exec(attribute(tokens[at], 'style'))?.[0];
    return `<${tokens[at]?.tag ?? 'td'}${side === undefined ? '' : ` class="align-${side}"`}>`;
  };
rules['table_open'] = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
rules['table_close'] = () => '</table></div>';

function linkOpen(href: string): string {
  const target = linkTarget(href);
  if (target === undefined) return '<a>';
  const where =
    target.kind === 'web'
      ? `data-href="${escape(target.href)}"`
      : `data-path="${escape(target.path)}"${target.line === undefined ? '' : ` data-line="${target.line}"`}`;
  return `<a role="link" tabindex="0" title="${escape(visible(href))}" ${where}>`;
}

function insideLink(tokens: Token[], at: number): boolean {
  const before = tokens.slice(0, at).findLast(({ type }) => type === 'link_open' || type === 'link_close');
  return before?.type === 'link_open';
}

function codeBlock(source: string, language: string): string {
  const code = visible(source.replace(/\n$/, ''));
  const name = escape(visible(language));
  const action = (icon: string, what: string, title: string): string =>
    `<button type="button" class="action" data-action="${what}" title="${title}" aria-label="${title}">` +
    `<i class="codicon codicon-${icon}" aria-hidden="true"></i></button>`;
  return (
    `<div class="code"><div class="code-head"><span class="code-language">${name || 'text'}</span>` +
    `${action('copy', 'copy', 'Copy code')}${action('insert', 'insert', 'Insert at the cursor')}</div>` +
    `<pre tabindex="0" role="group" aria-label="Code${name && `, ${name}`}"><code>${highlight(code, language.toLowerCase()) ?? escape(code)}</code></pre></div>\n`
  );
}

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '');
}
