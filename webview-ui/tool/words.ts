/** What a call does, in a word and its object: `Read src/a.ts`. The input is a model's, so each key may be anything. */
import type { ToolPart } from '../../src/session/schema.ts';
import { visibleLine } from '../../src/session/visible.ts';
import { head } from '../visible.ts';

export interface CallWords {
  icon: string;
  verb: string;
  object: string;
  /** The object is a path, a pattern or a command. */
  literal: boolean;
}

const OBJECT_LENGTH = 300;

type Words = Omit<CallWords, 'literal'>;

export function callWords({ name, input }: Pick<ToolPart, 'name' | 'input'>): CallWords {
  const { icon, verb, object } = known(name, input) ?? { icon: 'tools', verb: name, object: shortJson(input) };
  return {
    icon,
    verb: visibleLine(verb),
    object: visibleLine(head(object, OBJECT_LENGTH)),
    literal: name !== 'todo_write',
  };
}

function known(name: string, input: ToolPart['input']): Words | undefined {
  const path = text(input['path']);
  switch (name) {
    case 'file_read':
      return { icon: 'file', verb: 'Read', object: `${path ?? '?'}${range(input)}` };
    case 'file_write':
      return { icon: 'new-file', verb: 'Write', object: path ?? '?' };
    case 'file_edit':
      return { icon: 'edit', verb: 'Edit', object: path ?? '?' };
    case 'file_list':
      return {
        icon: 'folder',
        verb: 'List',
        object: [path ?? '.', text(input['pattern'])].filter(Boolean).join(' · '),
      };
    case 'file_search':
      return {
        icon: 'search',
        verb: 'Search',
        object: `${text(input['pattern']) ?? '?'}${path === undefined ? '' : ` in ${path}`}`,
      };
    case 'run_command':
      return { icon: 'terminal', verb: 'Run', object: text(input['command']) ?? '?' };
    case 'web_fetch':
      return { icon: 'globe', verb: 'Fetch', object: text(input['url']) ?? '?' };
    case 'todo_write':
      return { icon: 'checklist', verb: 'Todos', object: todoProgress(todosOf(input)) };
    default:
      return undefined;
  }
}

export interface Todo {
  text: string;
  status: 'pending' | 'in_progress' | 'done';
}

/** The items of a `todo_write` that are well formed. */
export function todosOf(input: ToolPart['input']): Todo[] {
  return Array.isArray(input['todos']) ? input['todos'].filter(isTodo) : [];
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== 'object' || value === null || !('text' in value) || !('status' in value)) return false;
  return typeof value.text === 'string' && ['pending', 'in_progress', 'done'].includes(String(value.status));
}

function todoProgress(todos: Todo[]): string {
  return `${todos.filter(({ status }) => status === 'done').length} of ${todos.length} done`;
}

function range({ from, lines }: ToolPart['input']): string {
  if (typeof from !== 'number' && typeof lines !== 'number') return '';
  const first = typeof from === 'number' ? from : 1;
  return typeof lines === 'number' ? ` · lines ${first}–${first + lines - 1}` : ` · from line ${first}`;
}

function shortJson(input: ToolPart['input']): string {
  const json = JSON.stringify(input);
  return json === '{}' ? '' : json;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
