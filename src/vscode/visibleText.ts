/** Text of a model or a file, made fit for the one-line and plain-text places of VS Code. */

import { visible } from '../session/visible.ts';
import { codePointLength, takeEnd, takeStart } from '../text/codePoints.ts';

/**
 * At most `max` code points and `maxLines` lines, from both ends, so that what matters cannot hide behind what does not. What is
 * left out between is counted, and `where` says how to read it.
 */
export function clip(text: string, max: number, where: string, maxLines = Infinity): string {
  const length = codePointLength(text);
  const lines = text.split('\n');
  if (length <= max && lines.length <= maxLines) return text;
  const head = takeStart(lines.slice(0, Math.ceil(maxLines / 2)).join('\n'), Math.ceil(max / 2));
  const tail = takeEnd(lines.slice(-Math.ceil(maxLines / 2)).join('\n'), Math.floor(max / 2));
  const left = length - codePointLength(head) - codePointLength(tail);
  return `${head}…\n(${left} more characters: ${where})\n…${tail}`;
}

/** For labels in which VS Code would draw `$(name)` as an icon. */
export function plainLabel(text: string): string {
  return visible(text).replace(/\s+/g, ' ').replaceAll('$(', '\\$(');
}

/** For notifications, in which VS Code would make `[text](command:…)` a link. */
export function plainNotice(text: string): string {
  return visible(text).replaceAll('](', '] (');
}
