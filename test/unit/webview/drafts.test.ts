import assert from 'node:assert/strict';
import fc from 'fast-check';

import { Drafts } from '../../../webview-ui/composer/drafts.ts';
import type { Unsent } from '../../../src/protocol/messages.ts';
import { KeptState, parseKept, type Kept } from '../../../webview-ui/kept.ts';

/**
 * A page that can be loaded again: what it had written is what the next one finds. With `lag`, VS Code's own store of it has
 * only what was written so many writes ago, and the host's copy has everything.
 */
class Page {
  readonly writes: unknown[] = [];
  readonly copy: Record<string, Unsent> = {};
  lag = 0;
  drafts = this.#load();
  #ids = 0;
  #clock = 0;

  get written(): Kept {
    return parseKept(this.writes.at(-1));
  }

  reload(session: string): void {
    const lost = this.lag;
    this.drafts = this.#load(lost);
    if (lost > 0) this.drafts.restore(structuredClone(this.copy));
    this.drafts.show(session);
  }

  #load(lost = 0): Drafts {
    const kept = new KeptState(parseKept(this.writes.at(-1 - lost)), {
      write: (state) => this.writes.push(structuredClone(state)),
      mirror: (session, unsent) =>
        Object.defineProperty(this.copy, session, {
          ...{ value: structuredClone(unsent), enumerable: true, configurable: true, writable: true },
        }),
    });
    // A clock that stands still, and is set back.
    const now = () => 1000 + (this.#clock = (this.#clock + 1) % 7);
    return new Drafts(kept, () => `id-${(this.#ids += 1)}`, now);
  }
}

describe('drafts', () => {
  it('are kept per session and over a reload', () => {
    const page = new Page();
    page.drafts.show('one');
    page.drafts.type('first');
    page.drafts.show('two');
    assert.equal(page.drafts.text, '');
    page.drafts.type('second');
    page.reload('one');
    assert.equal(page.drafts.text, 'first');
    page.drafts.show('two');
    assert.equal(page.drafts.text, 'second');
  });

  it('leave the page only when the host has taken them', () => {
    const page = new Page();
    page.drafts.show('one');
    page.drafts.type('  do it\n');
    const send = page.drafts.send()!;
    assert.equal(send.text, 'do it');
    assert.equal(page.drafts.text, '');
    assert.equal(page.drafts.send(), undefined);
    page.reload('one');
    assert.deepEqual(
      page.drafts.unanswered().map(({ id }) => id),
      [send.id],
    );
    page.drafts.accepted(send.id);
    page.reload('one');
    assert.deepEqual(page.drafts.unanswered(), []);
  });

  it('come back with the reason when they are refused, before what was typed since', () => {
    const page = new Page();
    page.drafts.type('/modle x');
    const send = page.drafts.send()!;
    page.drafts.type('more');
    page.drafts.refused(send.id, { reason: 'there is no command /modle' });
    assert.equal(page.drafts.text, '/modle x\n\nmore');
    assert.equal(page.drafts.refusal?.reason, 'there is no command /modle');
    page.drafts.refused(send.id, { reason: 'twice' });
    assert.equal(page.drafts.text, '/modle x\n\nmore');
  });

  it('are refused for as long as what it was due to lasts', () => {
    const page = new Page();
    const refusedFor = (due_to?: 'turn' | 'configuration') => {
      page.drafts.type('/model x/y');
      page.drafts.refused(page.drafts.send()!.id, { reason: 'no', ...(due_to === undefined ? {} : { due_to }) });
      page.drafts.passed('configuration');
      return page.drafts.refusal?.reason;
    };
    assert.deepEqual([refusedFor('configuration'), refusedFor('turn'), refusedFor()], [undefined, 'no', 'no']);
    assert.equal(page.drafts.text, '/model x/y');
  });

  it('are never overwritten by a text of the host', () => {
    const page = new Page();
    page.drafts.offer('interrupted');
    assert.equal(page.drafts.text, 'interrupted');
    page.drafts.offer('interrupted');
    assert.equal(page.drafts.text, 'interrupted');
    page.drafts.offer('another');
    assert.equal(page.drafts.text, 'interrupted\n\nanother');
  });

  it('go along when the new session gets its name, and stay behind when another is opened', () => {
    const page = new Page();
    page.drafts.type('begin');
    page.drafts.send();
    page.drafts.type('next');
    page.drafts.show('ses_new');
    assert.equal(page.drafts.text, 'next');
    page.drafts.show('');
    assert.equal(page.drafts.text, '');
    page.drafts.type('kept');
    page.drafts.show('ses_old');
    assert.equal(page.drafts.text, '');
    page.drafts.show('');
    assert.equal(page.drafts.text, 'kept');
  });

  it('stay with the new session when what was sent from it was a command, or was refused', () => {
    for (const text of ['/help', '/session load ses_old', 'refused']) {
      const page = new Page();
      page.drafts.type(text);
      const send = page.drafts.send()!;
      if (text === 'refused') page.drafts.refused(send.id, { reason: 'no' });
      else page.drafts.accepted(send.id);
      page.drafts.type('for a new one');
      page.drafts.show('ses_old');
      assert.equal(page.drafts.text, '');
      page.drafts.show('');
      assert.equal(page.drafts.text, 'for a new one');
    }
  });

  it('go along with a message that only looks like a command', () => {
    for (const text of ['//etc is full', '/home/me is full']) {
      const page = new Page();
      page.drafts.type(text);
      page.drafts.send();
      page.drafts.type('next');
      page.drafts.show('ses_new');
      assert.equal(page.drafts.text, 'next');
    }
  });

  it('take a text of the host once, also when it comes again after a reload', () => {
    const page = new Page();
    page.drafts.prefill('a', 'given back');
    page.drafts.type('given back and changed');
    page.reload('');
    page.drafts.prefill('a', 'given back');
    assert.equal(page.drafts.text, 'given back and changed');
    page.drafts.prefill('b', 'x'.repeat(100_000));
    page.reload('');
    assert.equal(page.drafts.text.length, 100_024);
  });

  it('belong, when they began a session of which the page did not hear the name, to that session', () => {
    const page = new Page();
    page.drafts.type('begin');
    const { id } = page.drafts.send()!;
    page.reload('ses_new');
    assert.deepEqual(page.drafts.unanswered(), [{ id, text: 'begin', session: 'ses_new' }]);
  });

  it('go back to their session when another one is there after a reload', () => {
    const page = new Page();
    page.drafts.show('one');
    page.drafts.type('for one');
    page.drafts.send();
    page.reload('two');
    assert.deepEqual(page.drafts.unanswered(), []);
    assert.equal(page.drafts.text, '');
    page.drafts.show('one');
    assert.equal(page.drafts.text, 'for one');
  });

  it('say when they are too long to be sent, and stay', () => {
    const page = new Page();
    page.drafts.type('x'.repeat(10_000_001));
    assert.equal(page.drafts.send(), undefined);
    assert.match(page.drafts.refusal?.reason ?? '', /at most 10000000/);
    assert.equal(page.drafts.text.length, 10_000_001);
  });

  it('read nothing from a state that is not theirs', () => {
    const odd = { a: 4, b: { at: 1, draft: 'x', sends: [{ id: 1 }], prefilled: [] }, c: { at: 1 } };
    for (const state of [null, 3, [], { unsent: 4, place: {}, folds: [1] }, { unsent: odd }])
      assert.deepEqual(parseKept(state), { unsent: {}, place: null, folds: {} });
  });

  it('come back from the host when the page has lost its own, as they were last', () => {
    const page = new Page();
    page.drafts.show('one');
    page.drafts.type('an old draft');
    page.drafts.type('');
    page.lag = 1;
    page.reload('one');
    assert.equal(page.drafts.text, '');
    page.drafts.type('sent');
    const send = page.drafts.send()!;
    page.drafts.type('typed since');
    page.lag = page.writes.length;
    page.reload('one');
    assert.equal(page.drafts.text, 'typed since');
    assert.deepEqual(page.drafts.unanswered(), [send]);
  });

  it('are not replaced by an older copy of the host', () => {
    const page = new Page();
    page.drafts.type('new');
    page.drafts.restore({ '': { at: 1, draft: 'old', sends: [], prefilled: [] } });
    assert.equal(page.drafts.text, 'new');
  });

  it('lose no text and double none, whatever happens in whatever order', () => {
    type Step = { do: 'type' | 'send' | 'accept' | 'refuse' | 'reload' | 'offer' | 'switch' | 'lag'; n: number };
    const step: fc.Arbitrary<Step> = fc.record({
      do: fc.constantFrom('type', 'send', 'accept', 'refuse', 'reload', 'offer', 'switch', 'lag'),
      n: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const page = new Page();
        const sessions = ['', '__proto__', 'constructor'];
        const taken: string[] = [];
        let words = 0;
        const word = () => `w${(words += 1)}`;
        for (const { do: what, n } of steps) {
          const send = page.drafts.sends[n];
          if (what === 'type') page.drafts.type(`${page.drafts.text} ${word()}`);
          if (what === 'send') page.drafts.send();
          if (what === 'offer') page.drafts.prefill(`offer-${words}`, word());
          if (what === 'switch') page.drafts.show(sessions[n] ?? '');
          if (what === 'lag') page.lag = n * 3;
          if (what === 'reload') {
            page.reload(sessions[n] ?? '');
            page.drafts.unanswered();
          }
          if (what === 'accept' && send !== undefined) {
            taken.push(send.text);
            page.drafts.accepted(send.id);
          }
          if (what === 'refuse' && send !== undefined) page.drafts.refused(send.id, { reason: 'no' });
        }
        const unsent = Object.values(page.written.unsent);
        const all = [...unsent.flatMap(({ draft, sends }) => [draft, ...sends.map(({ text }) => text)]), ...taken].join(
          ' ',
        );
        const found = all.split(/\s+/).filter(Boolean).sort();
        assert.deepEqual(found, Array.from({ length: words }, (_, at) => `w${at + 1}`).sort());
      }),
    );
  });
});
