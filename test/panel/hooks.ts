/** Around the panel's tests: one bundle and one browser for all of them. */
import { closePanels, endAll } from './panelPage.ts';

export const mochaHooks = {
  async afterEach(this: Mocha.Context) {
    await closePanels(this.currentTest);
  },
  async afterAll() {
    await endAll();
  },
};
