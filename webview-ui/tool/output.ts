/** What a call gave back, as plain text: the beginning and the end of it when it is long, all of it by Copy. */
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';

import type { PanelContext } from '../context.ts';
import { iconButton } from '../controls.ts';
import { head, tail, visibleOutput } from '../visible.ts';
import { count } from '../words.ts';

/** UTF-16 units that are drawn. */
const SHOWN = { head: 20_000, tail: 10_000 };

interface Output {
  output: string;
  /** It is still being printed. */
  live: boolean;
  hidden: boolean;
  copy: PanelContext['copy'];
}

export function outputView({ output, live, hidden, copy }: Output): TemplateResult | typeof nothing {
  if (hidden || (live && output === '')) return nothing;
  if (output.trim() === '') return html`<p class="dim">No output.</p>`;
  return html`<div class="output">
    <pre class="plain" tabindex="0" aria-label="Output">${guard([output], () => shown(output))}</pre>
    ${live ? nothing : iconButton({ label: 'Copy the output', icon: 'copy', onClick: ({ target }) => copy(output, target) })}
  </div>`;
}

function shown(output: string): unknown {
  const left = output.length - SHOWN.head - SHOWN.tail;
  if (left <= 0) return visibleOutput(output.trimEnd());
  return html`${visibleOutput(head(output, SHOWN.head))}
    <span class="left-out">… ${count(left)} characters are not shown here; Copy has them …</span>
    ${visibleOutput(tail(output, SHOWN.tail))}`;
}

/** The exit code that `run_command` reports; undefined when the output says none. */
export function exitCode(output: string | undefined): number | undefined {
  const code = /\[Exit code (-?\d+)[^\]\n]*\]\s*$/.exec(output ?? '')?.[1];
  return code === undefined ? undefined : Number(code);
}
