/**
 * What the host and the webview say to each other, typed once (design: Host and webview). The webview is a view: on every
 * (re)connect it says `ready` and gets a snapshot, then numbered messages. `epoch` names one binding of a session to the
 * panel, `seq` counts within it from 1; a message of another epoch or with a seq that is not newer is dropped, and a gap
 * makes the webview say `ready` again.
 */
import { z } from 'zod';

import type { QueuedPrompt, RunState } from '../agent/events.ts';
import type { SessionEvent } from '../session/events.ts';
import type { ErrorEntry, PermissionEntry, Turn } from '../session/schema.ts';

export interface CommandInfo {
  /** Without the slash: `session new`. */
  name: string;
  /** `<name>`; empty when it takes nothing. */
  args: string;
  help: string;
}

/** What `text`, the beginning of a command's line, can go on to: the whole line each time. */
export interface Completions {
  text: string;
  lines: string[];
}

export interface PendingAsk {
  id: string;
  /** What a person knows the asking session by, where that is not the one that is shown. */
  session?: string;
  title: string;
  detail?: string;
  reason?: string;
  /** Why it cannot be allowed for always, to complete "not offered: …". */
  no_rule?: string;
}

/** A fault that the person should know of. */
export interface Problem {
  /** What is wrong and what to do; where `file` is given, not which file it is. */
  text: string;
  /** The configuration file that it is in: its absolute path, and what a person knows it by. No prompt is taken until it is mended. */
  file?: { path: string; shown: string };
  /** It is only worth knowing: prompts are taken all the same. */
  hint?: true;
}

/** What a refusal goes with: the turn that runs, the configuration as it is, the program that holds the session. */
export type RefusedOver = 'turn' | 'configuration' | 'holder';

export type { QueuedPrompt, RunState };

/** Everything small that the panel shows around the turns; always sent whole, so a lost one does no harm. */
export interface PanelState {
  /** False: no folder is open, and the panel says to open one. */
  folder: boolean;
  /** Null before the first prompt of a new session. */
  /** `held_by`: another program writes to it; it can only be read here until that one is done. */
  session: { name: string; title: string; held_by?: string } | null;
  run: RunState;
  asks: PendingAsk[];
  queue: QueuedPrompt[];
  /** `<provider>/<model>`, and whether it is the built-in demo model. */
  model: string;
  /** Why no prompt can be sent to it now; absent when one can. */
  model_fault?: string;
  demo: boolean;
  mode: string;
  commands: CommandInfo[];
  /** Faults in the configuration and the like, for a banner; those of one file stand together. */
  problems: Problem[];
  /**
   * Why the folder's configuration counts in part only: the editor does not trust the folder, or the person has not confirmed what it
   * brings. Absent when all of it counts.
   */
  withheld?: 'untrusted' | 'unconfirmed';
}

/** The newest turns of the session, oldest first, bounded in number and size; older ones come by `older`. */
export interface TurnPage {
  turns: Turn[];
  /** How many turns stand before the first of `turns`. */
  before: number;
  /** The errors and permissions that belong to these turns (an error belongs to the turn that ended at its timestamp). */
  errors: ErrorEntry[];
  permissions: PermissionEntry[];
}

/** Lengths keep a broken or hostile page from flooding the host; the limits are far above honest use. */
const id = z.string().min(1).max(64);
const position = z.number().int().nonnegative();
/** '' is a session that has no name yet. */
const sessionName = z.string().max(255);
const text = z.string().max(10_000_000);

/** What a person wrote in one session and the log does not have (T9). */
export const unsent = z.strictObject({
  /** ms since the epoch by the page's clock, and more with each change: of two copies the later one counts. */
  at: z.number().nonnegative(),
  draft: text,
  /** Prompts on their way to the host, oldest first. */
  sends: z.array(z.strictObject({ id, text })).max(1000),
  /** The ids of the last texts that the host gave back and that are in the draft, oldest first. */
  prefilled: z.array(id).max(100),
});

export type Unsent = z.infer<typeof unsent>;
export type UnsentSend = Unsent['sends'][number];

export type HostMessage =
  | { type: 'snapshot'; epoch: string; seq: number; state: PanelState; page: TurnPage }
  | { type: 'event'; epoch: string; seq: number; event: SessionEvent }
  | { type: 'state'; epoch: string; seq: number; state: PanelState }
  /** A piece of the live output of the running call at `part` (position from 0) of the running turn; not kept anywhere. */
  | { type: 'output'; epoch: string; seq: number; part: number; piece: string }
  /** Answer to `older`: the page that ends just before turn `before`. */
  | { type: 'older'; epoch: string; page: TurnPage }
  /** The host took the prompt (it is in the log or in the queue): the composer may forget the draft. */
  | { type: 'accepted'; id: string }
  /** The prompt was refused and nothing happened; the draft stays. Without `due_to` the reason does not pass by itself. */
  | { type: 'refused'; id: string; reason: string; due_to?: RefusedOver }
  /** The configuration, or what of it the person confirmed, has changed: what was refused because of it may be accepted now. */
  | { type: 'configured' }
  /**
   * Text for the composer (an interrupted prompt, one taken back from the queue); never replaces what the person has typed.
   * It comes again, under the same id, until the page says `prefilled`.
   */
  | { type: 'prefill'; id: string; text: string }
  /** What a command such as `/help` prints: for the person, Markdown, shown below the turns and not kept. */
  | { type: 'note'; command: string; text: string; is_error: boolean }
  /** Answer to `complete`. */
  | ({ type: 'completions' } & Completions)
  /** The host's copy of what the page had not sent, by session; before the first snapshot, as the page may have lost its own. */
  | { type: 'unsent'; sessions: Record<string, Unsent> }
  | { type: 'focus' };

export const webviewMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  /** `session` is the one that the person saw when they wrote it; '' is a new one, which has no name yet. */
  z.strictObject({
    type: z.literal('send'),
    id,
    session: sessionName,
    text: text.min(1),
  }),
  /** What is unsent in a session has changed. */
  z.strictObject({ type: z.literal('unsent'), session: sessionName, unsent }),
  /** The text of a `prefill` is in the composer, and is kept there. */
  z.strictObject({ type: z.literal('prefilled'), id }),
  z.strictObject({ type: z.literal('unqueue'), id }),
  /** The beginning of a command's line: how can it go on? */
  z.strictObject({ type: z.literal('complete'), text: z.string().max(4096) }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('older'), epoch: id, before: position }),
  z.strictObject({ type: z.literal('pick'), what: z.enum(['session', 'model', 'mode']) }),
  z.strictObject({ type: z.literal('new_session') }),
  /** Raise the prompt of a pending ask again. */
  z.strictObject({ type: z.literal('show_ask'), id }),
  z.strictObject({ type: z.literal('copy'), text }),
  z.strictObject({ type: z.literal('insert'), text }),
  /** An http(s) or mailto link of the model's answer, opened only after VS Code's own question. */
  z.strictObject({ type: z.literal('open_link'), href: z.string().max(4096) }),
  /** A file named in a card, resolved and checked by the host: only inside the workspace. `line` from 1. */
  z.strictObject({
    type: z.literal('open_file'),
    path: z.string().max(4096),
    line: z.number().int().positive().optional(),
  }),
  /** The diff of the edit at turn `turn` (index), part `part` (position from 0). */
  z.strictObject({ type: z.literal('show_diff'), turn: position, part: position }),
  z.strictObject({ type: z.literal('open_folder') }),
  /** The file of a problem, at its first one; without it the person's own file. */
  z.strictObject({ type: z.literal('open_settings'), file: z.string().max(4096).optional() }),
  /** Do something about what is `withheld`. */
  z.strictObject({ type: z.literal('review_folder') }),
]);

export type WebviewMessage = z.infer<typeof webviewMessage>;
