import { createCurve } from '@nats-io/nkeys';
import { describe, expect, it } from 'vitest';
import { Envelope } from '../../../../src/load/agents/nats/envelope.ts';
import { NatsChannel } from '../../../../src/load/agents/nats/nats-channel.ts';
import { memoryBroker } from './memory-broker.ts';

interface Message {
  readonly kind: string;
  readonly [field: string]: unknown;
}

const ping = { kind: 'ping', number: 1 };
const pong = { kind: 'pong', number: 1, atNs: 5 };

/** Both ends of a session, and the broker between them. */
function channelPair() {
  const memory = memoryBroker();
  const { broker } = memory;
  const [controllerKey, agentKey] = [createCurve(), createCurve()];
  const { to, from } = broker.subjects.session('agent-1', 's');
  const controller = new NatsChannel<Message, Message>({
    broker,
    sending: to,
    receiving: from,
    envelope: Envelope.between(controllerKey, agentKey.getPublicKey())!,
  });
  const agent = new NatsChannel<Message, Message>({
    broker,
    sending: from,
    receiving: to,
    envelope: Envelope.between(agentKey, controllerKey.getPublicKey())!,
  });
  const ends: string[] = [];
  void controller.ended.then(() => ends.push('controller'));
  void agent.ended.then(() => ends.push('agent'));
  return { ...memory, controller, agent, ends, subjects: { to, from } };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a channel over NATS', () => {
  it('brings each message once, in order, whenever the receiver begins to listen', async () => {
    const { controller, agent, reconnect } = channelPair();
    const received: Message[] = [];
    controller.send({ kind: 'start', order: 1 });
    controller.send({ kind: 'prepare', order: 2 });
    await turn();
    agent.listen((message) => received.push(message));
    controller.send({ kind: 'end', order: 3 });
    await turn();
    reconnect();
    await turn();
    expect(received.map(({ order }) => order)).toEqual([1, 2, 3]);
  });

  it('stores its last messages again in a broker that lost its memory', async () => {
    const { controller, agent, reconnect, stream } = channelPair();
    for (let order = 1; order <= 40; order++) controller.send({ kind: 'start', order });
    await turn();
    reconnect({ isMemoryLost: true });
    await turn();
    expect(stream).toHaveLength(32);
    const received: Message[] = [];
    agent.listen((message) => received.push(message));
    expect(received.at(-1)).toEqual({ kind: 'start', order: 40 });
  });

  it('carries pings and their answers beside the stream', () => {
    const { controller, agent, stream } = channelPair();
    const received: Message[] = [];
    for (const end of [controller, agent]) end.listen((message) => received.push(message));
    controller.send(ping);
    agent.send(pong);
    expect(received).toEqual([ping, pong]);
    expect(stream).toEqual([]);
  });

  it('takes neither what was not packed for it nor what is no ping', async () => {
    const { agent, broker, subjects } = channelPair();
    const received: Message[] = [];
    agent.listen((message) => received.push(message));
    for (const text of ['', '{', '{"kind":"leave"}', '{"kind":"ping"}']) {
      broker.publish(subjects.to.live, Buffer.from(text));
      await broker.store(subjects.to.stored, Buffer.from(text), text);
    }
    expect(received).toEqual([]);
  });

  it('refuses a message that is too long for the broker', () => {
    const { controller, state } = channelPair();
    state.payloadBytes = 600;
    const text = Array.from({ length: 100 }, (_, index) => index ** 7).join();
    expect(() => controller.send({ kind: 'prepare', text })).toThrow(
      expect.objectContaining({
        code: 'BROKER_PAYLOAD',
        message: expect.stringMatching(/\(prepare\).* takes 88;/),
      }),
    );
  });

  it('ends after four pings in a row that nobody subscribes to', async () => {
    const { controller, agent, ends } = channelPair();
    controller.listen(() => undefined);
    agent.send(pong);
    for (let sent = 1; sent <= 4; sent++) {
      await turn();
      expect(ends).toEqual([]);
      if (sent === 3) agent.send(pong);
      controller.send(ping);
    }
    for (let sent = 1; sent <= 2; sent++) controller.send(ping);
    await turn();
    expect(ends).toEqual(['controller']);
  });

  it('gives the agent time to subscribe, and to reconnect after a reconnect of its own', async () => {
    const { controller, agent, ends, reconnect } = channelPair();
    controller.listen(() => undefined);
    const sendPings = async (): Promise<void> => {
      for (let sent = 1; sent <= 10; sent++) controller.send(ping);
      await turn();
    };
    await sendPings();
    expect(ends).toEqual([]);
    agent.send(pong);
    reconnect();
    await sendPings();
    expect(ends).toEqual([]);
    agent.send(pong);
    await sendPings();
    expect(ends).toEqual(['controller']);
  });

  it('ends with its broker', async () => {
    const { controller, agent, ends, fail } = channelPair();
    fail();
    await Promise.all([controller.ended, agent.ended]);
    expect(ends.toSorted()).toEqual(['agent', 'controller']);
    controller.send(ping);
  });
});
