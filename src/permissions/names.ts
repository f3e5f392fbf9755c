/** Names of files and folders as the most forgiving file system reads them: what one of them takes for `.git` is `.git` here. */

/**
 * Without letter case, compatible forms, characters that show as nothing (HFS+ skips those), and the dots, spaces and stream names at
 * the end that Windows drops.
 */
export function foldedName(name: string): string {
  // Most names are folded already.
  if (/^[a-z0-9._-]*[a-z0-9_-]$/.test(name)) return name;
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/(?<=.):.*$/s, '')
    .replace(/(?<=[^. ])[. ]+$/, '');
}

/** Whether a name is that of a folder such as `.git`, also in the short form that Windows gives it (`GIT~1`). */
export function isNamed(name: string, folder: string): boolean {
  const folded = foldedName(name);
  return folded === folder || (/~\d+$/.test(folded) && folded.replace(/~\d+$/, '') === folder.slice(1, 7));
}
