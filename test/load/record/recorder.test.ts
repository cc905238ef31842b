import { describe, expect, it } from 'vitest';
import { Recorder } from '../../../src/load/record/recorder.ts';

const MS = 1e6;

/** A window of two seconds that starts at one second. */
const recorder = (): Recorder => new Recorder({ startNs: 1000 * MS, endNs: 3000 * MS });

/** Records an answer that took 5 ms, of which 2 ms before it was sent. */
function answer(to: Recorder, plannedMs: number, status = 200, fault: string | null = null) {
  return to.answered(plannedMs * MS, (plannedMs + 2) * MS, (plannedMs + 5) * MS, status, fault);
}

describe('an answer', () => {
  it('counts as a success with status 200 only, and as throughput only then', () => {
    const record = recorder();
    expect(answer(record, 1100)).toBe(true);
    const refused = [201, 202, 204, 299, 302, 400, 403, 429, 500, 503];
    for (const status of refused) expect(answer(record, 1100, status)).toBe(false);
    expect(answer(record, 1100, 200, 'answer-shape')).toBe(false);
    expect(record.finish()).toMatchObject({
      sent: 12,
      ok: 1,
      failed: 11,
      okWithinWindow: 1,
      statuses: { 200: 2, ...Object.fromEntries(refused.map((status) => [status, 1])) },
      errors: {
        'answer-shape': 1,
        ...Object.fromEntries(refused.map((status) => [`http-${status}`, 1])),
      },
      seconds: [{ second: 0, ok: 1, failed: 11 }],
    });
  });

  it('counts as no error if it is a success', () => {
    const record = recorder();
    answer(record, 1100);
    const { statuses, errors } = record.finish();
    expect({ statuses, errors }).toEqual({ statuses: { 200: 1 }, errors: {} });
  });

  it('is counted as checked by its planned time', () => {
    const record = recorder();
    for (const plannedMs of [999, 1000, 2999, 3000]) record.checked(plannedMs * MS);
    expect(record.finish().checked).toBe(2);
  });

  it('has its fault counted, and not its status', () => {
    const record = recorder();
    answer(record, 1100, 500, 'unexpected-bytes');
    expect(record.finish().errors).toEqual({ 'unexpected-bytes': 1 });
  });

  it.each([
    ['answer-not-json', 1],
    ['answer-shape', 1],
    ['unexpected-bytes', 0],
    [null, 0],
  ])('with the fault %s adds %d to the malformed ones', (fault, malformed) => {
    const record = recorder();
    answer(record, 1100, 200, fault);
    expect(record.finish().parts).toMatchObject([{ malformed }]);
  });

  it('has a response time from the plan, and a service time from the send', () => {
    const record = recorder();
    answer(record, 1100);
    const { response, service } = record.finish();
    expect(response).toMatchObject({ count: 1, minUs: 5000, maxUs: 5000 });
    expect(service).toMatchObject({ count: 1, minUs: 3000, maxUs: 3000 });
  });

  it('belongs to the window by its planned time, from its start to before its end', () => {
    const record = recorder();
    const planned = [999.999_999, 1000, 2999.999_999, 3000];
    expect(planned.map((plannedMs) => answer(record, plannedMs))).toEqual([true, true, true, true]);
    expect(record.finish()).toMatchObject({ sent: 2, ok: 2, failed: 0, statuses: { 200: 2 } });
  });

  it('is throughput by the time of its end, whenever it was planned', () => {
    const record = recorder();
    // Planned in the warm-up, ended within; planned within, ended after the end.
    for (const plannedMs of [990, 995, 2994.999_999, 2995]) answer(record, plannedMs);
    expect(record.finish()).toMatchObject({ ok: 2, okWithinWindow: 2, firstAnswerAfterNs: 0 });
  });

  it('is the first by the time of its end, refused or not', () => {
    const record = recorder();
    answer(record, 1100, 503);
    answer(record, 1200);
    expect(record.finish().firstAnswerAfterNs).toBe(105 * MS);
    expect(recorder().finish().firstAnswerAfterNs).toBeNull();
  });

  it('is outside of a window that was ended early, and a later end changes nothing', () => {
    const record = recorder();
    record.endWindowAt(2000 * MS);
    record.endWindowAt(2500 * MS);
    answer(record, 1999);
    answer(record, 2000);
    expect(record.finish()).toMatchObject({ sent: 1, ok: 1, okWithinWindow: 0 });
  });
});

describe('a request without an answer', () => {
  it('is a failure; it was sent only if it has a time of sending', () => {
    const record = recorder();
    record.broke('timeout', 1000 * MS, 1001 * MS, 1500 * MS);
    record.broke('unsent', 1000 * MS, null, 1500 * MS);
    record.broke('timeout', 999 * MS, 999 * MS, 1500 * MS);
    record.broke('timeout', 3000 * MS, 3000 * MS, 3500 * MS);
    expect(record.finish()).toMatchObject({
      sent: 1,
      ok: 0,
      failed: 2,
      okWithinWindow: 0,
      firstAnswerAfterNs: null,
      statuses: {},
      errors: { timeout: 1, unsent: 1 },
      response: { count: 0 },
      service: { count: 0 },
      failures: { count: 2, minUs: 500_000, maxUs: 500_000 },
    });
  });
});

describe('a success that is retracted', () => {
  it('is a failure in the totals and in its second', () => {
    const record = recorder();
    answer(record, 1100);
    answer(record, 1200);
    record.retract(1200 * MS, 1202 * MS, 1205 * MS, 'unexpected-bytes');
    expect(record.finish()).toMatchObject({
      sent: 2,
      ok: 1,
      failed: 1,
      okWithinWindow: 1,
      errors: { 'unexpected-bytes': 1 },
      response: { count: 1, maxUs: 5000 },
      service: { count: 1, maxUs: 3000 },
      failures: { count: 1, minUs: 5000 },
      seconds: [{ second: 0, ok: 1, failed: 1 }],
    });
  });

  it('corrects a second that was taken before', () => {
    const record = recorder();
    answer(record, 1100);
    expect(record.takeClosedSeconds(2000 * MS)).toMatchObject([{ second: 0, ok: 1, failed: 0 }]);
    record.retract(1100 * MS, 1102 * MS, 1105 * MS, 'unexpected-bytes');
    answer(record, 2100);
    expect(record.finish()).toMatchObject({
      ok: 1,
      failed: 1,
      seconds: [
        { second: 0, ok: -1, failed: 1, response: { slots: [], count: 0 } },
        { second: 1, ok: 1, failed: 0 },
      ],
    });
  });

  it('corrects a second that was closed by a later one', () => {
    const record = recorder();
    answer(record, 1100);
    answer(record, 2100);
    record.retract(1100 * MS, 1102 * MS, 1105 * MS, 'unexpected-bytes');
    const seconds = record.finish().seconds.map(({ second, ok, failed }) => [second, ok, failed]);
    expect(seconds).toEqual([
      [0, -1, 1],
      [0, 1, 0],
      [1, 1, 0],
    ]);
  });

  it('is no failure of the window if it was planned outside, and no throughput if it ended within', () => {
    const record = recorder();
    answer(record, 996);
    record.retract(996 * MS, 998 * MS, 1001 * MS, 'unexpected-bytes');
    answer(record, 2999);
    record.retract(2999 * MS, 3001 * MS, 3004 * MS, 'unexpected-bytes');
    expect(record.finish()).toMatchObject({ ok: 0, failed: 1, okWithinWindow: 0 });
  });
});

describe('seconds', () => {
  it('are those of the end of each request, and complete once the next has begun', () => {
    const record = recorder();
    answer(record, 1100);
    answer(record, 1995);
    expect(record.takeClosedSeconds(2000 * MS - 1)).toMatchObject([{ second: 0, ok: 1 }]);
    expect(record.takeClosedSeconds(2999 * MS)).toEqual([]);
    expect(record.takeClosedSeconds(3000 * MS)).toMatchObject([
      { second: 1, ok: 1, response: { count: 1, maxUs: 5000 } },
    ]);
    expect(record.takeClosedSeconds(4000 * MS)).toEqual([]);
  });

  it('have the requests that were sent in them, warm-up and window alike', () => {
    const record = recorder();
    for (const sentMs of [999, 1000, 1400, 2100, 3050]) {
      record.sent((sentMs - 1) * MS, (sentMs - 1) * MS, sentMs * MS);
    }
    answer(record, 1100);
    record.broke('timeout', 1200 * MS, 1200 * MS, 2300 * MS);
    const counts = record
      .takeClosedSeconds(3000 * MS)
      .map(({ second, sent, ok, failed }) => ({ second, sent, ok, failed }));
    expect(counts).toEqual([
      { second: 0, sent: 2, ok: 0, failed: 0 },
      { second: 1, sent: 1, ok: 0, failed: 0 },
      { second: 0, sent: 0, ok: 1, failed: 0 },
      { second: 1, sent: 0, ok: 0, failed: 1 },
    ]);
    expect(record.finish().seconds).toMatchObject([{ second: 2, sent: 1 }]);
  });

  it('lie after the end of the window for late answers, and start at its start', () => {
    const record = recorder();
    record.answered(1000 * MS, 1000 * MS, 4500 * MS, 200);
    expect(record.finish().seconds).toMatchObject([{ second: 3, ok: 1 }]);
  });
});

describe('send lag', () => {
  it('is the p99 since it was last taken, and in total that of all', () => {
    const record = recorder();
    expect(record.takeSendLagP99Us()).toBeNull();
    record.sent(1000 * MS, 1000 * MS, 1000 * MS + 2 * MS);
    expect(record.takeSendLagP99Us()).toBe(2000);
    expect(record.takeSendLagP99Us()).toBeNull();
    record.sent(1100 * MS, 1100 * MS, 1100 * MS + MS);
    // Outside of the window.
    record.sent(999 * MS, 999 * MS, 999 * MS + 9 * MS);
    record.sent(3000 * MS, 3000 * MS, 3000 * MS + 9 * MS);
    expect(record.takeSendLagP99Us()).toBe(1000);
    record.sent(1200 * MS, 1200 * MS, 1200 * MS + 3 * MS);
    expect(record.finish().sendLag).toMatchObject({ count: 3, minUs: 1000, maxUs: 3000 });
  });
});

describe('the parts of a record', () => {
  it('are the requests of each shape and stage, and add up to the whole', () => {
    const starts = [1000, 2000, 2500].map((ms) => ms * MS);
    const record = new Recorder({ startNs: 1000 * MS, endNs: 3000 * MS }, starts);
    const answered = (plannedMs: number, tookMs: number, shape: number, fault?: string): void => {
      const plannedNs = plannedMs * MS;
      record.checked(plannedNs, shape);
      record.answered(plannedNs, plannedNs, plannedNs + tookMs * MS, 200, fault, shape);
    };
    answered(1000, 5, 0);
    answered(2500, 7, 1);
    // An answer of an earlier stage that comes late.
    answered(1999, 900, 1);
    answered(2000, 9, 0, 'answer-shape');
    answered(3000, 1, 0);
    record.broke('unsent', 2999 * MS, null, 3500 * MS, 1);
    record.retract(2500 * MS, 2502 * MS, 2507 * MS, 'unexpected-bytes', 1);
    const { parts, ...whole } = record.finish();
    const none = { ok: 0, failed: 0, checked: 0, malformed: 0 };
    expect(parts).toMatchObject([
      { ...none, stage: 0, shape: 0, ok: 1, checked: 1, response: { count: 1, maxUs: 5000 } },
      { ...none, stage: 0, shape: 1, ok: 1, checked: 1, response: { count: 1, maxUs: 900_000 } },
      { ...none, stage: 1, shape: 0, failed: 1, checked: 1, malformed: 1 },
      {
        ...none,
        stage: 2,
        shape: 1,
        failed: 2,
        checked: 1,
        response: { count: 0 },
        service: { count: 0 },
        failures: { count: 2, minUs: 7000 },
      },
    ]);
    expect(whole).toMatchObject({
      sent: 4,
      ok: 2,
      failed: 3,
      checked: 4,
      response: { count: 2, minUs: 5000, maxUs: 900_000 },
      service: { count: 2 },
      failures: { count: 3, minUs: 7000, maxUs: 501_000 },
    });
  });
});
