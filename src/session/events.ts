/**
 * The few things that can happen to a session. Everything that is ever done to a conversation is one of these, appended;
 * there is no event that removes or rewrites (R5).
 */
import type { ErrorEntry, FileChange, Part, PermissionEntry, TurnStatus, Turn, Usage } from './schema.ts';

/** What fills in on a part after it was added. Each key is written once. */
export interface PartFill {
  output?: string;
  is_error?: boolean;
  analysis?: string;
  files?: FileChange[];
  provider_data?: Record<string, unknown>;
}

export type SessionEvent =
  /** A new turn, status `running`; `turn.index` is the number of turns so far plus one. */
  | { type: 'turn_started'; at: string; turn: Turn }
  /** A part at the end of the running turn. */
  | { type: 'part_added'; at: string; part: Part }
  /** More of the text of the last part, which still streams (`text` or `thinking` only). */
  | { type: 'part_extended'; at: string; text: string }
  /** `part` is the position in the running turn's `parts`, from 0. */
  | { type: 'part_filled'; at: string; part: number; fill: PartFill }
  | { type: 'turn_ended'; at: string; status: Exclude<TurnStatus, 'running'>; usage?: Usage }
  | { type: 'error'; at: string; entry: ErrorEntry }
  | { type: 'permission'; at: string; entry: PermissionEntry }
  | { type: 'sub_session'; at: string; name: string };
