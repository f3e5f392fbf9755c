/** What a click or Enter on a link or on a button of a code block asks for; the elements say it in `data-` attributes. */
import type { WebviewMessage } from '../../src/protocol/messages.ts';

/** Undefined when `target` is neither. */
export function requested(target: EventTarget | null): WebviewMessage | undefined {
  if (!(target instanceof Element)) return undefined;
  const link = target.closest<HTMLElement>('[data-href], [data-path]');
  if (link !== null) return linkMessage(link.dataset);
  const action = target.closest<HTMLElement>('[data-action]');
  const text = action?.closest('.code')?.querySelector('pre')?.textContent ?? '';
  switch (action?.dataset['action']) {
    case 'copy':
      return { type: 'copy', text };
    case 'insert':
      return { type: 'insert', text };
    default:
      return undefined;
  }
}

function linkMessage({ href, path, line }: DOMStringMap): WebviewMessage | undefined {
  if (href !== undefined) return { type: 'open_link', href };
  if (path === undefined) return undefined;
  return { type: 'open_file', path, ...(line === undefined ? {} : { line: Number(line) }) };
}
