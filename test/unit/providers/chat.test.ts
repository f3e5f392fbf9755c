import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { chatProvider } from '../../../src/providers/chat.ts';
import { ProviderError, type ProviderEvent, type ProviderErrorKind } from '../../../src/providers/provider.ts';
import { answerTo, collect, delta, replaying, reply, request, sse, TOOL, type Reply, type Sent } from './replay.ts';

const HELLO = sse(delta({ content: 'Hello' }), delta({}, 'stop'));

/** A server on this machine; `base_url` of it, and how to close it with all its connections. */
class LocalServer {
  readonly #server: Server;

  constructor(listener: RequestListener) {
    this.#server = createServer(listener);
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** A fetch that ignores its signal. */
const deaf: typeof fetch = async () => {
  await pause(400);
  return Response.json({});
};

async function failure(work: Promise<unknown>): Promise<ProviderError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ProviderError, `not a ProviderError: ${String(error)}`);
    return error;
  }
  throw new Error('it did not fail');
}

/** The failure of one request that is answered with `answer`. */
function refusal(answer: Reply | string, options: Parameters<typeof replaying>[1] = {}): Promise<ProviderError> {
  const provider = replaying(typeof answer === 'string' ? reply(answer) : answer, options);
  return failure(collect(provider.stream(request())));
}

describe('providers/chat', () => {
  it('streams over real HTTP', async () => {
    const bodies: unknown[] = [];
    await using server = new LocalServer((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
      incoming.on('end', () => {
        bodies.push(JSON.parse(body));
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(HELLO);
      });
    });
    const provider = chatProvider({ name: 'local', base_url: await server.start(), env: {} });
    const { text, finished } = await collect(provider.stream(request({ tools: [TOOL] })));
    assert.equal(text, 'Hello');
    assert.deepEqual(finished, { type: 'finished', reason: 'stop', calls: [] });
    assert.equal((bodies[0] as { tools: unknown[] }).tools.length, 1);
  });

  describe('keys', () => {
    it('sends the key that the environment holds at the time', async () => {
      const sent: Sent[] = [];
      const env: NodeJS.ProcessEnv = { MY_KEY: 'first-key' };
      const provider = replaying(reply(HELLO), { api_key_env: 'MY_KEY', env }, sent);
      await collect(provider.stream(request()));
      env['MY_KEY'] = ' second-key\n';
      await collect(provider.stream(request())).catch(() => undefined);
      assert.deepEqual(
        sent.map(({ headers }) => headers['authorization']),
        ['Bearer first-key', 'Bearer second-key'],
      );
    });

    it('takes every name of a variable for a name', async () => {
      for (const name of ['__proto__', 'constructor']) {
        const unset = replaying(reply(HELLO), { api_key_env: name, env: {} });
        await assert.rejects(collect(unset.stream(request())), { message: new RegExp(`variable ${name} is not set`) });
        const sent: Sent[] = [];
        const env = Object.fromEntries([[name, 'a-key']]);
        await collect(replaying(reply(HELLO), { api_key_env: name, env }, sent).stream(request()));
        assert.equal(sent[0]?.headers['authorization'], 'Bearer a-key');
      }
    });

    it('sends none where none is configured, and only the headers that are', async () => {
      const sent: Sent[] = [];
      await collect(replaying(reply(HELLO), { headers: { 'X-Title': 'T' } }, sent).stream(request()));
      assert.deepEqual(sent[0]?.headers, {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'polyglav',
        'x-title': 'T',
      });
    });

    it('lets a configured header take the place of its own', async () => {
      const sent: Sent[] = [];
      const options = {
        headers: { authorization: 'Token t', 'User-Agent': 'mine' },
        api_key_env: 'K',
        env: { K: 'key' },
      };
      await collect(replaying(reply(HELLO), options, sent).stream(request()));
      assert.equal(sent[0]?.headers['authorization'], 'Token t');
      assert.equal(sent[0].headers['user-agent'], 'mine');
    });

    it('does not let the client read OPENAI_ variables', async () => {
      const names = ['API_KEY', 'BASE_URL', 'ORG_ID', 'PROJECT_ID', 'ADMIN_KEY', 'LOG', 'CUSTOM_HEADERS'].map(
        (name) => `OPENAI_${name}`,
      );
      const before = names.map((name) => process.env[name]);
      for (const name of names)
        process.env[name] = name === 'OPENAI_CUSTOM_HEADERS' ? 'X-Leak: leaked-value' : 'leaked-value';
      try {
        const sent: Sent[] = [];
        await collect(replaying(reply(HELLO), {}, sent).stream(request()));
        assert.doesNotMatch(JSON.stringify(sent), /leaked-value/);
        assert.equal(sent[0]?.url, 'http://localhost:1/v1/chat/completions');
      } finally {
        for (const [at, name] of names.entries()) {
          if (before[at] === undefined) Reflect.deleteProperty(process.env, name);
          else process.env[name] = before[at];
        }
      }
    });

    it('says which variable is missing, for which provider, and sends nothing', async () => {
      for (const value of [undefined, '', '  ']) {
        const sent: Sent[] = [];
        const provider = replaying(
          reply(HELLO),
          { name: 'openai', api_key_env: 'OPENAI_API_KEY', env: { OPENAI_API_KEY: value } },
          sent,
        );
        const error = await failure(collect(provider.stream(request({ model: 'gpt-5' }))));
        assert.equal(error.kind, 'auth');
        assert.equal(error.retryable, false);
        assert.match(
          error.message,
          /^openai\/gpt-5: there is no key: the environment variable OPENAI_API_KEY is not set/,
        );
        assert.equal(sent.length, 0);
      }
    });

    it('refuses a key that no header can carry, without showing it', async () => {
      const error = await refusal(HELLO, { api_key_env: 'K', env: { K: 'sk-secret…value' } });
      assert.equal(error.kind, 'auth');
      assert.doesNotMatch(error.message, /secret/);
    });

    it('never shows a key, wherever the server repeats it (R15)', async () => {
      const key = 'sk-very-secret-0123456789';
      const options = { api_key_env: 'K', env: { K: key }, headers: { 'X-Token': 'other-secret-0123' } };
      const long = `${'x'.repeat(490)}${key}${'y'.repeat(500)}`;
      const answers: (Reply | string)[] = [
        reply(JSON.stringify({ error: { message: `Incorrect API key: ${key}, other-secret-0123` } }), { status: 401 }),
        reply(JSON.stringify({ error: { message: long } }), { status: 400 }),
        reply(`<html>${key}</html>`, { status: 502 }),
        reply('', { status: 307, headers: { location: `https://x.example/?key=${key}` } }),
        JSON.stringify({ error: key }),
        sse(delta({ content: 'a' }), { error: { message: key } }),
        `data: {"broken ${key}\n\n`,
        `<html>${key}`,
        `${'x'.repeat(190)}${key}`,
      ];
      for (const answer of answers) {
        const error = await refusal(answer, options);
        const shown = `${error.message} ${error.stack ?? ''} ${JSON.stringify(error)} ${String(error.cause)}`;
        assert.doesNotMatch(shown, /sk-very|other-secret/, error.message);
      }
    });

    for (const status of [301, 302, 303, 307, 308])
      it(`follows no redirect (${status}): key, headers and conversation would go along (P5)`, async () => {
        const hosts: (string | undefined)[] = [];
        await using other = new LocalServer((incoming, response) => {
          hosts.push(incoming.headers.host);
          response.end(HELLO);
        });
        const elsewhere = await other.start();
        await using server = new LocalServer((_, response) =>
          response.writeHead(status, { location: elsewhere }).end(),
        );
        const provider = chatProvider({
          name: 'moved',
          base_url: await server.start(),
          env: { K: 'key' },
          api_key_env: 'K',
          headers: { 'X-Api-Key': 'other' },
        });
        const ways = [() => collect(provider.stream(request())), () => provider.models(new AbortController().signal)];
        for (const ask of ways) {
          const error = await failure(ask());
          assert.equal(error.status, status);
          assert.ok(error.message.includes(elsewhere) && error.message.includes('providers.moved'), error.message);
        }
        assert.deepEqual(hosts, []);
      });
  });

  describe('errors', () => {
    const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      reply(JSON.stringify(body), { status, headers });
    const cases: [
      string,
      Reply | string,
      Partial<Pick<ProviderError, 'kind' | 'status' | 'retryable' | 'retry_after_ms'>>,
      RegExp,
    ][] = [
      [
        'a wrong key',
        json(401, { error: { message: 'Bad key' } }),
        { kind: 'auth', status: 401, retryable: false },
        /^test\/m: 401 Bad key\. Name the environment variable/,
      ],
      ['no body', { status: 401, chunks: [] }, { kind: 'auth', status: 401 }, /401 the server gave no reason/],
      [
        'a rate limit',
        json(429, { error: { message: 'Slow down' } }, { 'retry-after': '30' }),
        { kind: 'rate_limit', retryable: true, retry_after_ms: 30_000 },
        /Slow down/,
      ],
      [
        'no credit, which no waiting mends',
        json(429, { error: { message: 'x', code: 'insufficient_quota' } }, { 'retry-after': '1' }),
        { kind: 'quota', retryable: false, retry_after_ms: undefined },
        /credit/,
      ],
      [
        'an unknown model',
        json(404, { error: 'model "m" not found' }),
        { kind: 'model_not_found', retryable: false },
        /\/model/,
      ],
      [
        'a wrong address',
        json(404, { detail: 'Not Found' }),
        { kind: 'bad_request' },
        /Check base_url under providers\.test/,
      ],
      [
        'an overload',
        json(529, { error: { type: 'overloaded_error', message: 'Overloaded' } }),
        { kind: 'server', status: 529, retryable: true },
        /Overloaded/,
      ],
      [
        'a page of a proxy',
        reply(`<html><title>504 Gateway Time-out</title>${'é'.repeat(9000)}`, { status: 504 }),
        { kind: 'server', status: 504 },
        /an HTML page: 504 Gateway Time-out é+…/,
      ],
      [
        'an error with status 200 (T2)',
        json(200, { error: { message: 'Too busy', code: 503 } }),
        { kind: 'server', status: 503, retryable: true },
        /Too busy/,
      ],
      [
        'an error as text with status 200 (T2)',
        json(200, { error: 'Too busy' }),
        { kind: 'server', status: 0 },
        /Too busy/,
      ],
      [
        'a flat error with status 200 (T2)',
        json(200, { object: 'error', message: 'No.', code: 400 }),
        { kind: 'bad_request', status: 400 },
        /No\./,
      ],
      [
        'an error event of plain text (T2)',
        'event: error\ndata: too busy\n\n',
        { kind: 'server', status: 0 },
        /too busy/,
      ],
      [
        'an error in the middle, whose status the body names (T2)',
        sse(delta({ content: 'x' }), { error: { message: 'Limit', code: '429' } }),
        { kind: 'rate_limit', status: 429 },
        /Limit/,
      ],
      [
        'an error after the end was announced (T2)',
        sse(delta({ content: 'x' }, 'stop'), { error: { message: 'Late', code: 500 } }),
        { kind: 'server', status: 500 },
        /Late/,
      ],
      [
        'retry-after of an answer that began well',
        reply(sse({ error: { message: 'x', code: 503 } }), { headers: { 'retry-after': '99' } }),
        { kind: 'server', retry_after_ms: undefined },
        /x/,
      ],
      ['no body with status 200 (T2)', '', { kind: 'malformed', retryable: true }, /the answer was empty/],
      [
        'comments alone (T2)',
        ': keep-alive\n\n: keep-alive\n\n',
        { kind: 'malformed' },
        /no event stream; it begins with: : keep-alive/,
      ],
      ['[DONE] alone (T2)', 'data: [DONE]\n\n', { kind: 'malformed' }, /no event stream/],
      [
        'a web page with status 200',
        '<!doctype html><title>Sign in</title>',
        { kind: 'bad_request', retryable: false },
        /an HTML page: Sign in.*\n?.*base_url/,
      ],
      [
        'broken JSON',
        'data: {"choices": [\n\n',
        { kind: 'malformed', retryable: true },
        /could not be read.*\{"choices": \[/,
      ],
      [
        'a call that was announced and did not come (T2)',
        sse(delta({}, 'tool_calls')),
        { kind: 'malformed', retryable: true },
        /sent no call/,
      ],
    ];
    for (const [name, answer, expected, words] of cases) {
      it(`tells ${name}`, async () => {
        const error = await refusal(answer);
        for (const [key, value] of Object.entries(expected))
          assert.equal(error[key as 'kind'], value, `${key}: ${error.message}`);
        assert.match(error.message, words);
        assert.ok(error.message.isWellFormed() && error.message.length < 800);
      });
    }

    it('tells how to get a model of Ollama', async () => {
      const error = await refusal(json(404, { error: { message: "model 'm' not found" } }), {
        base_url: 'http://localhost:11434/v1',
      });
      assert.match(error.message, /ollama pull m$/);
    });

    it('keeps what came before an error', async () => {
      const provider = replaying(reply(sse(delta({ content: 'So far' }), { error: 'x' })));
      const events: ProviderEvent[] = [];
      await failure(
        (async () => {
          for await (const event of provider.stream(request())) events.push(event);
        })(),
      );
      assert.deepEqual(events, [{ type: 'text', text: 'So far' }]);
    });

    it('says that nobody listens at the address', async () => {
      const server = new LocalServer(() => undefined);
      const base_url = await server.start();
      await server[Symbol.asyncDispose]();
      const error = await failure(collect(chatProvider({ name: 'local', base_url, env: {} }).stream(request())));
      assert.equal(error.kind, 'network');
      assert.equal(error.status, 0);
      assert.ok(error.retryable);
      assert.match(error.message, /cannot reach http:\/\/127.*\(ECONNREFUSED\)/);
    });

    it('says that the connection was cut in the middle', async () => {
      await using server = new LocalServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(sse(delta({ content: 'x' })).replace('data: [DONE]\n\n', ''), () => response.destroy());
      });
      const error = await failure(
        collect(chatProvider({ name: 'local', base_url: await server.start(), env: {} }).stream(request())),
      );
      assert.equal(error.kind, 'network');
      assert.ok(error.retryable);
    });

    it('makes one attempt', async () => {
      for (const status of [401, 429, 500]) {
        const sent: Sent[] = [];
        await failure(collect(replaying(json(status, { error: 'x' }), {}, sent).stream(request())));
        assert.equal(sent.length, 1);
      }
    });
  });

  describe('silence (T2)', () => {
    const silentAfter =
      (text: string | undefined): RequestListener =>
      (_, response) => {
        if (text !== undefined) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
      };
    const places: [string, string | undefined][] = [
      ['before the headers', undefined],
      ['before the first event', ''],
      ['in the middle', 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'],
    ];
    for (const [where, text] of places) {
      it(`ends the request ${where}`, async () => {
        await using server = new LocalServer(silentAfter(text));
        const provider = chatProvider({ name: 'local', base_url: await server.start(), env: {}, idle_ms: 60 });
        const error = await failure(collect(provider.stream(request())));
        assert.equal(error.kind, 'idle');
        assert.ok(error.retryable);
        assert.match(error.message, /nothing came for 0 s/);
      });
    }

    it('is not broken by comments', async () => {
      let timer: NodeJS.Timeout | undefined;
      await using server = new LocalServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        timer = setInterval(() => response.write(': PROCESSING\n\n'), 10);
      });
      const provider = chatProvider({ name: 'local', base_url: await server.start(), env: {}, idle_ms: 100 });
      const error = await failure(collect(provider.stream(request())));
      clearInterval(timer);
      assert.equal(error.kind, 'idle');
    });

    it('is counted from the last event', async () => {
      await using server = new LocalServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        let left = 8;
        const timer = setInterval(() => {
          if (left-- > 0) response.write(`data: ${JSON.stringify(delta({ content: 'x' }))}\n\n`);
          else {
            clearInterval(timer);
            response.end(sse(delta({}, 'stop')));
          }
        }, 50);
      });
      const provider = chatProvider({ name: 'local', base_url: await server.start(), env: {}, idle_ms: 300 });
      assert.equal((await collect(provider.stream(request()))).text, 'xxxxxxxx');
    });
  });

  describe('abort', () => {
    /** Aborts `after_ms` into the request; what was thrown, and how long that took. */
    async function aborted(
      base_url: string,
      after_ms: number,
      options: { fetch?: typeof fetch } = {},
    ): Promise<{ thrown: unknown; took: number }> {
      const controller = new AbortController();
      const reason = new Error('the person stopped it');
      const provider = chatProvider({ name: 'local', base_url, env: {}, ...options });
      let at = 0;
      setTimeout(() => {
        at = performance.now();
        controller.abort(reason);
      }, after_ms);
      const thrown: unknown = await collect(provider.stream(request({ signal: controller.signal }))).then(
        () => 'no error',
        (error: unknown) => error,
      );
      assert.equal(thrown, reason);
      return { thrown, took: performance.now() - at };
    }

    it('ends the request promptly in every phase, with the reason of the signal (T7)', async () => {
      const phases: RequestListener[] = [
        () => undefined,
        (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
        (_, response) => response.writeHead(500).write('{"error":'),
        (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          const timer = setInterval(() => response.write(`data: ${JSON.stringify(delta({ content: 'x' }))}\n\n`), 2);
          response.on('close', () => clearInterval(timer));
        },
      ];
      for (const [phase, listener] of phases.entries()) {
        const closed: Promise<unknown>[] = [];
        await using server = new LocalServer((incoming, response) => {
          closed.push(once(response, 'close'));
          listener(incoming, response);
        });
        const { took } = await aborted(await server.start(), 60);
        assert.ok(took < 200, `phase ${phase}: ${took} ms`);
        // The connection does not stay behind.
        assert.equal(closed.length, 1);
        await closed[0];
      }
    });

    it('does not wait for a fetch that ignores its signal', async () => {
      const { took } = await aborted('http://localhost:1/v1', 20, { fetch: deaf });
      assert.ok(took < 100);
    });

    it('sends nothing when it came first', async () => {
      const sent: Sent[] = [];
      const stream = replaying(reply(HELLO), {}, sent).stream(request({ signal: AbortSignal.abort('stopped') }));
      await assert.rejects(collect(stream), (thrown) => thrown === 'stopped');
      assert.equal(sent.length, 0);
    });

    it('counts between two events, too', async () => {
      const controller = new AbortController();
      const stream = replaying(reply(HELLO)).stream(request({ signal: controller.signal }));
      await assert.rejects(
        (async () => {
          for await (const _ of stream) controller.abort('stopped');
        })(),
        (thrown) => thrown === 'stopped',
      );
    });

    it('is what ends the connection when nobody reads on', async () => {
      let closed: Promise<unknown> | undefined;
      await using server = new LocalServer((_, response) => {
        closed = once(response, 'close');
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write(`data: ${JSON.stringify(delta({ content: 'x' }))}\n\n`);
      });
      const provider = chatProvider({ name: 'local', base_url: await server.start(), env: {} });
      for await (const _ of provider.stream(request())) break;
      await closed;
    });
  });

  describe('models', () => {
    it('are those that the endpoint lists, in any shape that is in use', async () => {
      const shapes: unknown[] = [{ object: 'list', data: [{ id: 'a' }, { id: 'b' }] }, [{ id: 'a' }, { id: 'b' }]];
      for (const shape of shapes) {
        const answer = reply(JSON.stringify(shape), { headers: { 'content-type': 'application/json' } });
        assert.deepEqual(await replaying(answer).models(new AbortController().signal), ['a', 'b']);
      }
      for (const odd of ['null', '{}', '{"data":7}', '[null,{"id":7},{"id":""}]']) {
        const answer = reply(odd, { headers: { 'content-type': 'application/json' } });
        assert.deepEqual(await replaying(answer).models(new AbortController().signal), []);
      }
    });

    it('fail with an error that leaves the name to the caller', async () => {
      const kinds: [number, ProviderErrorKind][] = [
        [401, 'auth'],
        [500, 'server'],
      ];
      for (const [status, kind] of kinds) {
        const error = await failure(replaying(reply('{"error":"x"}', { status })).models(new AbortController().signal));
        assert.equal(error.kind, kind);
        assert.match(error.message, /^\d/);
      }
    });

    it('stop at the abort', async () => {
      const provider = replaying(reply(''), { fetch: deaf });
      await assert.rejects(provider.models(AbortSignal.abort('stopped')), (thrown) => thrown === 'stopped');
    });
  });

  it('gives the events of one answer in order, one finish at the end', async () => {
    const { events } = await answerTo(
      sse(
        delta({ reasoning_content: 'Hm.' }),
        delta({ content: 'Hi' }),
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }] }, 'tool_calls'),
      ),
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['thinking', 'text', 'finished'],
    );
  });
});
