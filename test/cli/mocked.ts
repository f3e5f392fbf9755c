/** The command line with a provider that answers as a test tells it, in a workspace and a home that are new for each test. */
import { MockProvider, type Reply } from '../support/mockProvider.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { ensureBuilt, Place } from './polyglav.ts';

/** Holds the key where {@link MockedPlace.replies} is told to use one. */
export const KEY_ENV = { MOCK_API_KEY: 'mock-key-0123' };

export class MockedPlace extends Place {
  #mock: MockProvider | undefined;

  get mock(): MockProvider {
    if (this.#mock === undefined) throw new Error('the test has not said what the provider answers');
    return this.#mock;
  }

  /** Sets the provider up in the user's configuration, with the key of {@link KEY_ENV} or none; `more` are other settings. */
  async replies(
    replies: Reply[],
    { key = true, ...more }: { key?: boolean; permissions?: object } = {},
  ): Promise<void> {
    this.#mock = await MockProvider.start({ strict: true, replies });
    const provider = { type: 'openai-chat', base_url: this.#mock.url, ...(key ? { api_key_env: 'MOCK_API_KEY' } : {}) };
    await this.configure({ model: 'mock/mock-model', providers: { mock: provider }, ...more });
  }

  async end(): Promise<void> {
    await this.#mock?.stop();
  }
}

/** For a suite: `use` gets the place of each test before it begins. */
export function useMockedPlace(use: (place: MockedPlace) => void): void {
  const folder = useTempFolder();
  let place: MockedPlace | undefined;
  before(ensureBuilt);
  beforeEach(async () => {
    place = new MockedPlace(folder.path);
    await place.make();
    use(place);
  });
  afterEach(() => place?.end());
}
