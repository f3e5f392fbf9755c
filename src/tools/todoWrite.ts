import { z } from 'zod';

import { defineTool, type TodoItem } from './tool.ts';
import { answer } from './toolError.ts';

const MOST_TODOS = 100;
const LONGEST_TODO = 500;

const schema = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        text: z.string().min(1).max(LONGEST_TODO),
        status: z.enum(['pending', 'in_progress', 'done']),
      }),
    )
    .max(MOST_TODOS)
    .describe('The whole list'),
});

/** Replaces the todo list. It keeps no state: the list is what the session's latest such call says. */
export const todoWrite = defineTool({
  name: 'todo_write',
  description:
    'Replaces the todo list that the person sees. Use it for work of several steps; keep one step in_progress.',
  schema,
  // It changes the session and nothing else, so plan mode has it too.
  reads_only: true,
  paths: () => [],
  words: ({ todos }) => ({ title: `Update todos (${done(todos)} of ${todos.length} done)` }),
  execute: ({ todos }, context) => answer(context, async () => ({ output: listing(todos) })),
});

const BOXES = { pending: '[ ]', in_progress: '[>]', done: '[x]' } as const;

function listing(todos: readonly TodoItem[]): string {
  if (todos.length === 0) return 'The todo list is empty now.';
  const lines = [
    `${done(todos)} of ${todos.length} done:`,
    ...todos.map(({ text, status }) => `${BOXES[status]} ${text}`),
  ];
  if (todos.filter(({ status }) => status === 'in_progress').length > 1)
    lines.push('Several are in progress; it is clearer to have one at a time.');
  return lines.join('\n');
}

function done(todos: readonly TodoItem[]): number {
  return todos.filter(({ status }) => status === 'done').length;
}
