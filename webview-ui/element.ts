/**
 * Base of the panel's elements. They draw into the page itself, not into shadow trees, so that a selection can run over the
 * whole transcript, one style sheet dresses all, and names and descriptions can point anywhere.
 */
import { LitElement } from 'lit';

export class PanelElement extends LitElement {
  protected override createRenderRoot(): this {
    return this;
  }
}
