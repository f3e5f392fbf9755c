import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import fs from 'node:fs/promises';
import path from 'node:path';

import { Chat, gate, Page, text, until } from './chatFixture.ts';

describe('the chat view', () => {
  let chat: Chat;
  const others: Chat[] = [];

  beforeEach(async () => {
    chat = await Chat.open();
  });
  afterEach(async () => {
    for (const each of [chat, ...others.splice(0)]) await each.close();
    await fs.rm(chat.folder, { recursive: true, force: true });
  });

  const reload = async (from = chat): Promise<Chat> => {
    from.abandon();
    const next = await from.reload();
    others.push(next);
    return next;
  };

  it('gives the page nothing but its own files and no inline script (P7)', () => {
    const { html } = chat.page.view.webview;
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    assert.match(
      policy,
      /^default-src 'none'; script-src 'nonce-[\w+/=]+'; style-src https:\/\/csp\.test 'sha256-47DE[\w+/=]+'; /,
    );
    assert.doesNotMatch(policy, /unsafe|\*|http:/);
    for (const [script] of html.matchAll(/<script[^>]*>/g)) assert.match(script, /nonce="[\w+/=]+" src="/);
    assert.doesNotMatch(html, / on\w+=|style=/);
  });

  it('tells a page that says ready everything, and begins a session only with the first prompt', async () => {
    await chat.receive({ type: 'ready' });
    const [snapshot] = chat.page.of('snapshot');
    assert.equal(snapshot?.state.folder, true);
    assert.equal(snapshot.state.session, null);
    assert.equal(snapshot.state.model, 'demo/demo');
    assert.ok(snapshot.state.commands.some(({ name }) => name === 'help'));
    assert.deepEqual(await chat.files(), []);
  });

  it('takes a prompt, and the numbered events fold into what is on disk', async () => {
    chat.model.answer = () => text('Hel', 'lo', ' there');
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'greet me');
    await chat.idle();
    assert.deepEqual(
      chat.page.of('accepted').map(({ id }) => id),
      ['p1'],
    );
    const { run } = chat.desk.active;
    assert.deepEqual(chat.page.fold().turns, JSON.parse(JSON.stringify(run?.session.turns)));
    const [file] = await chat.files();
    await chat.desk.engine.close();
    const onDisk = JSON.parse(await fs.readFile(path.join(chat.desk.engine.store.dir, file!), 'utf8')) as {
      turns: { parts: { text: string }[]; status: string }[];
    };
    assert.deepEqual(
      onDisk.turns[0]!.parts.map((part) => part.text),
      ['greet me', 'Hello there'],
    );
    assert.equal(onDisk.turns[0]!.status, 'ok');
    assert.equal(chat.page.of('state').at(-1)?.state.session?.title, 'greet me');
  });

  it('gives a page that comes back in mid-stream what it missed, under a new epoch', async () => {
    const wait = gate();
    chat.model.answer = () => [...text('one ', 'two ').slice(0, 2), wait.opened, ...text('three')];
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'count');
    await until(() => chat.desk.active.run?.session.turns[0]?.parts[1]?.['text'] === 'one two ');
    await chat.receive({ type: 'ready' });
    wait.open();
    await chat.idle();
    const epochs = chat.page.of('snapshot').map(({ epoch }) => epoch);
    assert.equal(new Set(epochs).size, epochs.length);
    assert.equal(chat.page.of('snapshot').at(-1)?.page.turns[0]?.parts[1]?.['text'], 'one two ');
    assert.equal(chat.page.fold().turns[0]?.parts[1]?.['text'], 'one two three');
  });

  it('costs nothing while hidden, and loses nothing', async () => {
    const wait = gate();
    const more = gate();
    chat.model.answer = () => [wait.opened, ...text('a'.repeat(50), 'b').slice(0, 2), more.opened, ...text('c')];
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'work');
    chat.page.show(false);
    const before = chat.page.messages.length;
    wait.open();
    await until(() => chat.desk.active.run?.session.turns[0]?.parts[1]?.['text'] === `${'a'.repeat(50)}b`);
    // What streams waits for its companions before it is posted.
    await sleep(100);
    assert.equal(chat.page.messages.length, before);
    chat.page.show(true);
    await chat.receive({ type: 'ready' });
    more.open();
    await chat.idle();
    assert.equal(chat.page.fold().turns[0]?.parts[1]?.['text'], `${'a'.repeat(50)}bc`);
  });

  it('runs a prompt once, however often the page sends it', async () => {
    await chat.receive({ type: 'ready' });
    await Promise.all([chat.send('p1', 'once'), chat.send('p1', 'once')]);
    await chat.idle();
    await chat.send('p1', 'once');
    assert.deepEqual(chat.prompts(), ['once']);
    assert.equal(chat.page.of('accepted').length, 3);
  });

  it('runs a prompt once over a reload, and offers it again when it was interrupted (R9)', async () => {
    chat.model.answer = () => [new Promise(() => undefined)];
    const long = 'x'.repeat(1_000_000);
    await chat.receive({ type: 'ready' });
    await chat.send('p1', long);
    const next = await reload();
    await next.receive({ type: 'ready' });
    await next.send('p1', long);
    assert.deepEqual(next.prompts(), [long]);
    assert.equal(next.model.requests.length, 1);
    assert.deepEqual(
      next.page.of('accepted').map(({ id }) => id),
      ['p1'],
    );
    assert.deepEqual(
      next.page.of('prefill').map((message) => message.text),
      [long],
    );
    const again = await reload(next);
    await again.receive({ type: 'ready' });
    const [offer] = next.page.of('prefill');
    assert.deepEqual(again.page.of('prefill'), [offer], 'nobody said that it was there');
    await again.receive({ type: 'prefilled', id: offer?.id });
    const last = await reload(again);
    await last.receive({ type: 'ready' });
    assert.deepEqual(last.page.of('prefill'), []);
    assert.equal(last.page.of('snapshot')[0]?.page.turns[0]?.status, 'cancelled');
  });

  it('keeps five prompts in order whenever they come (T9)', async function () {
    this.timeout(60_000);
    for (let round = 0; round < 20; round += 1) {
      chat.model.answer = () => [sleep(Math.random() * 20), ...text('ok')];
      await chat.receive({ type: 'new_session' });
      await chat.receive({ type: 'ready' });
      const wanted = Array.from({ length: 5 }, (_, at) => `${round}.${at}`);
      const sends: Promise<void>[] = [];
      for (const prompt of wanted) {
        sends.push(chat.send(`id ${prompt}`, prompt));
        await sleep(Math.random() * 50);
      }
      await Promise.all(sends);
      await chat.idle();
      assert.deepEqual(chat.prompts(), wanted);
    }
  });

  it('gives a waiting prompt back on request', async () => {
    const wait = gate();
    chat.model.answer = () => [wait.opened, ...text('ok')];
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'first');
    await chat.send('p2', 'second');
    assert.deepEqual(chat.page.of('state').at(-1)?.state.queue, [{ id: 'p2', text: 'second' }]);
    await chat.receive({ type: 'unqueue', id: 'p2' });
    await chat.receive({ type: 'unqueue', id: 'p2' });
    assert.deepEqual(
      chat.page.of('prefill').map((message) => message.text),
      ['second'],
    );
    wait.open();
    await chat.idle();
    assert.deepEqual(chat.prompts(), ['first']);
  });

  it('gives waiting prompts back when the turn is stopped, also to a panel that was hidden and a window that was reloaded', async () => {
    chat.model.answer = () => [new Promise(() => undefined)];
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'first');
    await chat.send('p2', 'second');
    chat.page.show(false);
    await chat.desk.active.run?.stop();
    assert.deepEqual(chat.page.of('prefill'), []);
    const next = await reload();
    await next.receive({ type: 'ready' });
    assert.deepEqual(
      next.page.of('prefill').map((message) => message.text),
      ['second'],
    );
    assert.deepEqual(next.prompts(), ['first']);
  });

  it('offers what was queued when the window went away, and sends none of it by itself', async () => {
    chat.model.answer = () => [new Promise(() => undefined)];
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'first');
    await chat.send('p2', 'second');
    const next = await reload();
    await next.receive({ type: 'ready' });
    await next.send('p2', 'second');
    assert.deepEqual(
      next.page.of('prefill').map((message) => message.text),
      ['first', 'second'],
    );
    assert.deepEqual(next.prompts(), ['first']);
  });

  it('refuses a prompt when the configuration is wrong, and makes no session for it', async () => {
    await fs.mkdir(path.join(chat.folder, '.polyglav'));
    await fs.writeFile(path.join(chat.folder, '.polyglav/config.json'), '{ "mode": "biuld" }');
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'hello');
    assert.match(chat.page.of('refused')[0]?.reason ?? '', /config\.json.*mode.*build/s);
    const [problem] = chat.page.of('snapshot')[0]?.state.problems ?? [];
    assert.match(problem?.text ?? '', /^Line 1: mode .*biuld/);
    assert.equal(problem?.file?.shown, path.join('.polyglav', 'config.json'));
    assert.equal(chat.page.of('refused')[0]?.due_to, 'configuration');
    assert.deepEqual(await chat.files(), []);
    await fs.rm(path.join(chat.folder, '.polyglav/config.json'));
    await chat.send('p1', 'hello');
    await chat.idle();
    assert.deepEqual(chat.prompts(), ['hello']);
  });

  it('shows a hint about a rule that does less than it seems to, and works all the same', async () => {
    await fs.mkdir(path.join(chat.folder, '.polyglav'));
    const rules = { tools: { run_command: { commands: { rm: 'deny' } } } };
    await fs.writeFile(path.join(chat.folder, '.polyglav/config.json'), JSON.stringify({ permissions: rules }));
    await chat.receive({ type: 'ready' });
    const [hint] = chat.page.of('snapshot')[0]?.state.problems ?? [];
    assert.match(
      hint?.text ?? '',
      /^Line 1: .*\.commands\.rm matches the command without further words only\. Write "rm \*"/,
    );
    await chat.send('p1', 'hello');
    await chat.idle();
    assert.deepEqual(chat.prompts(), ['hello']);
  });

  it('runs slash commands, refuses unknown ones, and lets // escape', async () => {
    await chat.receive({ type: 'ready' });
    await chat.send('c1', '/help');
    await chat.send('c2', '/hlep');
    await chat.send('c3', '/session new notes');
    await chat.send('c3', '/session new notes');
    await chat.send('p1', '//etc');
    await chat.send('p1', '//etc');
    await chat.idle();
    assert.match(chat.page.of('note')[0]?.text ?? '', /session load/);
    assert.match(chat.page.of('refused')[0]?.reason ?? '', /\/hlep/);
    assert.equal(chat.page.of('snapshot').at(-1)?.state.session?.name, 'notes');
    assert.deepEqual(chat.prompts(), ['/etc']);
    assert.deepEqual(
      chat.page.of('accepted').map(({ id }) => id),
      ['c1', 'c3', 'c3', 'p1', 'p1'],
    );
  });

  it('shows another session under a new epoch, with nothing of the former one', async () => {
    const wait = gate();
    chat.model.answer = () => [wait.opened, ...text('late')];
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'first session');
    const first = chat.desk.active.run;
    const told = chat.page.of('snapshot').length;
    await chat.receive({ type: 'new_session' });
    await until(() => chat.page.of('snapshot').length > told);
    const from = chat.page.messages.length;
    wait.open();
    await chat.idle();
    assert.equal(first?.session.turns[0]?.status, 'ok', 'the run goes on unseen');
    // A change of any run has the state told anew, since it may ask something: here it still says what is shown, and no more.
    const { epoch, state } = chat.page.of('snapshot').at(-1)!;
    for (const message of chat.page.messages.slice(from)) {
      assert.ok(message.type === 'state', message.type);
      assert.deepEqual([message.epoch, message.state], [epoch, state]);
    }
    assert.equal(state.session, null);
    await chat.desk.active.load(first.name);
    await until(() => chat.page.of('snapshot').at(-1)?.state.session?.name === first.name);
    assert.equal(chat.page.fold().turns[0]?.parts[1]?.['text'], 'late');
  });

  it('sends a prompt to the session that it was written in, though another is shown by now', async () => {
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'first session');
    await chat.idle();
    const first = chat.desk.active.run;
    await chat.desk.active.load((await chat.desk.engine.create('second')).name);
    await chat.receive({ type: 'send', id: 'p2', session: first?.name, text: 'go on' });
    await chat.idle();
    assert.deepEqual(chat.prompts(), []);
    assert.equal((await chat.desk.engine.store.read(first!.name)).turns.length, 2);
  });

  it('opens the last session again after a reload, and says so when it cannot', async () => {
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'remember me');
    await chat.idle();
    const next = await reload();
    await next.receive({ type: 'ready' });
    assert.equal(next.page.of('snapshot')[0]?.state.session?.title, 'remember me');
    await next.idle();
    const [file] = await next.files();
    await next.desk.engine.close();
    await fs.writeFile(path.join(next.desk.engine.store.dir, file!), 'broken');
    const last = await reload(next);
    await last.receive({ type: 'ready' });
    assert.equal(last.page.of('snapshot')[0]?.state.session, null);
    assert.match(last.page.of('snapshot')[0]?.state.problems[0]?.text ?? '', /could not be opened again/);
  });

  it('shows what any session asks for, that of its own first, and counts all of it, whichever view is there', async () => {
    const held = gate();
    chat.answers = () => held.opened.then(() => ({ answer: 'refused' as const }));
    const badge = (page = chat.page) => page.view.badge?.value;
    const call = { id: 'c', name: 'file_write', arguments: JSON.stringify({ path: 'a.txt', content: 'hi\n' }) };
    await chat.receive({ type: 'ready' });
    chat.model.answer = ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? text('done') : [{ type: 'finished', reason: 'tool_calls', calls: [call] }];
    await chat.send('p-1', 'first');
    await until(() => badge() === 1);
    await chat.receive({ type: 'new_session' });
    await chat.send('p-2', 'second');
    await until(() => badge() === 2);
    assert.match(
      chat.page.view.badge?.tooltip ?? '',
      /Write a\.txt \(session first\)\nWrite a\.txt \(session second\)/,
    );
    const shown = () => (chat.page.of('state').at(-1)?.state.asks ?? []).map(({ session }) => session);
    await until(() => shown().length === 2);
    assert.deepEqual(shown(), [undefined, 'first']);
    // The view was closed and made anew.
    const page = new Page();
    chat.view.resolveWebviewView(page.view);
    assert.equal(badge(page), 2);
    held.open();
    await until(() => badge(page) === undefined);
    await chat.idle();
  });

  it('shows what a call asks for, and goes on after the answer', async () => {
    const answer = gate();
    chat.answers = async () => {
      await answer.opened;
      return { answer: 'once' };
    };
    const call = { id: 'c', name: 'file_write', arguments: JSON.stringify({ path: 'new.txt', content: 'hi\n' }) };
    chat.model.answer = ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? text('written')
        : [{ type: 'finished', reason: 'tool_calls', calls: [call] }];
    await chat.receive({ type: 'ready' });
    await chat.send('p1', 'write');
    await until(() => chat.page.of('state').at(-1)?.state.run === 'asking');
    const { state } = chat.page.of('state').at(-1)!;
    assert.equal(state.run, 'asking');
    assert.match(state.asks[0]?.title ?? '', /new\.txt/);
    answer.open();
    await chat.idle();
    assert.equal(await fs.readFile(path.join(chat.folder, 'new.txt'), 'utf8'), 'hi\n');
    assert.equal(chat.page.of('state').at(-1)?.state.asks.length, 0);
  });

  it('ignores what is no message of ours (P7)', async () => {
    await chat.receive({ type: 'ready' });
    const before = chat.page.messages.length;
    for (const bad of [
      null,
      1,
      'ready',
      {},
      { type: 'run' },
      { type: 'send', id: '', text: 'x' },
      { type: 'ready', more: 1 },
    ])
      await chat.receive(bad);
    assert.equal(chat.page.messages.length, before);
    assert.deepEqual(await chat.files(), []);
  });

  it('pages back through older turns', async () => {
    await chat.receive({ type: 'ready' });
    for (let turn = 0; turn < 35; turn += 1) {
      await chat.send(`p${turn}`, `prompt ${turn}`);
      await chat.idle();
    }
    await chat.receive({ type: 'ready' });
    const { epoch, page } = chat.page.of('snapshot').at(-1)!;
    assert.equal(page.before, 5);
    await chat.receive({ type: 'older', epoch: 'stale', before: page.before });
    assert.equal(chat.page.of('older').length, 0);
    await chat.receive({ type: 'older', epoch, before: page.before });
    assert.deepEqual(
      chat.page.of('older')[0]?.page.turns.map(({ index }) => index),
      [1, 2, 3, 4, 5],
    );
  }).timeout(60_000);
});
