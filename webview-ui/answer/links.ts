/** Which links of a model's answer may do something (P7): web and mail addresses, and files below the workspace. */

export type LinkTarget = { kind: 'web'; href: string } | { kind: 'file'; path: string; line?: number };

const WEB = /^(?:https?:\/\/[^/]|mailto:[^/])/i;
const LONGEST = 4096;

/** Undefined for everything else: other schemes, absolute paths, paths that climb out, fragments. */
export function linkTarget(href: string): LinkTarget | undefined {
  if (href.length > LONGEST) return undefined;
  return WEB.test(href) ? { kind: 'web', href } : fileTarget(href);
}

/** `src/a.ts`, `./src/a.ts:12`, `src/a.ts#L12-L20`. */
function fileTarget(href: string): LinkTarget | undefined {
  const decoded = decode(href);
  const parsed = decoded === undefined ? null : /^(.+?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?)?$/.exec(decoded);
  const path = parsed?.[1];
  if (path === undefined || /^[/\\~#?]|[:\\\p{Cc}\p{Cf}]/u.test(path) || climbsOut(path)) return undefined;
  const line = Number(parsed?.[2] ?? parsed?.[3] ?? 0);
  return { kind: 'file', path, ...(line > 0 && Number.isSafeInteger(line) ? { line } : {}) };
}

function climbsOut(path: string): boolean {
  let depth = 0;
  for (const step of path.split('/')) {
    if (step === '..') depth -= 1;
    else if (step !== '.' && step !== '') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function decode(href: string): string | undefined {
  try {
    return decodeURIComponent(href);
  } catch {
    return undefined;
  }
}
