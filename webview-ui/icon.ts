/** A codicon: decoration only, the words beside it or the label around it say what it means. */
import { html, type TemplateResult } from 'lit';

export function icon(name: string, modifier = ''): TemplateResult {
  return html`<i class="codicon codicon-${name} ${modifier}" aria-hidden="true"></i>`;
}
