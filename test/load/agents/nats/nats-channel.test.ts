import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deferred } from '../../../../src/load/agents/deferred.ts';
import type { Broker } from '../../../../src/load/agents/nats/broker.ts';
import { NatsChannel } from '../../../../src/load/agents/nats/nats-channel.ts';

const TICK_MS = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Two channels, and a broker between them that can fail. */
function channelPair() {
  const state = { reconnects: 0, isConnected: true };
  const subscribers = new Map<string, (bytes: Uint8Array) => void>();
  const published: string[] = [];
  const failure = new Deferred<never>();
  const broker = {
    payloadBytes: 1024,
    failed: failure.promise,
    get reconnects() {
      return state.reconnects;
    },
    publish: (subject: string, bytes: Uint8Array) => {
      published.push(subject);
      if (state.isConnected) subscribers.get(subject)?.(bytes);
    },
  } as unknown as Broker;
  const [a, b] = [randomBytes(32), randomBytes(32)];
  const ends: string[] = [];
  const open = (own: string, other: string, keys: { sending: Buffer; receiving: Buffer }) => {
    const onEnd = (): void => void ends.push(own);
    const subjects = { sendSubject: other, receiveSubject: own };
    const channel = new NatsChannel<object, object>({ broker, keys, onEnd, ...subjects });
    subscribers.set(own, (bytes) => channel.receive(bytes));
    return channel;
  };
  const here = open('here', 'there', { sending: a, receiving: b });
  const there = open('there', 'here', { sending: b, receiving: a });
  return { here, there, state, published, ends, fail: () => failure.reject(new Error('gone')) };
}

describe('a channel over NATS', () => {
  it('ends once nobody has subscribed at the other side for four ticks', () => {
    const { here, ends } = channelPair();
    for (let tick = 1; tick <= 4; tick++) {
      expect(ends).toEqual([]);
      vi.advanceTimersByTime(TICK_MS);
      // Each message is answered so; a tick counts once.
      for (let message = 0; message < 9; message++) here.hearNobody();
    }
    expect(ends).toEqual(['here']);
  });

  it('counts anew when the other side is heard', () => {
    const { here, there, ends } = channelPair();
    for (let tick = 1; tick <= 12; tick++) {
      vi.advanceTimersByTime(TICK_MS);
      here.hearNobody();
      if (tick % 3 === 0) there.send({});
    }
    expect(ends).toEqual([]);
  });

  it('gives the other side time to reconnect after its own reconnect', () => {
    const { here, there, state, ends } = channelPair();
    state.reconnects++;
    for (let tick = 1; tick <= 10; tick++) {
      vi.advanceTimersByTime(TICK_MS);
      here.hearNobody();
    }
    expect(ends).toEqual([]);
    there.send({});
    there.close();
    for (let tick = 1; tick <= 4; tick++) {
      vi.advanceTimersByTime(TICK_MS);
      here.hearNobody();
    }
    expect(ends).toEqual(['there', 'here']);
  });

  it('repeats after a reconnect what was lost, and keeps it until somebody listens', () => {
    const { here, there, state } = channelPair();
    state.isConnected = false;
    here.send({ order: 1 });
    here.send({ order: 2 });
    state.isConnected = true;
    state.reconnects++;
    vi.advanceTimersByTime(TICK_MS);
    const received: object[] = [];
    there.listen((message) => received.push(message));
    here.send({ order: 3 });
    expect(received).toEqual([{ order: 1 }, { order: 2 }, { order: 3 }]);
  });

  it('repeats at once after a reconnect, and then in its usual time', () => {
    const { here, state, published } = channelPair();
    state.isConnected = false;
    here.send({});
    state.reconnects++;
    const counts = Array.from({ length: 4 }, () => {
      vi.advanceTimersByTime(TICK_MS);
      return published.length;
    });
    expect(counts).toEqual([2, 2, 2, 3]);
  });

  it('takes nothing that was not sealed for it', () => {
    const { here, there } = channelPair();
    const received: object[] = [];
    there.listen((message) => received.push(message));
    there.receive(randomBytes(100));
    here.send({});
    expect(received).toEqual([{}]);
  });

  it('ends with its broker', async () => {
    const { here, there, ends, fail } = channelPair();
    fail();
    await Promise.all([here.ended, there.ended]);
    expect(ends).toEqual(['here', 'there']);
    here.send({});
  });
});
