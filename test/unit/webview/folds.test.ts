import assert from 'node:assert/strict';

import { Folds } from '../../../webview-ui/folds.ts';
import { KeptState, parseKept } from '../../../webview-ui/kept.ts';

describe('folds', () => {
  it('are kept per session, whatever it is called', () => {
    let written: unknown;
    const keeper = { write: (state: unknown) => (written = structuredClone(state)), mirror: () => undefined };
    const load = () => new Folds(new KeptState(parseKept(written), keeper));
    for (const session of ['', 'one', '__proto__', 'constructor', 'toString']) {
      const folds = load();
      folds.session = session;
      for (const key of ['1.0', 'name']) assert.equal(folds.isOpen(key), false, `${session} ${key}`);
      folds.set('1.0', true);
      folds.set('name', true);
      assert.deepEqual([folds.isOpen('1.0'), folds.isOpen('name'), folds.isOpen('2.0', true)], [true, true, true]);
    }
  });
});
