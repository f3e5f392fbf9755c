import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { tools } from '../../../src/tools/registry.ts';
import { Bench, callsOf, turn } from '../../support/engine.ts';

describe('agent/call, to the web', () => {
  let bench: Bench;
  let server: http.Server;
  let requests: (string | undefined)[];
  beforeEach(async () => {
    bench = await Bench.make();
    bench.tools = tools;
    requests = [];
    server = http.createServer(({ url }, response) => {
      requests.push(url);
      response.writeHead(200, { 'content-type': 'text/plain' }).end('the words of the page');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await bench.close();
  });

  const fetching = (host = '127.0.0.1') => ({
    call: 'web_fetch',
    arguments: { url: `http://${host}:${(server.address() as AddressInfo).port}/page` },
  });

  it('asks for a private address each time, whatever is allowed, and fetches nothing before the answer (P1)', async () => {
    bench.config = { ...bench.config, permissions: [{ layer: 'user', rules: { default: 'allow' } }] };
    bench.person.answers.push({ answer: 'once' }, { answer: 'session' }, { answer: 'yes_flag' }, async () => {
      assert.equal(requests.length, 1);
      return { answer: 'refused' };
    });
    bench.provider.answer([fetching(), fetching(), fetching('localhost'), fetching('2130706433')], ['ok']);
    const run = await bench.create();
    assert.equal(await turn(run), 'ok');
    assert.deepEqual(
      callsOf(run.session).map(({ output }) => output!.split('\n')[1] ?? output!.split(/[ :]/, 1)[0]),
      ['the words of the page', 'The', 'The', 'The'],
    );
    assert.deepEqual(requests, ['/page']);
    assert.deepEqual(
      run.session.permissions.map(({ tool, action, decision, path }) => [tool, action, decision, path]),
      ['granted', 'declined', 'declined', 'declined'].map((decision) => ['web_fetch', 'ask', decision, undefined]),
    );
    assert.deepEqual(
      bench.person.asks.map(({ only_once }) => only_once),
      [true, true, true, true],
    );
    assert.match(bench.person.asks[3]!.title, /^Fetch http:\/\/127\.0\.0\.1:\d+\/page$/);
  });

  it('gives the model the whole page, and the record a word in its place (R11)', async () => {
    bench.restart();
    bench.provider.answer([fetching()], ['ok']);
    const run = await bench.create();
    await turn(run);
    assert.match(JSON.stringify(bench.provider.requests[1]!.messages), /the words of the page/);
    await run.save();
    const text = await readFile(bench.fileOf(run.name), 'utf8');
    assert.doesNotMatch(text, /the words of the page/);
    assert.match(text, /web_fetch result excluded/);
  });

  it('is there in plan mode, and asked for all the same', async () => {
    bench.person.answers.push({ answer: 'refused' });
    bench.provider.answer([fetching()], ['ok']);
    const run = await bench.create();
    await run.setMode('plan');
    await turn(run);
    assert.equal(requests.length, 0);
    assert.equal(bench.person.asks.length, 1);
  });

  it('does not send a key of a provider (R15)', async () => {
    bench.env = { OPENAI_API_KEY: 'sk-recognisable' };
    const { call, arguments: input } = fetching();
    bench.provider.answer([{ call, arguments: { url: `${input.url}?q=sk-recognisable` } }], ['ok']);
    const run = await bench.create();
    await turn(run);
    assert.equal(callsOf(run.session)[0]!.output, 'Not fetched: the URL has a key of a provider in it.');
    assert.deepEqual(requests, []);
  });
});
