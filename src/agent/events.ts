/** What a run tells its front ends: the log's events as they are folded into memory, and passing ones. */
import type { SessionEvent } from '../session/events.ts';
import type { PermissionAsk } from '../permissions/ask.ts';

export type RunState = 'idle' | 'running' | 'asking' | 'stopping';

export interface QueuedPrompt {
  id: string;
  text: string;
}

export type RunEvent =
  | { type: 'log'; event: SessionEvent }
  /** A piece of the output of the running call at `part` (position from 0) of the running turn. */
  | { type: 'output'; part: number; piece: string }
  /** The run's `state`, `queue` or `asks` changed: read them from the run. */
  | { type: 'state' }
  /** Prompts that waited and will not be sent by themselves now (Stop, a failed turn): back to the composer. */
  | { type: 'returned'; text: string }
  /** Said once to the person, not kept: a prompt that could not be written, a fault while saving. */
  | { type: 'problem'; message: string };

export interface PendingAsk extends PermissionAsk {
  /** Milliseconds since the epoch. */
  since: number;
}
