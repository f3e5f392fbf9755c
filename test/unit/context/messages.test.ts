import assert from 'node:assert/strict';

import { messagesOf, type MessageOptions } from '../../../src/context/messages.ts';
import type { Message } from '../../../src/providers/provider.ts';
import type { Part, Session, ToolPart, Turn, TurnStatus } from '../../../src/session/schema.ts';
import { sessionOf } from '../../support/arbitraryRecords.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const OPTIONS: MessageOptions = {
  system_prompt: 'Be brief.',
  provider: 'mock',
  modeInstruction: (mode, previous) => (mode === 'build' && previous === undefined ? undefined : `Mode: ${mode}.`),
};

describe('context/messages', () => {
  describe('of a turn', () => {
    const both = (...parts: Part[]) => bodyOf(log({ parts }));

    it('are the prompt and the answer, with the thinking that preceded it', () => {
      assert.deepEqual(both(user('How far is the moon?'), thinking('Easy.'), said('384,400 km.')), [
        { role: 'user', content: 'How far is the moon?' },
        { role: 'assistant', content: '384,400 km.', thinking: [{ text: 'Easy.' }] },
      ]);
    });

    it('join text and the calls that follow it into one message, and the results follow', () => {
      assert.deepEqual(
        both(
          user('Look.'),
          thinking('Hm.'),
          said('I look.'),
          call('file_list', { path: '.' }, 'a.ts'),
          call('file_read', {}, 'x', { is_error: true }),
          said('Done.'),
        ),
        [
          { role: 'user', content: 'Look.' },
          {
            role: 'assistant',
            content: 'I look.',
            thinking: [{ text: 'Hm.' }],
            calls: [
              { id: 'call_1_4', name: 'file_list', arguments: '{"path":"."}' },
              { id: 'call_1_5', name: 'file_read', arguments: '{}' },
            ],
          },
          { role: 'tool', call_id: 'call_1_4', name: 'file_list', content: 'a.ts' },
          { role: 'tool', call_id: 'call_1_5', name: 'file_read', content: 'x' },
          { role: 'assistant', content: 'Done.' },
        ],
      );
    });

    it('keep two rounds apart that have no text between them', () => {
      const roles = both(
        user('Go.'),
        call('a', {}, '1', { round: 1 }),
        call('b', {}, '2', { round: 1 }),
        call('c', {}, '3', { round: 2 }),
        said('Done.'),
      );
      assert.deepEqual(
        roles.map(({ role }) => role),
        ['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant'],
      );
    });

    it('never send commands, analyses, notices, unknown parts, or thinking that nothing followed', () => {
      const messages = messagesOf(
        log(
          { parts: [{ type: 'command', text: '/model SECRET', timestamp: AT }] },
          {
            parts: [
              user('Go.'),
              call('a', {}, '1', { analysis: 'SECRET' }),
              said('Done.'),
              { type: 'system', kind: 'notice', text: 'SECRET', timestamp: AT },
              { type: 'image', data: 'SECRET', timestamp: AT },
              thinking('SECRET'),
            ],
          },
          { parts: [user('Again.')], status: 'running' },
        ),
        OPTIONS,
      );
      assert.ok(!JSON.stringify(messages).includes('SECRET'));
      assert.deepEqual(
        messages.map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
      );
    });

    it('give a provider its own data back, and to no other (T2)', () => {
      const data = { provider: 'mock', id: 'toolu_1', signature: 'abc' };
      const session = log({
        parts: [
          user('Go.'),
          thinking('Hm.', { provider: 'mock', signature: 'def' }),
          said('I look.'),
          call('a', {}, '1', { provider_data: data }),
        ],
      });
      assert.deepEqual(bodyOf(session)[1], {
        role: 'assistant',
        content: 'I look.',
        thinking: [{ text: 'Hm.', data: { provider: 'mock', signature: 'def' } }],
        calls: [{ id: 'toolu_1', name: 'a', arguments: '{}', data }],
      });
      assert.deepEqual(messagesOf(session, { ...OPTIONS, provider: 'other' })[2], {
        role: 'assistant',
        content: 'I look.',
        thinking: [{ text: 'Hm.' }],
        calls: [{ id: 'call_1_4', name: 'a', arguments: '{}' }],
      });
    });

    it('give an id that a provider uses again another name', () => {
      const again = { provider_data: { provider: 'mock', id: 'same' } };
      const messages = bodyOf(
        log(
          { parts: [user('Go.'), call('a', {}, '1', again), call('a', {}, '2', again)] },
          { parts: [user('Go.'), call('a', {}, '3', again)] },
        ),
      );
      assert.deepEqual(
        messages.flatMap((message) => (message.role === 'tool' ? [[message.call_id, message.content]] : [])),
        [
          ['same', '1'],
          ['call_1_3', '2'],
          ['call_2_2', '3'],
        ],
      );
    });

    it('say of a call without a result that it was interrupted, and write nothing (R9)', () => {
      const session = log(
        { parts: [user('Go.'), call('a', {}, '1'), call('b', {}, undefined)], status: 'cancelled' },
        { parts: [user('And?')], status: 'running' },
      );
      const messages = bodyOf(session);
      assert.deepEqual(
        messages.map(({ role }) => role),
        ['user', 'assistant', 'tool', 'tool', 'assistant', 'user'],
      );
      assert.match(messages[3]!.content, /[Ii]nterrupted/);
      assert.equal(session.turns[0]!.parts[2]!['output'], undefined);
    });
  });

  describe('of a turn without an answer', () => {
    for (const [status, words] of Object.entries({
      error: /failed/,
      truncated: /cut off/,
      empty: /empty/,
      cancelled: /stopped/,
      running: /stopped|interrupted/,
    })) {
      it(`say why: ${status}`, () => {
        for (const parts of [[user('Go.')], [user('Go.'), call('a', {}, '1')], [user('Go.'), thinking('Hm.')]]) {
          const messages = bodyOf(
            log({ parts, status: status as TurnStatus }, { parts: [user('And?')], status: 'running' }),
          );
          const reply = messages.at(-2)!;
          assert.equal(reply.role, 'assistant');
          assert.match(reply.content, words);
        }
      });
    }

    it('keep what there was of an answer and add nothing', () => {
      for (const status of ['error', 'truncated', 'cancelled'] as const)
        assert.deepEqual(bodyOf(log({ parts: [user('Go.'), said('Half an ans')], status })), [
          { role: 'user', content: 'Go.' },
          { role: 'assistant', content: 'Half an ans' },
        ]);
    });
  });

  describe('with system parts', () => {
    const note = (text: string, kind?: string): Part => ({
      type: 'system',
      text,
      timestamp: AT,
      ...(kind === undefined ? {} : { kind }),
    });

    it('join them, in order, with the prompt they stand beside', () => {
      assert.deepEqual(bodyOf(log({ parts: [note('Found: 1.'), user('Search.'), note('Found: 2.'), said('Both.')] })), [
        { role: 'user', content: 'Found: 1.\n\nSearch.\n\nFound: 2.' },
        { role: 'assistant', content: 'Both.' },
      ]);
    });

    it('keep the note of a resume for the next prompt: the request before it did not have it', () => {
      assert.deepEqual(
        bodyOf(
          log(
            { parts: [user('Go.'), note('Closed.', 'resume')], status: 'cancelled' },
            { parts: [user('And?')], status: 'running' },
          ),
        ).map(({ content }) => content),
        ['Go.', '(The person stopped this turn before it was answered.)', 'Closed.\n\nAnd?'],
      );
    });
  });

  describe('with modes', () => {
    it('tell a mode before the first prompt that it governs, once', () => {
      const turn = (mode: string, text: string): Partial<Turn> => ({ mode, parts: [user(text), said('ok')] });
      const prompts = bodyOf(
        log(
          turn('build', '1'),
          turn('plan', '2'),
          turn('plan', '3'),
          { parts: [{ type: 'command', text: '/mode build', timestamp: AT }] },
          turn('build', '4'),
        ),
      )
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content);
      assert.deepEqual(prompts, ['1', 'Mode: plan.\n\n2', '3', 'Mode: build.\n\n4']);
    });
  });

  describe('after a compaction', () => {
    const compact = (compact_from: number, summary = 'We spoke of the moon.'): Partial<Turn> => ({
      parts: [{ type: 'command', text: '/compact', summary, compact_from, timestamp: AT }],
    });
    const pair = (prompt: string): Partial<Turn> => ({ parts: [user(prompt), said(`${prompt}!`)] });

    it('are the summary and the turns that were kept', () => {
      const messages = bodyOf(log(pair('1'), pair('2'), compact(2), pair('4')));
      assert.deepEqual(
        messages.map(({ content }) => content),
        ['Summary of earlier conversation:\n\nWe spoke of the moon.\n\n2', '2!', '4', '4!'],
      );
    });

    it('follow the latest one', () => {
      const messages = bodyOf(log(pair('1'), compact(1, 'old'), pair('3'), compact(4, 'new'), pair('5')));
      assert.deepEqual(
        messages.map(({ content }) => content),
        ['Summary of earlier conversation:\n\nnew\n\n5', '5!'],
      );
    });

    it('hide no turn that came after it, whatever index it names', () => {
      const messages = bodyOf(log(pair('1'), compact(99), pair('3')));
      assert.deepEqual(
        messages.map(({ content }) => content),
        ['Summary of earlier conversation:\n\nWe spoke of the moon.\n\n3', '3!'],
      );
    });
  });
});

function log(...turns: Partial<Turn>[]): Session {
  return sessionOf(turns.map((turn, position): Turn => ({ index: position + 1, status: 'ok', parts: [], ...turn })));
}

/** The messages behind the system prompt, which is checked to stand first. */
function bodyOf(session: Session): Message[] {
  const [system, ...messages] = messagesOf(session, OPTIONS);
  assert.deepEqual(system, { role: 'system', content: 'Be brief.' });
  return messages;
}

function user(text: string): Part {
  return { type: 'user', text, timestamp: AT };
}

function said(text: string): Part {
  return { type: 'text', text, timestamp: AT };
}

function thinking(text: string, provider_data?: Record<string, unknown>): Part {
  return { type: 'thinking', text, timestamp: AT, ...(provider_data === undefined ? {} : { provider_data }) };
}

function call(
  name: string,
  input: Record<string, unknown>,
  output: string | undefined,
  more: Partial<ToolPart> = {},
): Part {
  return {
    type: 'tool',
    name,
    input,
    timestamp: AT,
    ...(output === undefined ? {} : { output, is_error: false }),
    ...more,
  };
}
