/** Text of a model or a file, made fit for the one-line and plain-text places of VS Code. */

import { codePointLength, takeStart } from '../tools/codePoints.ts';

/** Controls but for line feed and tab, format characters (bidi, zero width, tags), line separators, half characters, blank letters. */
const INVISIBLE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034F\u115F\u1160\u2800\u3164\uFFA0]/gu;

/** Shows what could deceive the eye: a right-to-left override becomes `⟨U+202E⟩`. A person decides by what stands here. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(
      INVISIBLE,
      (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    );
}

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
