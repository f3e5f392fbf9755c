import assert from 'node:assert/strict';
import fc from 'fast-check';

import { resumption } from '../../../src/agent/resume.ts';
import { messagesOf, type MessageOptions } from '../../../src/context/messages.ts';
import type { SessionEvent } from '../../../src/session/events.ts';
import { wellFormed } from '../../../src/session/wellFormed.ts';
import { nextIndex, reduce } from '../../../src/session/reduce.ts';
import type { Part, Session, ToolPart, Turn, TurnStatus } from '../../../src/session/schema.ts';
import { anySession, text } from '../../support/arbitraryRecords.ts';
import { faultsOf, requestFaults } from '../../support/strictMessages.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const OPTIONS: MessageOptions = {
  system_prompt: 'Be brief.',
  provider: 'mock',
  modeInstruction: (mode, previous) => (mode === 'build' && previous === undefined ? undefined : `Mode: ${mode}.`),
};

/** Every session in memory came in by a file or by events. */
const anyLog = anySession.map((session) => wellFormed(session));

describe('context/messages, whatever the log', () => {
  it('are what the strictest provider accepts, whatever the log holds (X1, R9)', () => {
    fc.assert(
      fc.property(anyLog, (session) => {
        assert.deepEqual(faultsOf(messagesOf(session, OPTIONS), 'mock'), []);
      }),
      { numRuns: 1000 },
    );
  });

  it('depend on the log alone, and change nothing in it', () => {
    fc.assert(
      fc.property(anyLog, (session) => {
        const before = JSON.stringify(session);
        const messages = messagesOf(session, OPTIONS);
        assert.equal(JSON.stringify(session), before);
        assert.deepEqual(messagesOf(structuredClone(session), OPTIONS), messages);
      }),
    );
  });

  it('of one request begin the next one, byte for byte, on whatever log the session goes on (X1)', () => {
    fc.assert(
      fc.property(anyLog, fc.array(anyMove, { minLength: 1, maxLength: 12 }), (session, moves) => {
        for (const event of resumption(session, AT).events) reduce(session, event);
        let previous: string[] = [];
        play(session, moves, () => {
          const messages = messagesOf(session, OPTIONS);
          assert.deepEqual(requestFaults(messages, 'mock'), []);
          const request = messages.map((message) => JSON.stringify(message));
          assert.deepEqual(request.slice(0, previous.length), previous);
          previous = request;
        });
      }),
      { numRuns: 300 },
    );
  });
});

/** One thing that the engine does next; `calls` are the ids that the provider gave. */
interface Move {
  what: 'prompt' | 'calls' | 'end' | 'crash' | 'command';
  mode: string;
  thinking: string | undefined;
  said: string | undefined;
  calls: (string | undefined)[];
  output: string;
  /** So many of the calls are finished when it crashes. */
  finished: number;
  status: Exclude<TurnStatus, 'running'>;
}

const anyMove: fc.Arbitrary<Move> = fc.record({
  what: fc.constantFrom('prompt', 'calls', 'calls', 'end', 'crash', 'command'),
  mode: fc.constantFrom('build', 'plan'),
  thinking: fc.option(text, { nil: undefined }),
  said: fc.option(text, { nil: undefined }),
  calls: fc.array(fc.option(fc.constantFrom('a', 'b', 'call_2_2'), { nil: undefined }), { minLength: 1, maxLength: 3 }),
  output: text,
  finished: fc.nat(3),
  status: fc.constantFrom('ok', 'error', 'truncated', 'empty', 'cancelled'),
});

/** Lets the session go on as the engine does, and calls `request` at each moment at which it would ask the provider. */
function play(session: Session, moves: readonly Move[], request: () => void): void {
  let round: number | undefined;
  const append = (event: SessionEvent) => void reduce(session, event);
  const add = (part: Part) => append({ type: 'part_added', at: AT, part });
  const start = (more: Partial<Turn>) =>
    append({
      type: 'turn_started',
      at: AT,
      turn: { index: nextIndex(session), status: 'running', parts: [], ...more },
    });
  const answer = (move: Move) => {
    if (move.thinking !== undefined) add(thinking(move.thinking, { provider: 'mock' }));
    if (move.said !== undefined) add(said(move.said));
  };
  const calls = (move: Move, finished: number) => {
    const first = session.turns.at(-1)!.parts.length;
    for (const id of move.calls)
      add(
        call('file_read', {}, undefined, {
          round: round!,
          provider_data: { provider: 'mock', ...(id === undefined ? {} : { id }) },
        }),
      );
    for (let part = first; part < first + Math.min(finished, move.calls.length); part++)
      append({ type: 'part_filled', at: AT, part, fill: { output: move.output, is_error: false } });
  };

  for (const move of moves) {
    if (round === undefined) {
      if (move.what === 'command') {
        start({});
        add({ type: 'command', text: `/mode ${move.mode}`, timestamp: AT });
        append({ type: 'turn_ended', at: AT, status: 'ok' });
        continue;
      }
      start({ mode: move.mode, provider: 'mock', model: 'm' });
      add(user(`Prompt: ${move.output}`));
      round = 1;
      request();
    }
    if (move.what === 'prompt' || move.what === 'command') continue; // waits in the queue
    answer(move);
    if (move.what === 'calls') {
      calls(move, move.calls.length);
      round++;
      request();
    } else {
      if (move.what === 'crash') {
        calls(move, move.finished);
        for (const event of resumption(session, AT).events) append(event);
      } else append({ type: 'turn_ended', at: AT, status: move.status });
      round = undefined;
    }
  }
}

function user(text: string): Part {
  return { type: 'user', text, timestamp: AT };
}

function said(text: string, provider_data?: Record<string, unknown>): Part {
  return { type: 'text', text, timestamp: AT, ...(provider_data === undefined ? {} : { provider_data }) };
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
