/** Patterns of rules for paths. One that could never match would be a rule that its author believes in: it is refused. */
import { parseGlob, type Glob } from '../text/glob.ts';

/** The message of `error` says what is wrong and what would be accepted. */
export function parsePathPattern(text: string): Glob | { error: string } {
  const glob = parseGlob(text);
  const useless = 'error' in glob ? undefined : reasonNeverToMatch(text);
  return useless === undefined ? glob : { error: useless };
}

function reasonNeverToMatch(text: string): string | undefined {
  if (/^~(?:\/|$)/.test(text)) return '~ is no folder here; write the absolute path, as in /home/me/.ssh/**.';
  if (/^[A-Za-z]:\\|^\\\\/.test(text)) return 'write / between folders, as in C:/Users/me/**.';
  if (text.length > 1 && text.endsWith('/')) return `write ${text}** for a folder and all that is in it.`;
  if (/^\.\/|\/\.(?:\/|$)/.test(text))
    return 'leave "./" out: a pattern is compared with the whole path, as in src/a.ts.';
  if (/[^/.]\/(?:.*\/)?\.\.(?:\/|$)|^\/\.\./.test(text))
    return '".." can only stand at the beginning; write where the path leads, as in src/a.ts.';
  return text.includes('//') ? 'write one / between folders.' : undefined;
}
