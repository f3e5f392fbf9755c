/** What "allow for this session" covers. Kept in memory only: no grant is ever read back from a log (R15, P3). */
import type { Call, Verdict } from './policy.ts';
import { shownPath } from './paths.ts';
import { hostOf } from './privateAddress.ts';

interface Scope {
  key: string;
  /** Completes "Allow for this session: …". */
  text: string;
}

/**
 * As narrow as is still of use: a command line in exactly these words and this folder; an address by its host; what is asked for a
 * reason of its own (`.env`, a rule for its path) by itself; any other tool wherever the policy would ask nothing special, which is
 * inside the workspace. Outside it, and where a rule may deny it: nothing (P4).
 */
function scopeOf({ tool, input, workspace }: Call, verdict: Verdict): Scope | undefined {
  if (verdict.action !== 'ask' || verdict.only_once) return undefined;
  const line = tool.commandLine?.(input);
  if (line !== undefined) {
    if (verdict.path === undefined) return undefined;
    const text = `exactly this command in ${shownPath(workspace, verdict.path)}`;
    return { key: JSON.stringify([tool.name, line, verdict.path]), text };
  }
  const address = tool.address?.(input);
  if (address !== undefined) {
    const host = hostOf(address);
    return host === undefined
      ? undefined
      : { key: JSON.stringify([tool.name, host]), text: `${allOf(tool.name)} from ${host}` };
  }
  if (verdict.resolved.size === 0) return { key: tool.name, text: allOf(tool.name) };
  if (verdict.ask_reason === undefined) return { key: tool.name, text: `${allOf(tool.name)} in this folder` };
  const paths = [...verdict.resolved.values()];
  const shown = paths.map((path) => shownPath(workspace, path)).join(' and ');
  return { key: JSON.stringify([tool.name, ...paths]), text: `${allOf(tool.name)} of ${shown}` };
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['file_read', 'reads'],
  ['file_write', 'writes'],
  ['file_edit', 'edits'],
  ['file_list', 'listings'],
  ['file_search', 'searches'],
  ['web_fetch', 'fetches'],
]);

/** The calls of a tool, for a person. */
function allOf(tool: string): string {
  return `all ${KINDS.get(tool) ?? `calls of ${tool}`}`;
}

/** What a grant for the session would cover, for the prompt; undefined when this call can only be allowed once. */
export function scopeText(call: Call, verdict: Verdict): string | undefined {
  return scopeOf(call, verdict)?.text;
}

/** The grants of one live run. */
export class SessionGrants {
  readonly #keys = new Set<string>();

  /** Remembers what {@link scopeText} said; nothing for a call that can only be allowed once. */
  add(call: Call, verdict: Verdict): void {
    const scope = scopeOf(call, verdict);
    if (scope !== undefined) this.#keys.add(scope.key);
  }

  /** True when the person already allowed such a call; never for one that the policy denies. */
  covers(call: Call, verdict: Verdict): boolean {
    const scope = scopeOf(call, verdict);
    return scope !== undefined && this.#keys.has(scope.key);
  }
}
