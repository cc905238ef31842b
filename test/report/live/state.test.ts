import { describe, expect, it } from 'vitest';
import type { LiveEvent, LiveRequest } from '../../../src/report/live/events.ts';
import { LiveState } from '../../../src/report/live/state.ts';

const point = (t: number, p99 = 100): LiveEvent => ({
  kind: 'point',
  point: { t, rate: 10, p50: 50, p99, max: 200, failed: 1 },
});
const request = (path: string): LiveRequest => ({
  kind: 'request',
  id: null,
  at: '2026-03-01T00:00:00.000Z',
  scenario: null,
  method: 'GET',
  path,
  status: 200,
  durationUs: 1,
  refusal: null,
  broken: null,
});

function stateOf(
  events: readonly LiveEvent[],
  limits?: ConstructorParameters<typeof LiveState>[0],
): LiveState {
  const state = new LiveState(limits);
  for (const event of events) state.add(event);
  return state;
}

describe('the state of a live page', () => {
  it('keeps the newest progress, and the newest state of each scenario', () => {
    const tally = (requests: number): LiveEvent => ({
      kind: 'tally',
      requests,
      good: 0,
      counts: [],
    });
    const scenario = (name: string, state: 'running' | 'ended'): LiveEvent => ({
      kind: 'scenario',
      name,
      state,
      requests: 0,
      reason: '',
    });
    const events = [tally(1), scenario('a', 'running'), scenario('b', 'running'), tally(2)];
    const { scenarios, tally: latest } = stateOf([...events, scenario('a', 'ended')]);
    expect(latest.requests).toBe(2);
    expect([...scenarios.values()]).toEqual([scenario('a', 'ended'), scenario('b', 'running')]);
  });

  it('keeps only the newest requests and lines; the number of a request stays', () => {
    const events = Array.from({ length: 10 }, (_, at): LiveEvent[] => [
      request(`/${at}`),
      { kind: 'line', text: `${at}` },
    ]).flat();
    const { requests, lines } = stateOf(events, { points: 8, requests: 3, lines: 2 });
    expect(requests.map(({ number, request: { path } }) => [number, path])).toEqual([
      [10, '/9'],
      [9, '/8'],
      [8, '/7'],
    ]);
    expect(lines).toEqual(['8', '9']);
  });

  it('replaces a second that comes again', () => {
    const { points } = stateOf([point(0), point(1, 100), point(1, 300)]);
    expect(points.map(({ t, p99 }) => [t, p99])).toEqual([
      [0, 100],
      [1, 300],
    ]);
  });

  it('keeps the whole of a long run in a bounded number of points', () => {
    const events = Array.from({ length: 1000 }, (_, t) => point(t, t === 100 ? 9999 : 100));
    const { points } = stateOf(events, { points: 16, requests: 1, lines: 1 });
    expect(points.length).toBeLessThanOrEqual(16);
    expect(points[0]?.t).toBe(0);
    expect(points.at(-1)).toMatchObject({ t: 999, rate: 10, failed: 1 });
    expect(points.map(({ t }) => t)).toEqual(points.map(({ t }) => t).toSorted((a, b) => a - b));
    // The worst second of the past is still to be seen, and no failure is lost.
    expect(Math.max(...points.map(({ p99 }) => p99))).toBe(9999);
    expect(points.reduce((sum, { failed }) => sum + failed, 0)).toBe(1000);
  });

  it('forgets the seconds of a run when another begins', () => {
    const { points, lines, label } = stateOf([
      { kind: 'begin', label: 'run 1 of 2' },
      point(0),
      { kind: 'line', text: 'held' },
      { kind: 'begin', label: 'run 2 of 2' },
    ]);
    expect([points, lines, label]).toEqual([[], ['held'], 'run 2 of 2']);
  });
});
