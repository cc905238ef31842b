import { describe, expect, it } from 'vitest';
import type { Frame } from '../../../../src/load/agents/nats/frame.ts';
import { Link } from '../../../../src/load/agents/nats/link.ts';
import fc from '../../../support/property.ts';

/** Two links, and a line between them that loses frames. */
function linkPair(isLost: () => boolean, chunkBytes = 20) {
  const faults: string[] = [];
  const received: { a: unknown[]; b: unknown[] } = { a: [], b: [] };
  const onTheWay: (() => void)[] = [];
  const link = (own: 'a' | 'b', other: () => Link): Link =>
    new Link({
      chunkBytes,
      transmit: (frame) => {
        if (!isLost()) onTheWay.push(() => other().receive(frame));
      },
      onMessage: (message) => received[own].push(message),
      onFault: () => faults.push(own),
    });
  const a: Link = link('a', () => b);
  const b: Link = link('b', () => a);
  const arrive = (): void => {
    for (const take of onTheWay.splice(0)) take();
  };
  /** Each side pings, as those above a channel do. */
  const pass = (ticks: number): void => {
    for (let tick = 0; tick < ticks; tick++) {
      a.tick();
      b.tick();
      arrive();
    }
  };
  return { a, b, received, faults, arrive, pass };
}

const message = (index: number) => ({ index, text: 'x'.repeat((index * 37) % 90) });

describe('a link', () => {
  it('brings each message once and in order, whatever is lost on the way', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 200, maxLength: 200 }), (losses) => {
        let sent = 0;
        const { a, b, received, faults, pass } = linkPair(() => losses[sent++] ?? false);
        const messages = Array.from({ length: 12 }, (_, index) => message(index));
        for (const one of messages) {
          a.send(one);
          b.send(one);
          pass(1);
        }
        // Once nothing is lost any more, each answers what it gets.
        for (let round = 0; round < 40; round++) {
          a.send({ ping: round });
          b.send({ ping: round });
          pass(1);
        }
        expect(received.a.slice(0, 12)).toEqual(messages);
        expect(received.b.slice(0, 12)).toEqual(messages);
        expect(faults).toEqual([]);
      }),
    );
  });

  it('sends nothing again that was acknowledged', () => {
    let frames = 0;
    const { a, b, arrive, pass } = linkPair(() => ++frames < 0);
    a.send(message(3));
    arrive();
    b.send(message(4));
    arrive();
    a.send(message(5));
    arrive();
    const before = frames;
    b.send({});
    arrive();
    pass(20);
    // The last frame is acknowledged by none.
    expect(frames).toBeLessThan(before + 8);
  });

  it('brings nothing that comes after a frame that is lost', () => {
    let frames = 0;
    const { a, received, arrive } = linkPair(() => ++frames === 1);
    a.send(message(1));
    a.send(message(2));
    arrive();
    expect(received.b).toEqual([]);
    a.repeat();
    arrive();
    expect(received.b).toEqual([message(1), message(2)]);
  });

  it('compresses a message, and splits it below the limit', () => {
    const frames: Frame[] = [];
    const link = new Link({
      chunkBytes: 100,
      transmit: (frame) => frames.push(frame),
      onMessage: () => undefined,
      onFault: () => undefined,
    });
    link.send({ text: 'abc'.repeat(100_000) });
    const bytes = frames.reduce((sum, { chunk }) => sum + chunk.length, 0);
    expect(bytes).toBeLessThan(10_000);
    expect(Math.max(...frames.map(({ chunk }) => chunk.length))).toBe(100);
    expect(frames.map(({ isLast }) => isLast)).toEqual(frames.map((one) => one === frames.at(-1)));
  });

  it.each([
    ['neither plain nor compressed', Buffer.from('x{}')],
    ['not JSON', Buffer.from('\0{')],
    ['not compressed by deflate', Buffer.from('\x01{}')],
  ])('ends with a message that is %s', (_, chunk) => {
    const { a, faults } = linkPair(() => false);
    a.receive({ number: 1, acknowledged: 0, isLast: true, chunk });
    expect(faults).toEqual(['a']);
  });

  it('ends when a peer acknowledges nothing of very much', () => {
    const faults: string[] = [];
    const link = new Link({
      chunkBytes: 100,
      mostUnacknowledgedBytes: 1000,
      transmit: () => undefined,
      onMessage: () => undefined,
      onFault: () => faults.push('full'),
    });
    link.send({ text: 'x'.repeat(400) });
    link.send({ text: 'x'.repeat(400) });
    expect(faults).toEqual([]);
    link.send({ text: 'x'.repeat(400) });
    expect(faults).toEqual(['full']);
  });
});
