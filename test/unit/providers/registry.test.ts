import assert from 'node:assert/strict';

import { EMPTY_CONFIG } from '../../../src/config/schema.ts';
import { ProviderError } from '../../../src/providers/provider.ts';
import { createProviders, DEFAULT_MODEL } from '../../../src/providers/registry.ts';
import { collect, delta, replayFetch, reply, request, sse, type Sent } from './replay.ts';

describe('providers/registry', () => {
  it('has what ships without any configuration, and it works with the demo at once (T1)', async () => {
    const providers = createProviders(EMPTY_CONFIG, {});
    assert.deepEqual(providers.names().sort(), ['demo', 'ollama', 'openai']);
    const [provider = '', model = ''] = DEFAULT_MODEL.split('/');
    const { text } = await collect(providers.get(provider).stream(request({ model })));
    assert.match(text, /demo model/);
  });

  it('sends to the configured address, with the configured headers', async () => {
    const sent: Sent[] = [];
    const config = {
      ...EMPTY_CONFIG,
      providers: {
        mine: {
          type: 'openai-chat',
          base_url: 'https://mine.example/v1',
          api_key_env: 'MINE',
          headers: { 'X-Title': 'Polyglav' },
        },
        ollama: { type: 'openai-chat', base_url: 'http://gpu:11434/v1' },
      },
    } as const;
    const fetch = replayFetch(reply(sse(delta({ content: 'Hi' }, 'stop'))), sent);
    const providers = createProviders(config, { MINE: 'secret-key' }, { fetch });
    await collect(providers.get('mine').stream(request()));
    // One fetch answers once.
    await providers
      .get('ollama')
      .models(AbortSignal.timeout(1000))
      .catch(() => undefined);
    assert.equal(sent[0]?.url, 'https://mine.example/v1/chat/completions');
    assert.equal(sent[0].headers['authorization'], 'Bearer secret-key');
    assert.equal(sent[0].headers['x-title'], 'Polyglav');
    assert.equal(sent[1]?.url, 'http://gpu:11434/v1/models');
    assert.equal(providers.get('mine').name, 'mine');
  });

  it('names the known providers when asked for another, also for a name that every object has', () => {
    const providers = createProviders(EMPTY_CONFIG, {});
    for (const name of ['olama', 'toString', '__proto__']) {
      assert.throws(
        () => providers.get(name),
        (error) =>
          error instanceof ProviderError &&
          error.kind === 'bad_request' &&
          !error.retryable &&
          /ollama, openai, demo/.test(error.message),
      );
    }
  });
});
