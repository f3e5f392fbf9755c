/** What the rules say of a shell line by what its text shows (P2, P4): of each command in it, and of each path. */
import { homedir } from 'node:os';

import { ruleText } from '../config/rules.ts';
import { mayChange, WRITING } from './changing.ts';
import { matchesByAnyName, matchesCommand, mayMatchCommand } from './commandPattern.ts';
import { READING } from './reading.ts';
import { LONGEST_RULE, type Judgement, type LayerRule, type Rules } from './rules.ts';
import type { ShellLanguage } from './shell/findings.ts';
import { mayChangeEnvironment } from './shell/ownShell.ts';
import { readShellLine } from './shell/readLine.ts';
import { DYNAMIC, type ShellWord } from './shell/word.ts';
import { SHELL_LINE, shipped, type Use } from './shipped.ts';
import { judgeWholes } from './wholeFolders.ts';
import { PathSubject } from './subjects.ts';
import { shorten } from '../text/codePoints.ts';

export type CommandWords = readonly ShellWord[];

/** What the rules say of a call. */
export interface Judgements {
  /** The more telling ones first. */
  judgements: Judgement[];
  /** The commands that no rule allows. */
  open: CommandWords[];
}

interface Place {
  /** Name of the tool that runs the line. */
  tool: string;
  /** Where it runs. */
  folder: PathSubject;
  workspace: string;
  rules: Rules;
  language?: ShellLanguage | undefined;
}

/**
 * A command in the line is judged by the rules for commands. A path is judged by the rules for reading, and, where the line writes
 * it, by those for writing; as a word it might be written to as well, so those ask. A rule for paths that allows something
 * allows no command: what becomes of a path is for the command to say.
 */
export async function judgeLine(line: string, place: Place): Promise<Judgements> {
  const { commands, within, reads, writes, wholes, ask, unread } = await readShellLine(line, {
    cwd: place.folder.real,
    home: homedir(),
    language: place.language,
  });
  const words = reads
    .filter((real) => real !== place.folder.real)
    .map((real) => new PathSubject(place.workspace, real));
  const targets = writes.map((real) => new PathSubject(place.workspace, real));
  const paths = [
    ...(await judgePath(place.folder, 'word', [place.tool, READING], place)),
    ...(await judgePaths(targets, 'write', [place.tool, ...WRITING], place)),
    ...(await judgePaths(words, 'word', [place.tool, READING], place)),
    ...words.flatMap((subject) => mayChange(subject, place.rules)),
    ...(await judgeWholes(wholes, place)),
  ];
  const reasons = ask.map((reason): Judgement => ({ action: 'ask', by: SHELL_LINE, ask_reason: `it ${reason}` }));
  const lasts = (await mayChangeEnvironment(line)) ? [LASTS] : [];
  const found = commands.map((command) => ({ command, judgement: judgeCommand(command, place) }));
  // A line of nothing but comments runs nothing; the rule for all calls says what holds for it.
  const whole = found.length > 0 ? [] : [place.rules.judge(place.tool, () => false, DEFAULT)];
  return {
    judgements: [
      ...paths,
      ...lasts,
      ...reasons,
      ...[...commands, ...(unread ? [ANY_COMMAND] : [])].flatMap((command) => mayBeDenied(command, place)),
      ...within.flatMap((command) => against(command, place)),
      ...found.map(({ judgement }) => judgement),
      ...whole,
    ],
    open: found.filter(({ judgement }) => judgement.action !== 'allow').map(({ command }) => command),
  };
}

/** What a line may run that cannot be read to its end. */
const ANY_COMMAND: CommandWords = [DYNAMIC];
/** Of what is answered with yes once, this reaches further than the line. */
const LASTS: Judgement = {
  action: 'ask',
  by: SHELL_LINE,
  ask_reason: 'the variables that it sets, PATH too, may last for later commands of this session',
};
const DEFAULT: Judgement = { action: 'ask', by: 'default' };

async function judgePaths(
  subjects: readonly PathSubject[],
  use: Use,
  tools: readonly string[],
  place: Place,
): Promise<Judgement[]> {
  return (await Promise.all(subjects.map((subject) => judgePath(subject, use, tools, place)))).flat();
}

async function judgePath(subject: PathSubject, use: Use, tools: readonly string[], place: Place): Promise<Judgement[]> {
  const held = tools.flatMap((tool) => place.rules.holding(tool, (rule) => subject.matches(rule)));
  return [...(await shipped(subject, use, place)), ...held];
}

function judgeCommand(command: CommandWords, { tool, rules }: Place): Judgement {
  return rules.judge(tool, (rule) => isAbout(rule, command), DEFAULT);
}

/** What allows has to match as it is written. */
function isAbout({ command: pattern, action }: LayerRule, command: CommandWords): boolean {
  if (pattern === undefined) return false;
  if (action === 'allow') return matchesCommand(pattern, command);
  if (action === 'ask') return mayMatchCommand(pattern, command);
  return matchesByAnyName(pattern, command);
}

/** Rules that deny what the command may turn out to be: nobody can say, so a person does, each time. */
function mayBeDenied(command: CommandWords, { tool, rules }: Place): Judgement[] {
  return asked(
    rules.matching(tool, (rule) => rule.action === 'deny' && mayBe(rule, command) && !isAbout(rule, command)),
  );
}

/** Rules that ask or deny what another command may run. */
function against(command: CommandWords, { tool, rules }: Place): Judgement[] {
  return [
    ...asked(rules.matching(tool, (rule) => rule.action === 'deny' && mayBe(rule, command))),
    ...rules.holding(tool, (rule) => rule.action === 'ask' && mayBe(rule, command)),
  ];
}

function mayBe({ command: pattern }: LayerRule, command: CommandWords): boolean {
  return pattern !== undefined && mayMatchCommand(pattern, command);
}

function asked(denying: readonly LayerRule[]): Judgement[] {
  return denying.map((rule) => ({
    action: 'ask',
    by: SHELL_LINE,
    ask_reason: `may turn out to be what a rule denies: ${shorten(ruleText(rule), LONGEST_RULE)}`,
    only_once: true,
  }));
}
