/** Text of a model or a file, made fit for the one-line and plain-text places of VS Code. */

import { visible } from '../session/visible.ts';
import { codePointLength, takeStart } from '../tools/codePoints.ts';

/** At most `max` code points; what is left out is counted and `where` says how to read it. */
export function clip(text: string, max: number, where: string): string {
  const left = codePointLength(text) - max;
  return left <= 0 ? text : `${takeStart(text, max)}…\n(${left} more characters: ${where})`;
}

/** For labels in which VS Code would draw `$(name)` as an icon. */
export function plainLabel(text: string): string {
  return visible(text).replace(/\s+/g, ' ').replaceAll('$(', '\\$(');
}

/** For notifications, in which VS Code would make `[text](command:…)` a link. */
export function plainNotice(text: string): string {
  return visible(text).replaceAll('](', '] (');
}
