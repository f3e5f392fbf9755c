/** The way out of the page: typed messages to the host and back, and the state that VS Code keeps for the page. */
import type { HostMessage, WebviewMessage } from '../src/protocol/messages.ts';

interface VsCodeApi {
  postMessage(message: WebviewMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export interface Host {
  send(message: WebviewMessage): void;
  onMessage(listener: (message: HostMessage) => void): void;
  /** What `keep` was last given, over a hide, a move and a reload; undefined at first. */
  kept(): unknown;
  keep(state: unknown): void;
}

const TYPES: Record<HostMessage['type'], true> = {
  snapshot: true,
  event: true,
  state: true,
  output: true,
  older: true,
  accepted: true,
  refused: true,
  configured: true,
  prefill: true,
  note: true,
  unsent: true,
  completions: true,
  focus: true,
};

/** Binds the page to its host; may be called once. */
export function connectHost(): Host {
  const api = acquireVsCodeApi();
  return {
    send: (message) => api.postMessage(message),
    onMessage: (listener) =>
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (isHostMessage(event.data)) listener(event.data);
      }),
    kept: () => api.getState(),
    keep: (state) => api.setState(state),
  };
}

/** A newer host may say what this page does not know; that is passed over. */
function isHostMessage(data: unknown): data is HostMessage {
  if (typeof data !== 'object' || data === null || !('type' in data)) return false;
  return typeof data.type === 'string' && Object.hasOwn(TYPES, data.type);
}
