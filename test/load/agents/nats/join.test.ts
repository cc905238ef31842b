import { createCurve } from '@nats-io/nkeys';
import { expect, it, onTestFinished } from 'vitest';
import type { Broker } from '../../../../src/load/agents/nats/broker.ts';
import { JoinDesk, joinController } from '../../../../src/load/agents/nats/join.ts';
import { jsonOf } from '../../../../src/load/agents/nats/nats-channel.ts';
import { memoryBroker } from './memory-broker.ts';

const VERSION = '1.2.3';
const factsOf = (name: string) => ({ name, version: VERSION, cores: 1, workers: null });

/** Asks for a place as an agent that may publish on the subject of one name, and calls itself another. */
async function ask(broker: Broker, own: string, claimed: string, key?: string) {
  const facts = factsOf(claimed);
  const request = { facts, session: 's1', key: key ?? createCurve().getPublicKey() };
  const bytes = Buffer.from(JSON.stringify(request));
  const answer = await broker.request(broker.subjects.join(own), bytes);
  return answer && jsonOf(answer);
}

it('gives no place to an agent that joins under the name of another', async () => {
  const { broker } = memoryBroker();
  const giveUp = new AbortController();
  const joining = new JoinDesk(broker, VERSION).join(giveUp.signal);
  for (const claimed of ['agent-1', '*', 'agent-2.x', '']) {
    expect(await ask(broker, 'agent-2', claimed)).toBeNull();
  }
  expect(await ask(broker, 'agent-2', 'agent-2', 'XNONE')).toEqual({ kind: 'later' });
  expect(await ask(broker, 'agent-2', 'agent-2')).toMatchObject({ kind: 'welcome' });
  expect((await joining).facts.name).toBe('agent-2');
});

it('hears nobody while it has no place', async () => {
  const { broker } = memoryBroker();
  const giveUp = new AbortController();
  const joining = new JoinDesk(broker, VERSION).join(giveUp.signal);
  giveUp.abort('it was not needed');
  await expect(joining).rejects.toMatchObject({
    code: 'AGENT_NOT_JOINED',
    message: 'An agent was to join, and it was not needed.',
  });
  expect(await ask(broker, 'agent-1', 'agent-1')).toBeNull();
});

it('gives one place by each name', async () => {
  const { broker } = memoryBroker();
  const desk = new JoinDesk(broker, VERSION);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const { signal } = ending;
  const places = [desk.join(signal), desk.join(signal)];
  /** Joins as an agent does; resolves to its refusal, or to null once it has a place. */
  const join = async (name: string): Promise<string | null> => {
    let refuse: (code: string) => void = () => undefined;
    const refused = new Promise<string>((resolve) => (refuse = resolve));
    const joining = joinController({ broker, facts: factsOf(name), signal, onRefused: refuse });
    const channel = await Promise.race([refused, joining]);
    return typeof channel === 'string' ? channel : null;
  };
  expect(await join('agent-1')).toBeNull();
  const { facts, channel } = (await places[0])!;
  expect(facts.name).toBe('agent-1');
  expect(await join('agent-1')).toBe('AGENT_NAME');
  channel.close();
  await channel.ended;
  expect(await join('agent-1')).toBeNull();
  expect((await places[1])?.facts.name).toBe('agent-1');
});
