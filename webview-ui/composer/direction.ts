/**
 * The writing direction of a text by its first letter, as `dir="auto"` finds it; but that looks through all of a text box at each
 * change, which for a pasted megabyte takes ten seconds and more.
 */
export function direction(text: string): 'ltr' | 'rtl' {
  const letter = /\p{L}/u.exec(text.slice(0, LOOKED_AT))?.[0] ?? '';
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** UTF-16 units. */
const LOOKED_AT = 1000;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
