/** Whether a here-document begins and ends where a shell would begin and end it, and has nothing in it that would be run unseen. */
import type { ShellNode } from './grammar.ts';
import type { Text } from './text.ts';

/** A plain word, or one in quotes: then nothing in the document is expanded. */
const DELIMITER = /^(?:(?<plain>[\w.-]+)|'(?<single>[^'\n]+)'|"(?<double>[^"\\$`\n]+)"|\\(?<escaped>[\w.-]+))$/;

/** The document's bounds in UTF-16 units; undefined when the tree does not have it as a shell would. */
export function hereDocument(node: ShellNode, text: Text): { start: number; end: number } | undefined {
  const part = (type: string) => node.children.find((child) => child.type === type);
  const start = part('heredoc_start');
  const end = part('heredoc_end');
  const groups = start === undefined ? undefined : DELIMITER.exec(text.of(start))?.groups;
  if (start === undefined || end === undefined || groups === undefined) return undefined;
  const delimiter = groups['plain'] ?? groups['single'] ?? groups['double'] ?? groups['escaped'] ?? '';
  const bounds = bodyOf(text.line, start.end, delimiter, part('<<-') !== undefined);
  if (bounds === undefined || bounds.next !== end.end) return undefined;
  const body = part('heredoc_body');
  const sameLine = node.children.filter((child) => child !== body && child !== end);
  if (!isCovered(sameLine, bounds.start - 1, text)) return undefined;
  if (body !== undefined && body.start < bounds.start) return undefined;
  if (groups['plain'] === undefined) return body === undefined || body.children.length === 0 ? bounds : undefined;
  return runsUnseen(text.line, bounds, body?.children ?? []) ? undefined : bounds;
}

/** Whether there is nothing else in the line up to its end: the grammar passes over some of it. */
function isCovered(parts: readonly ShellNode[], lineEnd: number, text: Text): boolean {
  let end = parts[0]?.start ?? 0;
  for (const part of parts) {
    if (part.start < end || !text.isBlank(end, part.start, false)) return false;
    end = part.end;
  }
  return end <= lineEnd && text.isBlank(end, lineEnd, false);
}

/** From the line behind the operator's to the one that is the delimiter; `next`: the end of that. */
function bodyOf(
  line: string,
  from: number,
  delimiter: string,
  tabs: boolean,
): { start: number; end: number; next: number } | undefined {
  const lineEnd = line.indexOf('\n', from);
  if (lineEnd < 0) return undefined;
  const start = lineEnd + 1;
  for (let at = start; at <= line.length;) {
    const newline = line.indexOf('\n', at);
    const next = newline < 0 ? line.length : newline;
    const one = line.slice(at, next);
    if ((tabs ? one.replace(/^\t+/, '') : one) === delimiter) return { start, end: at, next };
    at = next + 1;
  }
  return undefined;
}

/** Outside of the expansions that the grammar found there must be none; it does not see backquotes in a document. */
function runsUnseen(
  line: string,
  { start, end }: { start: number; end: number },
  found: readonly ShellNode[],
): boolean {
  const expansions = found.filter(({ type }) => !type.startsWith('heredoc_'));
  let at = start;
  const texts: string[] = [];
  for (const expansion of expansions) {
    texts.push(line.slice(at, expansion.start));
    at = expansion.end;
  }
  texts.push(line.slice(at, end));
  return texts.some((text) => /[`]|\$[({[]/.test(text.replace(/\\[^]/g, '')) || /(^|[^\\])(\\\\)*\\$/.test(text));
}
