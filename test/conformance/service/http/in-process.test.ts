import { describe, expect, it } from 'vitest';
import { inProcess, SeededRandom, WorldClock } from '../../../../src/conformance/index.ts';
import type { InProcessTarget } from '../../../../src/conformance/service/http/in-process.ts';
import type { WireRequest } from '../../../../src/conformance/service/http/message.ts';

const TIMEOUT_MS = 1_000;
const GET: WireRequest = { method: 'GET', url: 'http://127.0.0.1/a?b=c', headers: {}, body: null };
const answered = (text: string) => ({ status: 200, headers: {}, bytes: Buffer.from(text) });

function open(
  answer: InProcessTarget,
  { seed = 1, signal }: { seed?: number; signal?: AbortSignal } = {},
) {
  const clock = new WorldClock(0);
  const openTransport = inProcess(answer, clock, new SeededRandom(seed));
  return { clock, ...openTransport({ timeoutMs: TIMEOUT_MS, signal }) };
}

describe('a target in the process', () => {
  it('gets a request as it is sent, and its answer takes a time that is drawn', async () => {
    const { send, clock } = open(({ method, url, headers, body }) =>
      answered(
        [method, url.pathname, url.search, headers['x-odd'], Buffer.from(body).toString()].join(
          ' ',
        ),
      ),
    );
    const post = { ...GET, method: 'POST', headers: { 'X-Odd': ' a b ' }, body: '{}' };
    expect((await send(post)).response).toMatchObject({ status: 200, body: 'POST /a ?b=c a b {}' });
    expect(clock.monotonicNs()).toBeGreaterThan(0.4e6);
    expect(clock.monotonicNs()).toBeLessThan(2.4e6);
  });

  it('gets requests at once in an order that the seed draws', async () => {
    const orderOf = async (seed: number): Promise<string> => {
      const order: string[] = [];
      const { send } = open(
        ({ url }) => {
          order.push(url.pathname.slice(1));
          return answered('');
        },
        { seed },
      );
      await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
          send({ ...GET, url: `http://127.0.0.1/${name}` }),
        ),
      );
      return order.join('');
    };
    expect(await orderOf(5)).toBe(await orderOf(5));
    expect(new Set(await Promise.all([1, 2, 3, 4].map(orderOf))).size).toBeGreaterThan(1);
  });

  it('gets a gated request once the gate is open', async () => {
    const { send, clock } = open(() => answered(`${clock.now()}`));
    const gate = { opened: clock.sleep(50), arrive: () => undefined };
    expect(Number((await send({ ...GET, gate })).response?.body)).toBeGreaterThanOrEqual(50);
  });

  it.each([
    ['that never answers', () => new Promise<never>(() => undefined), 'TIMEOUT'],
    ['that breaks off', () => Promise.reject(new Error('gone')), 'CONNECTION_BROKEN'],
  ] as const)('%s is reported as on a socket', async (_, answer, code) => {
    const { send, clock } = open(answer);
    expect((await send(GET)).error?.code).toBe(code);
    expect(clock.now()).toBe(code === 'TIMEOUT' ? TIMEOUT_MS : 0);
  });

  it('leaves a request a grace period when the run is interrupted', async () => {
    const interruption = new AbortController();
    const { send } = open(() => new Promise<never>(() => undefined), {
      signal: interruption.signal,
    });
    const sent = send(GET);
    interruption.abort();
    expect((await sent).error?.code).toBe('INTERRUPTED');
  });

  it('sends no body with HEAD, and none beyond the cap', async () => {
    const { send } = open(({ method }) => answered(method === 'HEAD' ? 'x' : 'x'.repeat(2 ** 21)));
    expect((await send({ ...GET, method: 'HEAD' })).response?.body).toBe('');
    expect((await send(GET)).response).toMatchObject({ truncated: true });
  });
});
