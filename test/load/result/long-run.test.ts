// @module-tag long
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, it } from 'vitest';
import { type LoadResult, systemClock } from '../../../src/load/index.ts';
import { planLoad } from '../../../src/load/plan-load.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import { readStoredPart, storePart } from '../../../src/load/result/stored-part.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';
import { toHtml, toJson } from '../../../src/report/index.ts';
import { thinSeries } from '../../../src/report/latency/thin-series.ts';
import { profile } from './profile.ts';
import { simulatedRun } from './simulated-run.ts';

// An hour at 1,000 requests a second, on a clock that nobody waits for.

const RATE = 1000;
const STALL = { atS: 2345, ms: 100 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use once the garbage is collected; array buffers are freed after the objects that hold them. */
function bytesInUse(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

let result: LoadResult;
const bytesAt = new Map<number, number>();

beforeAll(async () => {
  const random = createRandom(1);
  const stallFrom = STALL.atS * RATE;
  result = await simulatedRun(
    { rate: RATE, duration: '1h' },
    {
      onSecond: (second) => {
        if (second === 600 || second === 3500) bytesAt.set(second, bytesInUse());
      },
    },
    ({ index }) => {
      const sinceStallMs = index - stallFrom;
      const stalledMs = sinceStallMs >= 0 && sinceStallMs < STALL.ms ? STALL.ms - sinceStallMs : 0;
      return { ms: stalledMs + 1 - 2 * Math.log(1 - random()), status: 200 };
    },
  );
});

it('sends every request of the hour', () => {
  expect(result.achieved).toMatchObject({ planned: 3_600_000, ok: 3_600_000, failed: 0 });
  expect(result.verdict).toBe('held');
});

it('keeps less than 1 kB of each second in memory', () => {
  const [early = 0, late = 0] = [bytesAt.get(600), bytesAt.get(3500)];
  expect(early).toBeGreaterThan(0);
  expect(late - early).toBeLessThan(2900 * 1000);
});

it('writes a document and a page below 5 MB', () => {
  const document = { ...result, tool: { name: 'fareproof', version: '0.0.0' } };
  expect(toJson(document).length).toBeLessThan(5e6);
  expect(toHtml([document]).length).toBeLessThan(5e6);
});

it('shows a stall of 100 ms in its second, and nowhere else', () => {
  const stalls = result.series.filter(({ max }) => max >= STALL.ms * 1000);
  expect(stalls.map(({ t }) => t)).toEqual([STALL.atS]);
  const charted = thinSeries(result.series, 400);
  expect(charted.length).toBeLessThanOrEqual(400);
  expect(Math.max(...charted.map(({ max }) => max))).toBe(stalls[0]?.max);
  expect(result.latencyUs.response.max).toBeGreaterThanOrEqual(STALL.ms * 1000);
});

it('stores the seconds of a part of such a load in less than 5 MB, without loss', async () => {
  const load = await planLoad({ ledger: 'none', profile, clock: systemClock(), rate: RATE });
  const random = createRandom(2);
  const recorder = new Recorder({ startNs: 0, endNs: 60e9 });
  const seconds = Array.from({ length: 60 }, (_, second) => {
    for (let index = 0; index < RATE; index++) {
      const plannedNs = second * 1e9 + (index * 1e9) / RATE;
      recorder.answered(plannedNs, plannedNs, plannedNs + 1e6 - 2e6 * Math.log(1 - random()), 200);
    }
    return { seconds: recorder.takeClosedSeconds((second + 1) * 1e9) };
  });
  const measured = { load, partnerId: 'p', requestCount: 1, seconds, reports: [] };
  const part = storePart({ number: 1, of: 1, startAtMs: 0 }, measured);
  expect(60 * part.data.length).toBeLessThan(5e6);
  expect(readStoredPart(part).seconds).toEqual(seconds);
});
