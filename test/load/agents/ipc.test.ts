import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { channelToParent } from '../../../src/load/index.ts';

/** The end of a channel in a child process, of which it notes what is called. */
class FakeEnd extends EventEmitter {
  connected = true;
  readonly calls: unknown[] = [];

  send(message: unknown): boolean {
    this.calls.push(message);
    return true;
  }

  disconnect(): void {
    this.calls.push('disconnect');
    this.connected = false;
    this.emit('disconnect');
  }
}

const asProcess = (end: FakeEnd): Parameters<typeof channelToParent>[0] =>
  end as unknown as Parameters<typeof channelToParent>[0];

it('sends to the parent, and ends once, when either side closes', async () => {
  const end = new FakeEnd();
  const channel = channelToParent(asProcess(end));
  const message = { kind: 'pong' } as unknown as Parameters<typeof channel.send>[0];
  channel.send(message);
  channel.close();
  channel.close();
  channel.send(message);
  expect(end.calls).toEqual([message, 'disconnect']);
  await channel.ended;
});

it('passes on what the parent sends', () => {
  const end = new FakeEnd();
  const received: unknown[] = [];
  channelToParent(asProcess(end)).listen((message) => received.push(message));
  end.emit('message', { kind: 'ping' });
  expect(received).toEqual([{ kind: 'ping' }]);
});
