/** What the rules say of reading the files that a tool comes upon and the call did not name, as a search does (F13). */
import type { PermissionConfig } from '../config/permissionSchema.ts';
import type { Action } from '../session/schema.ts';
import { Rules, strictest } from './rules.ts';
import { outsideOf, secretOf } from './shipped.ts';
import { PathSubject } from './subjects.ts';

/** The tool whose rules hold files back from being read by whatever reads. */
export const READING = 'file_read';

/** For absolute real paths; nothing is looked up on the disk. */
export function readingRules(workspace: string, permissions: PermissionConfig): (real: string) => Action {
  const rules = new Rules(permissions);
  return (real) => {
    const subject = new PathSubject(workspace, real);
    const configured = rules.judge(READING, (rule) => subject.matches(rule), { action: 'allow', by: 'default' });
    return strictest([configured, ...outsideOf(subject), ...secretOf(subject, { tool: READING, rules })]).action;
  };
}
