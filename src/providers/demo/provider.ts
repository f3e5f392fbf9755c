/**
 * The built-in demo model (T1): a small script instead of a language model, behind a `fetch` that never leaves the process. All else
 * is the real thing, so that a newcomer and every test run the path that real models take.
 */
import { chatProvider } from '../chat.ts';
import type { Provider } from '../provider.ts';
import { demoFetch } from './fetch.ts';

/** `pace_ms` is the pause before each piece of the stream. */
export function demoProvider(options: { name: string; pace_ms?: number }): Provider {
  return chatProvider({
    name: options.name,
    base_url: 'http://demo.invalid/v1',
    env: {},
    fetch: demoFetch(options.pace_ms ?? 15),
  });
}
