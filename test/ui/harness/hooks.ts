/** Mocha's hooks around every UI test: a picture of each window when the test ends, and nothing left open. */
import { disposeAll, testBegins, testEnds } from './workbench.ts';
import { stopEverything } from './servers.ts';

export const mochaHooks = {
  beforeEach(this: Mocha.Context) {
    testBegins(this.currentTest?.fullTitle() ?? 'test');
  },
  async afterEach(this: Mocha.Context) {
    await testEnds(this.currentTest?.state === 'failed');
  },
  async afterAll() {
    await disposeAll();
    await stopEverything();
  },
};
