/** Which session, model and mode: each a button that opens the picker. */
import { html, type TemplateResult } from 'lit';

import type { PanelState } from '../../src/protocol/messages.ts';
import { button, iconButton } from '../controls.ts';
import type { PanelContext } from '../context.ts';
import { visibleLine } from '../../src/session/visible.ts';

export function header(state: PanelState, { send }: Pick<PanelContext, 'send'>): TemplateResult {
  const { session, model, model_fault, demo, mode } = state;
  const title = visibleLine(session?.title ?? '') || (session === null ? 'New session' : visibleLine(session.name));
  return html`<header class="header">
    <h1 class="session">
      ${button({
        name: 'session',
        label: title,
        title:
          session === null ? 'Choose a session' : `${title}\n${visibleLine(session.name)}\n\nChoose another session`,
        trailing: 'chevron-down',
        look: 'quiet',
        onClick: () => send({ type: 'pick', what: 'session' }),
      })}
    </h1>
    <div class="pickers">
      ${button({
        name: 'mode',
        label: visibleLine(mode),
        title: `Mode: ${visibleLine(mode)}. Choose another mode`,
        trailing: 'chevron-down',
        look: 'quiet',
        onClick: () => send({ type: 'pick', what: 'mode' }),
      })}
      ${button({
        name: 'model',
        label: demo ? 'Demo model' : visibleLine(model),
        title:
          model_fault === undefined
            ? `Model: ${visibleLine(model)}${demo ? ' (a demo that comes with Polyglav)' : ''}. Choose another model`
            : `Model: ${visibleLine(model)}, which cannot be used now.\n${visibleLine(model_fault)}\n\nChoose another model`,
        ...(model_fault !== undefined ? { icon: 'warning' } : demo ? { icon: 'beaker' } : {}),
        trailing: 'chevron-down',
        look: 'quiet',
        onClick: () => send({ type: 'pick', what: 'model' }),
      })}
    </div>
    ${iconButton({ name: 'new', label: 'New session', icon: 'add', onClick: () => send({ type: 'new_session' }) })}
  </header>`;
}
