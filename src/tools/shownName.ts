/**
 * A file's name as an entry of a list for the model. One that would begin a line of its own, and so read as a second entry, is
 * written as a JSON string; the tools take the name that this stands for.
 */
export function shownName(name: string): string {
  if (!/[\p{Cc}\p{Zl}\p{Zp}]|^"/u.test(name)) return name;
  return JSON.stringify(name).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
