/** Facts about a turn in words, the same in every form in which a session is read. */
import type { Turn } from '../session/schema.ts';

/** `0.4s`, `5.5s`, `1m 30s`, `2h 1m`; undefined while it runs, and when the log does not say. */
export function durationOf(turn: Turn): string | undefined {
  const ms = Date.parse(turn.ended_at ?? '') - Date.parse(turn.started_at ?? '');
  // A clock that was set back says nothing.
  if (Number.isNaN(ms) || ms < 0) return undefined;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** `no tools`, `1 tool`, `3 tools`. */
export function toolWords(tools: number): string {
  return tools === 0 ? 'no tools' : plural(tools, 'tool');
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The turn's own settings and times, as `/print` and the export list them; undefined where the log says nothing. */
export function turnFacts(turn: Turn, tools: number): [name: string, value: string | undefined][] {
  return [
    ['Status', turn.status],
    ['Duration', durationOf(turn)],
    ['Tool calls', String(tools)],
    ['Started', turn.started_at],
    ['Ended', turn.ended_at],
    ['Model', turn.model],
    ['Provider', turn.provider],
    ['Mode', turn.mode],
    ['Reasoning', turn.reasoning === undefined ? undefined : String(turn.reasoning)],
  ];
}
