/** `/sessions`: the saved sessions, newest first, children named with their parent. */
import type { SessionSummary } from '../session/store.ts';
import { age } from './age.ts';
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';

export const sessions: Command = {
  name: 'sessions',
  args: '',
  help: 'List the saved sessions.',
  async run({ engine, run }) {
    const saved = await engine.store.list();
    if (saved.length === 0) return { text: 'There are no saved sessions in this folder yet.' };
    const live = new Map(engine.runs().map((open) => [open.name, engine.numberOf(open)]));
    return {
      text: saved.map((summary) => line(summary, summary.name === run?.name, live.get(summary.name))).join('\n'),
    };
  },
};

/** The last turn's status; `interrupted` where it is a running one that nobody runs. */
export function statusWord({ status, held_by }: SessionSummary): string | undefined {
  return status === 'running' && held_by === undefined ? 'interrupted' : status;
}

function line(summary: SessionSummary, active: boolean, number: number | undefined): string {
  const { name, title, last_turn, updated_at, parent, problem } = summary;
  const status = statusWord(summary);
  const notes = [
    ...(active ? ['active'] : []),
    ...(number === undefined ? [] : [`#${number}`]),
    ...(parent === '' ? [] : [`sub-agent of ${code(parent)}`]),
    ...(last_turn === undefined ? [] : [last_turn === 0 ? 'no turns yet' : `last turn #${last_turn}`]),
    ...(status === undefined || status === 'ok' ? [] : [code(status)]),
    age(updated_at, Date.now()),
  ];
  const about = problem ?? title;
  return `- ${code(name)} (${notes.join(', ')})${about === '' ? '' : ` ${code(about)}`}`;
}
