import { expect, it } from 'vitest';
import { mergeRecords } from '../../../src/load/record/merge.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';

const MS = 1e6;

/** A record of one request that took some time, in ms. */
function recordOf(tookMs: number, status: number, lagMs: number) {
  const recorder = new Recorder({ startNs: 0, endNs: 1000 * MS });
  recorder.answered(10 * MS, 11 * MS, (10 + tookMs) * MS, status);
  recorder.broke('timeout', 20 * MS, null, 25 * MS);
  recorder.sent(10 * MS, 10 * MS, 10 * MS + lagMs * MS);
  return recorder.finish();
}

it('adds counts and histograms, and takes the earliest first answer', () => {
  const empty = new Recorder({ startNs: 0, endNs: MS }).finish();
  const parts = [empty, recordOf(7, 200, 3), recordOf(5, 503, 1), recordOf(9, 503, 2)];
  const merged = mergeRecords(parts);
  expect(merged).toMatchObject({
    sent: 3,
    ok: 1,
    failed: 5,
    okWithinWindow: 1,
    firstAnswerAfterNs: 15 * MS,
    statuses: { 200: 1, 503: 2 },
    errors: { timeout: 3, 'http-503': 2 },
  });
  expect(merged.response.summary()).toMatchObject({ count: 1, min: 7000, max: 7000 });
  expect(merged.service.summary()).toMatchObject({ count: 1, min: 6000, max: 6000 });
  expect(merged.failures.summary()).toMatchObject({ count: 5, min: 5000, max: 9000 });
  expect(merged.sendLag.summary()).toMatchObject({ count: 3, min: 1000, max: 3000 });
});

it('has no first answer where there was none', () => {
  const empty = new Recorder({ startNs: 0, endNs: MS }).finish();
  expect(mergeRecords([empty, empty]).firstAnswerAfterNs).toBeNull();
  expect(mergeRecords([])).toMatchObject({ sent: 0, statuses: {}, errors: {} });
});
