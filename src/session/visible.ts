/** Control characters, line separators, and what shows as nothing or turns the text around it. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** For a message to a person: unseen characters as escapes, `\u{200b}`. */
export function visible(text: string): string {
  return text.toWellFormed().replace(new RegExp(UNSEEN, 'gu'), (point) => `\\u{${point.codePointAt(0)?.toString(16)}}`);
}
