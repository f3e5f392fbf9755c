import assert from 'node:assert/strict';

import { direction } from '../../../webview-ui/composer/direction.ts';

describe('webview/direction', () => {
  for (const [text, expected] of [
    ['', 'ltr'],
    ['Hello', 'ltr'],
    ['שלום', 'rtl'],
    ['3 × «مرحبا» and more', 'rtl'],
    ['src/a.ts מה זה', 'ltr'],
    ['𞤀𞤣', 'rtl'],
    [`${' '.repeat(2000)}שלום`, 'ltr'],
  ] as const)
    it(`of ${JSON.stringify(text.trim().slice(0, 20))} is ${expected}`, () => assert.equal(direction(text), expected));
});
