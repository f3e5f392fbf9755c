/**
 * What reshapes a tool's output when it is first written (R11; PG "Serialization-time transforms"): memory keeps the full
 * output, and what came from disk goes back as it is.
 */
import type { SessionEvent } from './events.ts';
import { runningTurn } from './reduce.ts';
import { isKind, type Session } from './schema.ts';

export interface Transforms {
  /** Tools whose output is left out of the file. */
  noise_tools: readonly string[];
  /** Most characters (code points) of an output in the file; 0 = no limit. */
  session_tool_max_chars: number;
}

export const DEFAULT_TRANSFORMS: Transforms = {
  noise_tools: ['web_fetch', 'open', 'fetch_page'],
  session_tool_max_chars: 0,
};

/** `session` is the record before the event. The event itself when nothing is to be changed. */
export function transform(event: SessionEvent, session: Session, transforms: Transforms): SessionEvent {
  if (event.type === 'part_filled' && event.fill.output !== undefined) {
    const part = runningTurn(session)?.parts[event.part];
    if (part === undefined || !isKind(part, 'tool')) return event;
    const output = transformOutput(part.name, event.fill.output, transforms);
    return output === event.fill.output ? event : { ...event, fill: { ...event.fill, output } };
  }
  if (event.type === 'part_added' && isKind(event.part, 'tool') && event.part.output !== undefined) {
    const output = transformOutput(event.part.name, event.part.output, transforms);
    return output === event.part.output ? event : { ...event, part: { ...event.part, output } };
  }
  return event;
}

function transformOutput(
  tool: string,
  output: string,
  { noise_tools, session_tool_max_chars: most }: Transforms,
): string {
  if (noise_tools.includes(tool)) return `[${tool} result excluded from log, see tool call above for parameters]`;
  // UTF-16 units are never fewer than code points, so most outputs need no count.
  if (most === 0 || output.length <= most) return output;
  const points = [...output];
  return points.length <= most ? output : `${points.slice(0, most).join('')}… (truncated from ${points.length} chars)`;
}
