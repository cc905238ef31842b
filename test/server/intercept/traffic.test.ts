import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { InterceptedRequest } from '../../../src/server/index.ts';
import {
  redactedPath,
  type TrafficEvent,
  TrafficMonitor,
} from '../../../src/server/intercept/traffic.ts';

let nowMs = 0;
let events: TrafficEvent[];
let traffic: TrafficMonitor;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  nowMs = 1000;
  events = [];
  traffic = new TrafficMonitor(() => nowMs);
  traffic.start(
    (event) => events.push(event),
    [{ id: 'p-1', signingKey: 'my-key', use: 'general', authCodes: ['my-code'] }],
  );
});
afterEach(() => {
  traffic.stop();
  vi.useRealTimers();
});

function ofKind<K extends TrafficEvent['kind']>(
  all: readonly TrafficEvent[],
  kind: K,
): Extract<TrafficEvent, { kind: K }>[] {
  return all.filter((event): event is Extract<TrafficEvent, { kind: K }> => event.kind === kind);
}

function pass(ms: number): void {
  for (let at = 0; at < ms; at += 50) {
    nowMs += 50;
    vi.advanceTimersByTime(50);
  }
}

/** Has a request answered with that status after that time. */
function ask(status: number, durationMs = 0, body = ''): void {
  const request: InterceptedRequest = {
    method: 'GET',
    target: '/healthz',
    headers: {},
    rawHeaders: [],
    body: new Uint8Array(),
    connection: {},
    receivedMs: Date.UTC(2026, 2, 1),
  };
  expect(traffic.respond(request)).toBeNull();
  nowMs += durationMs;
  traffic.onExchange({ request, answer: { status, headers: {}, body }, finishedMs: 0 });
}

describe('published traffic', () => {
  it('has a point for each second, from the first request on', () => {
    pass(3000);
    expect(events).toEqual([]);
    for (const durationMs of [1, 2, 3, 4]) ask(200, durationMs);
    ask(401, 0.5);
    pass(1000);
    const [{ point } = { point: null }] = ofKind(events, 'point');
    expect(point).toMatchObject({ t: 3, p50: 2000, p99: 4000, max: 4000 });
    expect(point?.rate).toBeCloseTo(4, 0);
    expect(point?.failed).toBeCloseTo(1, 0);
    pass(1000);
    expect(ofKind(events, 'point').at(-1)?.point).toMatchObject({ t: 4, rate: 0, max: 0 });
  });

  it('comes a few times a second, lists the first requests of each interval, and counts all', () => {
    for (let at = 0; at < 300; at++) ask(200);
    expect(events).toEqual([]);
    pass(250);
    expect(ofKind(events, 'request')).toHaveLength(50);
    expect(ofKind(events, 'tally')).toMatchObject([{ requests: 300, good: 300, counts: [] }]);
    pass(250);
    expect(ofKind(events, 'tally')).toHaveLength(1);
  });

  it("gives the server's reason for a refusal", () => {
    const why = (error: unknown): string => JSON.stringify({ error });
    ask(401, 0, why({ code: 'token-unknown', rule: 'auth/unknown-token', message: 'my-key' }));
    ask(404, 0, why({ code: 'path-unknown' }));
    ask(503, 0, 'not even JSON');
    ask(503, 0, '[1');
    traffic.onMalformed(new Uint8Array(), 0);
    traffic.stop();
    expect(ofKind(events, 'request').map(({ status, refusal }) => [status, refusal])).toEqual([
      [401, 'token-unknown: auth/unknown-token'],
      [404, 'path-unknown'],
      [503, null],
      [503, null],
      [400, 'not an HTTP request'],
    ]);
    const counts = ofKind(events, 'tally').at(-1)?.counts;
    expect(counts).toContainEqual({ name: 'status 503', count: 2 });
    expect(JSON.stringify(events)).not.toContain('my-key');
  });

  it('is bounded, whatever statuses a behaviour file sets', () => {
    for (let at = 0; at < 500; at++) ask(400, 0, JSON.stringify({ error: { code: `c-${at}` } }));
    traffic.stop();
    const counts = ofKind(events, 'tally').at(-1)?.counts ?? [];
    expect(counts.length).toBeLessThanOrEqual(101);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(500);
  });
});

describe('the redacted path of a request', () => {
  it.each([
    ['/v1/oauth/token?secret=1', '/v1/oauth/token'],
    ['/v1/estimates/prices', '/v1/estimates/prices'],
    ['http://127.0.0.1:80/healthz', '/healthz'],
    ['/v2/oauth/token', '/v2/oauth/token'],
    ['/v1/estimates/price/', '/v1/estimates/price/'],
    ['/v1/abcdefgh12345678', '/v1/[…]'],
    ['/v1/estimates/AbcdefghIjklmnop', '/v1/estimates/[…]'],
    ['/v1/abcdefghijklmnopqrstuvwxyzabcdef', '/v1/[…]'],
    ['/v1/estimates/prices%3Ftoken=abc', '/v1/estimates/[…]'],
    ['/v1/my-key', '/v1/[…]'],
    ['*', '[…]'],
  ])('of %s is %s', (target, redacted) => {
    expect(redactedPath(target, ['my-key'])).toBe(redacted);
  });
});
