import { describe, expect, it } from 'vitest';
import type { LiveEvent, LiveRequest } from '../../../src/report/live/events.ts';
import { LiveHistory } from '../../../src/report/live/history.ts';

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
const line = (text: string): LiveEvent => ({ kind: 'line', text });
const eventsOf = (history: LiveHistory, since = 0) =>
  history.since(since).map(({ event }) => event);

describe('the history of a live page', () => {
  it('returns the events after an id, in order; all of them for an unknown id', () => {
    const history = new LiveHistory();
    const ids = ['a', 'b', 'c'].map((text) => history.add(line(text)).id);
    expect(ids).toEqual([1, 2, 3]);
    expect(eventsOf(history, 1)).toEqual([line('b'), line('c')]);
    expect(eventsOf(history, 3)).toEqual([]);
    expect(eventsOf(history, 99)).toHaveLength(3);
  });

  it('keeps the newest progress, and the newest state of each scenario', () => {
    const history = new LiveHistory();
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
    history.add(tally(1));
    history.add(scenario('a', 'running'));
    history.add(scenario('b', 'running'));
    history.add(tally(2));
    history.add(scenario('a', 'ended'));
    expect(eventsOf(history)).toEqual([scenario('b', 'running'), tally(2), scenario('a', 'ended')]);
  });

  it('keeps only the newest requests and lines', () => {
    const history = new LiveHistory({ points: 8, requests: 3, lines: 2 });
    for (let at = 0; at < 10; at++) {
      history.add(request(`/${at}`));
      history.add(line(`${at}`));
    }
    const events = eventsOf(history);
    expect(events.flatMap((event) => (event.kind === 'request' ? [event.path] : []))).toEqual([
      '/7',
      '/8',
      '/9',
    ]);
    expect(events.flatMap((event) => (event.kind === 'line' ? [event.text] : []))).toEqual([
      '8',
      '9',
    ]);
  });

  it('replaces a second that is sent again', () => {
    const history = new LiveHistory();
    history.add(point(0));
    history.add(point(1, 100));
    history.add(point(1, 300));
    expect(eventsOf(history)).toEqual([point(0), point(1, 300)]);
  });

  it('keeps the whole of a long run in a bounded number of points', () => {
    const history = new LiveHistory({ points: 16, requests: 1, lines: 1 });
    for (let t = 0; t < 1000; t++) history.add(point(t, t === 100 ? 9999 : 100));
    const points = eventsOf(history).flatMap((event) =>
      event.kind === 'point' ? [event.point] : [],
    );
    expect(points.length).toBeLessThanOrEqual(16);
    expect(points[0]?.t).toBe(0);
    expect(points.at(-1)).toMatchObject({ t: 999, rate: 10, failed: 1 });
    expect(points.map(({ t }) => t)).toEqual(points.map(({ t }) => t).toSorted((a, b) => a - b));
    // The worst second of the past is still to be seen, and no failure is lost.
    expect(Math.max(...points.map(({ p99 }) => p99))).toBe(9999);
    expect(points.reduce((sum, { failed }) => sum + failed, 0)).toBe(1000);
  });

  it('forgets the seconds of a run when another begins', () => {
    const history = new LiveHistory();
    history.add({ kind: 'begin', label: 'run 1 of 2' });
    history.add(point(0));
    history.add(line('held'));
    history.add({ kind: 'begin', label: 'run 2 of 2' });
    expect(eventsOf(history)).toEqual([line('held'), { kind: 'begin', label: 'run 2 of 2' }]);
  });
});
