/**
 * What holds without any configuration. The record (R15) and what lies outside (P4) are lifted by nothing; `.git/` and secret
 * files give way to a rule of the user's that names them (P2).
 */
import { isNamed } from './names.ts';
import { isInside, PathError, resolvePath } from './paths.ts';
import type { Judgement, Rules } from './rules.ts';
import { secretKinds } from './secretFiles.ts';
import { namesIn, type PathSubject } from './subjects.ts';

/** How a call meets a path: a command line shows paths as words, of which nobody knows what becomes of them. */
export type Use = 'read' | 'write' | 'word';

interface Place {
  /** The tool whose rules for paths can lift what ships. */
  tool: string;
  workspace: string;
  rules: Rules;
}

const CLOSED_FOLDERS = [
  { folder: '.polyglav', reason: 'tools may not write inside .polyglav/, which is the record' },
  { folder: '.git', reason: 'tools may not write inside .git/; use git commands instead' },
] as const;

/** The more telling ones first. */
export async function shipped(subject: PathSubject, use: Use, place: Place): Promise<Judgement[]> {
  return [...outsideOf(subject), ...(await closedOf(subject, use, place)), ...secretOf(subject, place)];
}

export const OUTSIDE = 'shipped: outside ask';
/** A command line itself is why it is asked. */
export const SHELL_LINE = 'shipped: shell line ask';

export function outsideOf(subject: PathSubject): Judgement[] {
  if (!subject.isOutside) return [];
  const ask_reason = `outside the workspace: ${subject.real}`;
  return [{ action: 'ask', by: OUTSIDE, ask_reason, only_once: true }];
}

async function closedOf(subject: PathSubject, use: Use, place: Place): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  for (const { folder, reason } of CLOSED_FOLDERS) {
    if (use === 'read' || !(await touches(folder, subject, place.workspace))) continue;
    if (folder === '.git' && isGitLifted(subject, place)) continue;
    judgements.push(
      use === 'write'
        ? { action: 'deny', by: `shipped: ${folder}/ deny`, denied_reason: reason }
        : mayReach(folder, subject),
    );
  }
  return judgements;
}

/** Of something in a folder that a command takes as a whole; by the names in its path alone. */
export function closedWithin(subject: PathSubject, place: Pick<Place, 'tool' | 'rules'>): Judgement[] {
  return CLOSED_FOLDERS.filter(({ folder }) => subject.isIn(folder))
    .filter(({ folder }) => folder !== '.git' || !isGitLifted(subject, place))
    .map(({ folder }) => ({ ...mayReach(folder, subject), only_once: true }));
}

function mayReach(folder: string, subject: PathSubject): Judgement {
  return { action: 'ask', by: `shipped: ${folder}/ ask`, ask_reason: `may reach into ${folder}/: ${subject.shown}` };
}

function isGitLifted(subject: PathSubject, place: Pick<Place, 'tool' | 'rules'>): boolean {
  return isLifted(subject, place, (pattern) => namesIn(pattern).some((name) => isNamed(name, '.git')));
}

export function secretOf(subject: PathSubject, place: Pick<Place, 'tool' | 'rules'>): Judgement[] {
  const kinds = subject.secrets;
  const [kind] = kinds;
  const names = (pattern: string) => kinds.every((one) => secretKinds(namesIn(pattern).join('/')).includes(one));
  if (kind === undefined || isLifted(subject, place, names)) return [];
  const ask_reason = `may hold passwords and keys: ${subject.shown}`;
  return [{ action: 'ask', by: `shipped: ${kind} ask`, ask_reason }];
}

/** By name, in whatever folder, and also where the workspace's own one is a link to a folder of another name. */
async function touches(folder: string, subject: PathSubject, workspace: string): Promise<boolean> {
  if (subject.isIn(folder)) return true;
  try {
    return isInside(await resolvePath(workspace, folder), subject.real);
  } catch (error) {
    if (error instanceof PathError) return false;
    throw error;
  }
}

/** A rule of the user's own for the path that says by name what ships about it. */
function isLifted(
  subject: PathSubject,
  { tool, rules }: Pick<Place, 'tool' | 'rules'>,
  names: (pattern: string) => boolean,
): boolean {
  return rules
    .matching(tool, (rule) => subject.matches(rule))
    .some(({ layer, pattern = '' }) => (layer === 'user' || layer === 'folder') && names(pattern));
}
