import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import type { HostMessage, PanelState } from '../../../src/protocol/messages.ts';
import { PanelChannel } from '../../../src/vscode/panelChannel.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const STATE = { folder: true } as PanelState;

describe('the channel to the panel', () => {
  let posted: HostMessage[];
  let channel: PanelChannel;
  beforeEach(() => {
    posted = [];
    channel = new PanelChannel((message) => posted.push(message));
  });
  afterEach(() => channel.close());

  const numbers = () => posted.map((message) => ('seq' in message ? message.seq : undefined));

  it('numbers everything from 1 under one epoch', () => {
    channel.snapshot(STATE, { turns: [], before: 0, errors: [], permissions: [] });
    channel.event({ type: 'sub_session', at: AT, name: 'x' });
    channel.state(STATE);
    assert.deepEqual(numbers(), [1, 2, 3]);
    assert.deepEqual(new Set(posted.map((message) => 'epoch' in message && message.epoch)), new Set([channel.epoch]));
  });

  it('joins streamed text to at most some thirty messages a second, in order, losing nothing', async () => {
    for (let piece = 0; piece < 1000; piece += 1) channel.event({ type: 'part_extended', at: AT, text: `${piece} ` });
    assert.equal(posted.length, 0);
    await sleep(60);
    assert.equal(posted.length, 1);
    channel.event({ type: 'part_extended', at: AT, text: 'end' });
    channel.event({ type: 'turn_ended', at: AT, status: 'ok' });
    assert.deepEqual(numbers(), [1, 2, 3]);
    const texts = posted.map((message) =>
      message.type === 'event' && message.event.type === 'part_extended' ? message.event.text : '',
    );
    assert.equal(texts.join(''), `${Array.from({ length: 1000 }, (_, at) => `${at} `).join('')}end`);
  });

  it('keeps the order between text, output and the rest', () => {
    channel.event({ type: 'part_extended', at: AT, text: 'a' });
    channel.output({ type: 'output', part: 1, piece: 'b' });
    channel.output({ type: 'output', part: 1, piece: 'c' });
    channel.output({ type: 'output', part: 2, piece: 'd' });
    channel.state(STATE);
    assert.deepEqual(
      posted.map((message) => (message.type === 'output' ? `${message.part}${message.piece}` : message.type)),
      ['event', '1bc', '2d', 'state'],
    );
    assert.deepEqual(numbers(), [1, 2, 3, 4]);
  });

  it('posts nothing after it was closed', async () => {
    channel.event({ type: 'part_extended', at: AT, text: 'a' });
    channel.close();
    await sleep(60);
    assert.equal(posted.length, 0);
  });

  it('posts a copy: the fold may change the part later', () => {
    const part = { type: 'tool', name: 'x', input: {}, timestamp: AT };
    channel.event({ type: 'part_added', at: AT, part });
    Object.assign(part, { output: 'later' });
    const [message] = posted;
    assert.ok(message?.type === 'event' && message.event.type === 'part_added');
    assert.equal('output' in message.event.part, false);
  });
});
