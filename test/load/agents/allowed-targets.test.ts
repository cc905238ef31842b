import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { serveAsAgent } from '../../../src/load/agents/agent.ts';
import type { FromAgent, ToAgent } from '../../../src/load/agents/message.ts';
import { systemClock } from '../../../src/load/index.ts';
import { channelPair } from './channel-pair.ts';

type Failure = Extract<FromAgent, { kind: 'failed' }>;

/** Code by which an agent refuses to prepare a load on a target that it cannot reach. */
async function refusalOf(allowedTargets: readonly string[], host: string, port: number) {
  const { controller, agent: channel } = channelPair();
  const facts = { name: 'agent-1', version: '1.2.3', cores: 1, workers: null };
  const over = serveAsAgent({
    channel,
    clock: systemClock(),
    facts,
    placement: 'inline',
    allowedTargets,
  });
  const failed = new Promise<Failure>((resolve) => {
    controller.listen((message) => message.kind === 'failed' && resolve(message));
  });
  const task = { engine: 'native', range: { from: 0, to: 1 }, plan: { address: { host, port } } };
  controller.send({ kind: 'prepare', run: 1, task } as unknown as ToAgent);
  const { code } = await failed;
  controller.send({ kind: 'leave' });
  await over;
  return code;
}

/** A port of this machine that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it.each([
  [['fares.example'], 'fares.example.evil.test', 443],
  [['fares.example'], 'fares.example2', 443],
  [['fares.example'], 'my-fares.example', 443],
  [['fares.example:80'], 'fares.example', 8080],
  [['fares.example:8080'], 'fares.example', 80],
  [['127.0.0.1'], '127.0.0.10', 80],
  [['other', 'fares.example:443'], 'fares.example', 80],
])('an agent for %j puts no load on %s:%i', async (allowed, host, port) => {
  expect(await refusalOf(allowed, host, port)).toBe('TARGET_NOT_ALLOWED');
});

it('an agent puts load on a host that was named, with or without its port, and on any if none was', async () => {
  const port = await closedPort();
  for (const allowed of [[], ['127.0.0.1'], ['x', `127.0.0.1:${port}`]])
    expect(await refusalOf(allowed, '127.0.0.1', port)).not.toBe('TARGET_NOT_ALLOWED');
  expect(await refusalOf(['LOCALHOST'], 'localhost', port)).not.toBe('TARGET_NOT_ALLOWED');
});
