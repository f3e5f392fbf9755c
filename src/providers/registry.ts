/** The providers of a configuration, and those that ship (T1). */
import { providerNames, SHIPPED_PROVIDERS, type Config } from '../config/schema.ts';
import { chatProvider } from './chat.ts';
import { demoProvider } from './demo/provider.ts';
import { ProviderError, type Provider } from './provider.ts';

/** What a new session uses when nothing is configured. */
export const DEFAULT_MODEL = 'demo/demo';

export interface ProviderSet {
  /** Throws {@link ProviderError} of kind `bad_request` that names the known ones. */
  get(name: string): Provider;
  names(): string[];
}

/** `env` is read at each request, for the keys that the configuration names; `fetch` is for every provider but the demo. */
export function createProviders(
  config: Config,
  env: NodeJS.ProcessEnv,
  options: { fetch?: typeof fetch } = {},
): ProviderSet {
  const names = providerNames(config);
  return {
    get(name) {
      const provider = names.includes(name) ? (config.providers[name] ?? SHIPPED_PROVIDERS[name]) : undefined;
      switch (provider?.type) {
        case undefined:
          throw unknownProvider(name, names);
        case 'demo':
          return demoProvider({ name });
        case 'openai-chat':
          return chatProvider({ ...provider, name, env, fetch: options.fetch });
      }
    },
    names: () => names,
  };
}

function unknownProvider(name: string, names: readonly string[]): ProviderError {
  const message = `There is no provider ${JSON.stringify(name)}. There are: ${names.join(', ')}. Another one can be set under providers in the configuration.`;
  return new ProviderError(message, { kind: 'bad_request' });
}
