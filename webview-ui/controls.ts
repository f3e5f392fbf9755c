/**
 * The only module that knows the control kit (`@vscode/webview-ui-toolkit`, which is no longer developed). The panel asks for
 * a control by what it is; to change the kit, change this file and `controls.css`.
 *
 * The composer's text box and the headings of cards are plain elements: a completion list must be tied to its box by
 * `aria-activedescendant`, which cannot reach into the kit's shadow tree, and a transcript has hundreds of headings.
 */
import { provideVSCodeDesignSystem, vsCodeButton } from '@vscode/webview-ui-toolkit';
import { html, nothing, type TemplateResult } from 'lit';

import { icon } from './icon.ts';

provideVSCodeDesignSystem().register(vsCodeButton());

interface Button {
  /** What is read on it. */
  label: string;
  /** The tooltip, when it says more than the label. */
  title?: string;
  icon?: string;
  /** After the label, such as an arrow down. */
  trailing?: string;
  look?: 'primary' | 'secondary' | 'quiet';
  disabled?: boolean;
  /** To tell it apart in style sheets and tests. */
  name?: string;
  onClick: (event: Event) => void;
}

export function button(options: Button): TemplateResult {
  const { label, title, trailing, look = 'secondary', disabled = false, name, onClick } = options;
  return html`<vscode-button
    class="kit-${look}"
    name=${name ?? nothing}
    appearance=${look === 'primary' ? 'primary' : 'secondary'}
    title=${title ?? nothing}
    ?disabled=${disabled}
    @click=${onClick}
    ><span class="kit-face"
      >${options.icon === undefined ? nothing : icon(options.icon)}<span class="kit-label">${label}</span>${
        trailing === undefined ? nothing : icon(trailing)
      }</span
    ></vscode-button
  >`;
}

/** An icon alone; the label is its name and its tooltip. */
export function iconButton(options: Omit<Button, 'trailing' | 'look' | 'title'> & { icon: string }): TemplateResult {
  const { label, name, disabled = false, onClick } = options;
  return html`<vscode-button
    class="kit-icon"
    name=${name ?? nothing}
    appearance="icon"
    aria-label=${label}
    title=${label}
    ?disabled=${disabled}
    @click=${onClick}
    >${icon(options.icon)}</vscode-button
  >`;
}
