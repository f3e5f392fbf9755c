/** What a front end implements so that the engine can ask a person (P3). The engine asks one question at a time per front end. */

/** A change that a call would make, for a diff before the question and on the card. */
export interface ProposedChange {
  path: string;
  before: string | null;
  after: string;
}

export interface PermissionAsk {
  /** Unique in this process: an answer counts only for the ask it names. */
  id: string;
  /** The session that asks, and what it is doing it for. */
  session: string;
  tool: string;
  title: string;
  detail?: string;
  /** Absolute real path that is recorded, if the tool has one. */
  path?: string;
  /** Why it is asked when it is not the plain policy: `outside the workspace: /etc/hosts`; a reason a line, the more telling ones first. */
  reason?: string;
  change?: ProposedChange;
  /** What a grant for the session would cover, to complete "Allow for this session: …"; absent when only this call can be allowed. */
  scope?: string;
  /**
   * The rule that "always" would write into the user's file, for this folder, to complete "Always allow: …":
   * `run_command "git status" allow`. Absent when no rule can allow the call, or none that is as narrow as the call.
   */
  rule?: string;
  /** Why there is no `rule`, to complete "not offered: …". */
  no_rule?: string;
  /**
   * Only a person may allow it, and only this once: it leaves the workspace (P4), or may turn out to be what a rule denies. Neither
   * a grant for the session, nor "always", nor `--yes` covers it.
   */
  only_once: boolean;
}

/** Where the rule of an ask counts, to stand behind "for". */
export function whereOf({ tool }: PermissionAsk): string {
  return tool === 'run_command' ? 'this workspace folder, wherever in it the shell stands,' : 'this workspace folder';
}

export type AskAnswer =
  | { answer: 'once' }
  | { answer: 'session' }
  /** This call, and what the ask's `rule` says from the next one on. Counts as `once` where the ask has no rule. */
  | { answer: 'always' }
  /** `note` is an optional word to the model. */
  | { answer: 'refused'; note?: string }
  | { answer: 'dismissed' }
  /** Nobody can be asked here (no terminal): declined, recorded `by: "no terminal"`. */
  | { answer: 'no_terminal' }
  /** `--yes` on the command line. Never given for an ask whose `only_once` is true. */
  | { answer: 'yes_flag' };

export interface Asker {
  /** Settles with `dismissed` at once when `signal` fires, and takes the prompt off the screen. Must not throw. */
  ask(ask: PermissionAsk, signal: AbortSignal): Promise<AskAnswer>;
}
