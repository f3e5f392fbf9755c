import type { MockProvider } from '../../support/mockProvider.ts';

/** The text of a `.polyglav/config.json` by which the mock's model is used; `more` are settings of the provider. */
export function mockConfig(mock: MockProvider, more: Record<string, unknown> = {}): string {
  const provider = { type: 'openai-chat', base_url: mock.url, ...more };
  return JSON.stringify({ model: 'mock/mock-model', providers: { mock: provider } }, null, 2);
}
