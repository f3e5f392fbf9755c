/** The list that the model keeps of what it means to do. */
import { html, type TemplateResult } from 'lit';

import { icon } from '../icon.ts';
import { visible } from '../../src/session/visible.ts';
import type { Todo } from './words.ts';

const ICONS = { pending: 'circle-large', in_progress: 'play-circle', done: 'pass' };
const NAMES = { pending: 'to do: ', in_progress: 'in progress: ', done: 'done: ' };

export function todoList(todos: Todo[]): TemplateResult {
  return html`<ul class="todos">
    ${todos.map(
      ({ text, status }) =>
        html`<li class=${status}>
          ${icon(ICONS[status])}<span><span class="sr-only">${NAMES[status]}</span>${visible(text)}</span>
        </li>`,
    )}
  </ul>`;
}
