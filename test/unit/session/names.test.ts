import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';

import { checkName, mintName, parseName } from '../../../src/session/names.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

/** What a name may not be, with a word that the reason must have (R3). */
const REFUSED: readonly [name: string, reason: RegExp][] = [
  ['', /empty/],
  ['../../canary', /separator/],
  ['a/../../canary', /separator/],
  ['..\\..\\canary', /separator/],
  ['/etc/passwd', /separator/],
  ['C:\\canary', /separator/],
  ['%2e%2e%2fcanary', /%/],
  ['a%5Cb', /%/],
  ['a%00', /%/],
  ['a\0b', /control/],
  ['a\nb', /control/],
  ['a\u007fb', /control/],
  ['a\u0085b', /control/],
  ['a\u2028b', /control/],
  ['a\u200bb', /invisible/],
  ['\ufeffa', /invisible/],
  ['a\u202etxt', /invisible/],
  ['a\u00adb', /invisible/],
  ['a\u034fb', /invisible/],
  ['\u3164', /invisible/],
  ['é\u200dé', /é⟨U\+200D⟩é.*invisible/],
  ['a\u2066b', /invisible/],
  ['.', /dot/],
  ['..', /dot/],
  ['.hidden', /dot/],
  ['name.', /dot/],
  ['name ', /space/],
  [' name', /space/],
  ['name\u00a0', /space/],
  ['\u3000name', /space/],
  ['CON', /Windows/],
  ['nul', /Windows/],
  ['aux.txt', /Windows/],
  ['nul .txt', /Windows/],
  ['Prn', /Windows/],
  ['COM1', /Windows/],
  ['COM¹', /Windows/],
  ['LPT9', /Windows/],
  ['lpt9.tar.gz', /Windows/],
  ['CONIN$', /Windows/],
  ['a:b', /Windows/],
  ['a?b', /Windows/],
  ['a*b', /Windows/],
  ['<x>', /Windows/],
  ['a|b', /Windows/],
  ['say "x"', /Windows/],
  ['e\u0301tude', /NFC/],
  ['half \ud83d', /half/],
  ['#ab12cd', /#/],
  ['-n', /-/],
  ['x'.repeat(121), /121 bytes/],
  ['é'.repeat(61), /122 bytes/],
];

const ACCEPTED = [
  'notes',
  'my notes',
  'v1.2',
  'notes_ab12cd',
  'étude',
  '日本語の名前',
  'a#b',
  '100%',
  "it's (new)",
  'console',
  'com10',
  'nulls',
  'a.con',
  'x'.repeat(120),
  'é'.repeat(60),
  'ses_20260817_120000_ab12cd',
];

describe('session/names', () => {
  const folder = useTempFolder();

  describe('minted', () => {
    const moments = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });

    it('parse, are acceptable file names, and carry the UTC time (R3)', () => {
      fc.assert(
        fc.property(fc.constantFrom('ses', 'sub', 'job'), moments, (kind, at) => {
          const { name, id } = mintName(kind, at);
          assert.deepEqual(parseName(name), { kind, id });
          assert.equal(checkName(name), undefined);
          const time = /_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_/.exec(name)!;
          assert.equal(
            Date.UTC(+time[1]!, +time[2]! - 1, +time[3]!, +time[4]!, +time[5]!, +time[6]!),
            at.getTime() - (at.getTime() % 1000),
          );
        }),
      );
    });

    it('have an id of six base36 characters with a letter, so that #<digits> is always a run', () => {
      const ids = Array.from({ length: 20_000 }, () => mintName('ses').id);
      assert.deepEqual(
        ids.filter((id) => !/^(?=.*[a-z])[0-9a-z]{6}$/.test(id)),
        [],
      );
      assert.ok(new Set(ids).size > 19_900);
    });
  });

  it('gives an id to generated names only (R4)', () => {
    assert.deepEqual(parseName('sub_20260817_120100_cd34ef'), { kind: 'sub', id: 'cd34ef' });
    for (const name of [
      'notes_ab12cd',
      'ses_ab12cd',
      'tmp_20260817_120000_ab12cd',
      'ses_20260817_120000_ab12cd.old',
      'ses_20260817_120000_AB12CD',
    ])
      assert.equal(parseName(name), undefined, name);
  });

  for (const [name, reason] of REFUSED)
    it(`refuses ${JSON.stringify(name.length > 30 ? `${name.slice(0, 30)}…` : name)} and says what would be accepted`, () => {
      const refusal = checkName(name);
      assert.match(refusal ?? 'accepted', reason);
      assert.match(refusal!, /Use letters, digits/);
      assertForAPerson(refusal!);
    });

  it('accepts what any system can hold', () => {
    for (const name of ACCEPTED) assert.equal(checkName(name), undefined, name);
  });

  it('lets no accepted name leave the folder, and makes nothing of a refused one (R3)', async () => {
    const workspace = join(folder.path, 'workspace');
    const canaries = [
      join(folder.path, 'canary.json'),
      join(workspace, 'canary.json'),
      join(workspace, '.polyglav', 'canary.json'),
    ];
    const store = new SessionStore(workspace, { version: '1.0.0' });
    await mkdir(store.dir, { recursive: true });
    for (const canary of canaries) await writeFile(canary, 'canary');
    const files = async () => (await readdir(store.dir)).filter((file) => file !== '.journal').sort();
    const before = { outer: await readdir(folder.path), workspace: await readdir(workspace) };

    await fc.assert(
      fc.asyncProperty(hostileName(), async (name) => {
        const had = await files();
        const all = await readdir(store.dir, { recursive: true });
        const refusal = checkName(name);
        try {
          await (await store.create({ name })).close();
        } catch (error) {
          assert.ok(error instanceof SessionError, String(error));
          assertForAPerson(error.message);
          assert.deepEqual(await readdir(store.dir, { recursive: true }), all);
          assert.ok(
            refusal !== undefined || had.some((file) => file.toLowerCase() === `${name}.json`.toLowerCase()),
            error.message,
          );
          return;
        }
        assert.equal(refusal, undefined);
        assertHoldsOnWindows(name);
        assert.deepEqual(await files(), [...had, `${name}.json`].sort());
      }),
      { numRuns: 120, examples: ACCEPTED.map((name): [string] => [name]) },
    );

    assert.deepEqual({ outer: await readdir(folder.path), workspace: await readdir(workspace) }, before);
    for (const canary of canaries) assert.equal(await readFile(canary, 'utf8'), 'canary');
  });
});

function hostileName(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    ...[
      '..',
      '.',
      '/',
      '\\',
      ':',
      '%2e',
      '%2F',
      '%',
      '\0',
      '\n',
      ' ',
      '~',
      '$',
      '#',
      '-',
      '"',
      '*',
      '\u202e',
      '\u200d',
      '\ud800',
    ],
    ...['CON', 'nul', 'com1', '.json', 'a', 'B', 'é', 'e\u0301', '日', '🙂', 'x'.repeat(115)],
  );
  return fc.oneof(
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
  );
}

/** Windows' own rules for a file name, told independently of the code. */
function assertHoldsOnWindows(name: string): void {
  assert.doesNotMatch(name, /[<>:"/\\|?*\u0000-\u001f]/);
  assert.doesNotMatch(name, /[. ]$/);
  const stem = name.split('.', 1)[0]!.trim().toUpperCase();
  assert.ok(!['CON', 'PRN', 'AUX', 'NUL'].includes(stem) && !/^(COM|LPT)[0-9¹²³]$/.test(stem), name);
  assert.ok(Buffer.byteLength(name) <= 120);
}

/** One well-formed line without characters that a terminal or a dialog would act on. */
function assertForAPerson(message: string): void {
  assert.ok(message.isWellFormed());
  assert.doesNotMatch(message, /[\p{Cc}\p{Cf}\u2028\u2029]/u, JSON.stringify(message));
}
