import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/load/index.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';
import { ANSWER } from '../../raw-target.ts';
import { closeTargets, expectConsistent, load, startRaw } from './engine-run.ts';

afterEach(closeTargets);

const CLOSING_408 =
  'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/**
 * A target that does something with the nth request of each connection, and answers the others.
 *
 * @param act called with each such request, and their number on all connections
 */
async function startClosing(nth: number, act: (socket: Socket, count: number) => void) {
  const counts = new Map<Socket, number>();
  let acted = 0;
  return startRaw((socket) => {
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    if (count === nth) act(socket, ++acted);
    else socket.write(ANSWER);
  });
}

const MODELS = {
  open: { rate: 100, connections: 1 },
  closed: { connections: 2 },
} as const;

const CLOSES: Readonly<Record<string, (socket: Socket) => void>> = {
  'an end': (socket) => socket.end(),
  'a reset': (socket) => socket.resetAndDestroy(),
  'a 408 with close': (socket) => socket.end(CLOSING_408),
};

describe.each(Object.keys(MODELS) as (keyof typeof MODELS)[])(
  'a kept connection that the target closes, in the %s model',
  (model) => {
    it.each(Object.keys(CLOSES))(
      'by %s: the request is sent again, and counted once',
      async (how) => {
        const target = await startClosing(3, (socket) => CLOSES[how]?.(socket));
        const result = await load(target, {
          ...MODELS[model],
          duration: '200ms',
          threshold: ['reconnected<1%', 'reconnected<=50%'],
        });
        expectConsistent(result);
        const { achieved, errors, statuses, thresholds } = result;
        expect(errors).toEqual({});
        expect(Object.keys(statuses)).toEqual(['200']);
        expect(achieved.sent).toBe(achieved.planned);
        expect(achieved.reconnected).toBeGreaterThan(2);
        const share = achieved.reconnected! / achieved.planned;
        expect(thresholds).toMatchObject([
          { metric: 'reconnected', observed: share, held: false },
          { observed: share, held: true },
          { isDefault: true },
        ]);
      },
    );

    it('has a response time from the plan, and a service time from the second send', async () => {
      const clock = unhurriedClock(systemClock());
      const closeAfter300Ms = (socket: Socket): void => {
        const sinceNs = clock.monotonicNs();
        const ticker = setInterval(() => {
          if (clock.monotonicNs() - sinceNs < 300e6) return;
          clearInterval(ticker);
          socket.end();
        }, 5);
      };
      const target = await startClosing(2, (socket, count) => {
        if (count === 1) closeAfter300Ms(socket);
        else socket.write(ANSWER);
      });
      const short = { connections: 1, duration: '100ms', clock };
      const result = await load(target, { ...MODELS[model], ...short });
      expectConsistent(result);
      expect(result.errors).toEqual({});
      expect(result.achieved.reconnected).toBe(1);
      expect(result.latencyUs.response.max).toBeGreaterThan(290_000);
      expect(result.latencyUs.service.max).toBeLessThan(290_000);
    });

    it('checks the answer of the fresh connection as it would have the first one', async () => {
      const target = await startClosing(2, (socket) => socket.end());
      const options = { ...MODELS[model], connections: 1, duration: '100ms', validate: 1 };
      const result = await load(target, options);
      expectConsistent(result);
      expect(result.achieved.reconnected).toBeGreaterThan(0);
      expect(result.achieved.checked).toBe(result.achieved.planned);
    });

    it('fails the request if the fresh connection closes too', async () => {
      const target = await startRaw((socket, count) =>
        count === 1 ? socket.write(ANSWER) : socket.end(),
      );
      const result = await load(target, { ...MODELS[model], connections: 1, duration: '200ms' });
      expectConsistent(result);
      expect(Object.keys(result.errors)).toEqual(['closed-before-answer']);
      expect(result.achieved).toMatchObject({ ok: 1, reconnected: 1 });
    });

    it('fails the request if the fresh connection is not had', async () => {
      const target = await startClosing(2, (socket) => {
        target.server.close();
        socket.end();
      });
      const result = await load(target, { ...MODELS[model], connections: 1, duration: '200ms' });
      expectConsistent(result);
      expect(Object.keys(result.errors)).toEqual(['ECONNREFUSED']);
      expect(result.achieved).toMatchObject({ ok: 1, reconnected: 1 });
    });

    it.each([
      { what: 'a byte of the answer came', nth: 2, act: (socket: Socket) => socket.end('H') },
      { what: 'it was new', nth: 1, act: (socket: Socket) => socket.end() },
      { what: 'a new one got a 408', nth: 1, act: (socket: Socket) => socket.end(CLOSING_408) },
      {
        what: 'a 408 keeps it',
        nth: 2,
        act: (socket: Socket) =>
          socket.write('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'),
      },
      {
        what: 'another refusal closes it',
        nth: 2,
        act: (socket: Socket) =>
          socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
      },
    ])('fails the request if $what', async ({ nth, act }) => {
      const target = await startClosing(nth, (socket) => void act(socket));
      const result = await load(target, { ...MODELS[model], duration: '200ms' });
      expectConsistent(result);
      expect(result.achieved.reconnected).toBe(0);
      expect(result.achieved.failed).toBeGreaterThan(0);
    });

    it('gives a request up that is not answered on the fresh connection', async () => {
      const target = await startClosing(2, (socket, count) => {
        if (count === 1) socket.end();
      });
      // The connection after that answers one request, and then none.
      const result = await load(target, {
        ...MODELS[model],
        connections: 1,
        duration: '100ms',
        timeout: '200ms',
      });
      expectConsistent(result);
      expect(result.achieved.reconnected).toBe(1);
    });
  },
);
