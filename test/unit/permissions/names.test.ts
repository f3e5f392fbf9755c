import assert from 'node:assert/strict';

import { foldedName, isNamed } from '../../../src/permissions/names.ts';

describe('names as the most forgiving file system reads them', () => {
  for (const name of [
    '.git',
    '.GIT',
    '.Git.',
    '.git. . ',
    '.git ',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    '．git',
    'GIT~1',
    'git~2',
  ])
    it(`${JSON.stringify(name)} is .git`, () => assert.ok(isNamed(name, '.git')));
  for (const name of ['git', '.gitignore', '.github', 'a.git', '.git2', 'git~', '.gi', 'github~1', ''])
    it(`${JSON.stringify(name)} is not`, () => assert.ok(!isNamed(name, '.git')));
  for (const name of ['.polyglav', '.POLYGLAV', 'POLYGL~1', '.polyglav.'])
    it(`${JSON.stringify(name)} is .polyglav`, () => assert.ok(isNamed(name, '.polyglav')));

  it('keep what means something', () => {
    for (const name of ['.', '..', '...', ':x', 'a.b', 'ab c']) assert.equal(foldedName(name), name);
  });
});
