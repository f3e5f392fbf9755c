import assert from 'node:assert/strict';
import fc from 'fast-check';

import { Drafts } from '../../../webview-ui/composer/drafts.ts';
import { KeptState, parseKept } from '../../../webview-ui/kept.ts';

/** A page that can be loaded again: what it had written is what the next one finds. */
class Page {
  written: unknown = undefined;
  drafts = this.#load();
  #ids = 0;

  reload(session: string): void {
    this.drafts = this.#load();
    this.drafts.show(session);
  }

  #load(): Drafts {
    const kept = new KeptState(parseKept(this.written), (state) => (this.written = structuredClone(state)));
    return new Drafts(kept, () => `id-${(this.#ids += 1)}`);
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
    page.drafts.refused(send.id, 'there is no command /modle');
    assert.equal(page.drafts.text, '/modle x\n\nmore');
    assert.equal(page.drafts.refusal, 'there is no command /modle');
    page.drafts.refused(send.id, 'twice');
    assert.equal(page.drafts.text, '/modle x\n\nmore');
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
      if (text === 'refused') page.drafts.refused(send.id, 'no');
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
    assert.match(page.drafts.refusal, /at most 10000000/);
    assert.equal(page.drafts.text.length, 10_000_001);
  });

  it('read nothing from a state that is not theirs', () => {
    for (const state of [null, 3, [], { drafts: 4, sends: [{ id: 1 }], place: {}, folds: [1] }])
      assert.deepEqual(parseKept(state), { drafts: {}, sends: [], prefilled: [], place: null, folds: {} });
  });

  it('lose no text and double none, whatever happens in whatever order', () => {
    type Step = { do: 'type' | 'send' | 'accept' | 'refuse' | 'reload' | 'offer' | 'switch'; n: number };
    const step: fc.Arbitrary<Step> = fc.record({
      do: fc.constantFrom('type', 'send', 'accept', 'refuse', 'reload', 'offer', 'switch'),
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
          if (what === 'reload') {
            page.reload(sessions[n] ?? '');
            page.drafts.unanswered();
          }
          if (what === 'accept' && send !== undefined) {
            taken.push(send.text);
            page.drafts.accepted(send.id);
          }
          if (what === 'refuse' && send !== undefined) page.drafts.refused(send.id, 'no');
        }
        const { drafts, sends } = parseKept(page.written ?? {});
        const all = [...Object.values(drafts), ...sends.map(({ text }) => text), ...taken].join(' ');
        const found = all.split(/\s+/).filter(Boolean).sort();
        assert.deepEqual(found, Array.from({ length: words }, (_, at) => `w${at + 1}`).sort());
      }),
    );
  });
});
