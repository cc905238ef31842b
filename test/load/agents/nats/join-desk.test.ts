import { createCurve } from '@nats-io/nkeys';
import { expect, it, onTestFinished } from 'vitest';
import type { MessageChannel } from '../../../../src/load/agents/channel.ts';
import type { FromAgent, ToAgent } from '../../../../src/load/agents/message.ts';
import type { Broker } from '../../../../src/load/agents/nats/broker.ts';
import { joinController } from '../../../../src/load/agents/nats/join.ts';
import { JoinDesk } from '../../../../src/load/agents/nats/join-desk.ts';
import { Subjects } from '../../../../src/load/agents/nats/subjects.ts';

const subjects = new Subjects('group');
const VERSION = '1.2.3';
const factsOf = (name: string) => ({ name, version: VERSION, cores: 1, workers: null });

/** A broker within this process, which never fails. */
function memoryBroker() {
  const subscribers = new Map<string, (bytes: Uint8Array, subject: string) => void>();
  const published: string[] = [];
  const broker = {
    payloadBytes: 4096,
    reconnects: 0,
    failed: new Promise<never>(() => undefined),
    createKey: () => createCurve(),
    subscribe: (subject: string, take: (bytes: Uint8Array, subject: string) => void) => {
      subscribers.set(subject, take);
      return () => subscribers.delete(subject);
    },
    publish: (subject: string, bytes: Uint8Array) => {
      published.push(subject);
      const take =
        subscribers.get(subject) ?? subscribers.get(subject.replace(/(\.join\.).*/, '$1*'));
      setImmediate(() => take?.(bytes, subject));
    },
  } as unknown as Broker;
  return { broker, published };
}

/** Asks for a place as an agent that may publish on the subject of one name, and calls itself another. */
function ask(broker: Broker, own: string, claimed: string): void {
  const request = { facts: factsOf(claimed), session: 's1', key: createCurve().getPublicKey() };
  broker.publish(subjects.join(own), Buffer.from(JSON.stringify(request)));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('gives no place to an agent that joins under the name of another', async () => {
  const { broker, published } = memoryBroker();
  const place = new JoinDesk({ broker, subjects, version: VERSION }).offerPlace();
  onTestFinished(() => place.close());
  for (const claimed of ['agent-1', '*', 'agent-2.x', '']) {
    ask(broker, 'agent-2', claimed);
    await turn();
  }
  expect(published.filter((subject) => !subject.includes('.join.'))).toEqual([]);
});

it('gives one place by each name', async () => {
  const { broker } = memoryBroker();
  const desk = new JoinDesk({ broker, subjects, version: VERSION });
  const places = [desk.offerPlace(), desk.offerPlace()];
  const ending = new AbortController();
  const channels: MessageChannel<FromAgent, ToAgent>[] = [];
  onTestFinished(() => {
    ending.abort();
    for (const one of [...places, ...channels]) one.close();
  });
  /** Joins as an agent does; resolves to its refusal, or to null once it has a place. */
  const join = async (name: string): Promise<string | null> => {
    const { signal } = ending;
    let refuse: (code: string) => void = () => undefined;
    const refused = new Promise<string>((resolve) => (refuse = resolve));
    const facts = factsOf(name);
    const joining = joinController({ broker, subjects, facts, signal, onRefused: refuse });
    const channel = await Promise.race([refused, joining]);
    if (channel === null || typeof channel === 'string') return channel;
    channels.push(channel);
    channel.send({ kind: 'join', facts });
    return null;
  };
  const arrived = new Promise((resolve) => places[0]!.listen(resolve));
  expect(await join('agent-1')).toBeNull();
  expect(await arrived).toMatchObject({ kind: 'join', facts: { name: 'agent-1' } });
  expect(await join('agent-1')).toBe('AGENT_NAME');
  expect(await join('agent-2')).toBeNull();
});
