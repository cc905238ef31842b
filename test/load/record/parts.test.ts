import { expect, it } from 'vitest';
import { mergeParts } from '../../../src/load/record/parts.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import { SharedStalls } from '../../../src/load/record/shared-stalls.ts';
import fc from '../../support/property.ts';

const event = fc.record({
  plannedMs: fc.integer({ min: 0, max: 1000 }),
  ms: fc.integer({ min: 1, max: 500 }),
  what: fc.constantFrom('ok', 'failed', 'broken', 'unsent', 'stall', 'end'),
});

it('requests of stalls and all others add up to the run, whenever stalls begin and end', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const [stalled, plain] = [true, false].map((hasStalls) => {
        const recorder = new Recorder({ startNs: 0, endNs: 900e6 }, [0, 300e6]);
        for (const { plannedMs, ms, what } of events) {
          const [plannedNs, doneNs] = [plannedMs * 1e6, (plannedMs + ms) * 1e6];
          if (what === 'stall' && hasStalls) recorder.stall(plannedNs);
          if (what === 'end' && hasStalls) recorder.endStall(plannedNs);
          if (what === 'ok') recorder.answered(plannedNs, plannedNs, doneNs, 200);
          if (what === 'failed') recorder.answered(plannedNs, plannedNs, doneNs, 500);
          if (what === 'broken') recorder.broke('timeout', plannedNs, plannedNs, doneNs);
          if (what === 'unsent') recorder.broke('unsent', plannedNs, null, doneNs);
        }
        return recorder.finish();
      });
      const { parts, ...totals } = stalled!;
      const { parts: plainParts, ...plainTotals } = plain!;
      expect(totals).toEqual(plainTotals);
      expect(plainParts.some((part) => part.stalled)).toBe(false);
      for (const stage of [0, 1]) {
        const of = (all: typeof parts) => mergeParts(all.filter((part) => part.stage === stage));
        const { response, service, failures, ...counts } = of(parts);
        expect(of(plainParts)).toMatchObject(counts);
        expect(response.count).toBe(counts.ok);
        expect(service.count).toBe(counts.ok);
        expect(failures.count).toBe(counts.failed);
      }
    }),
  );
});

it('requests planned in a stall are parts of their own, until its end', () => {
  const recorder = new Recorder({ startNs: 0, endNs: 1000 });
  const answered = (plannedNs: number): void =>
    void recorder.answered(plannedNs, plannedNs, 2000, 200);
  recorder.stall(100);
  for (const ns of [99, 100, 150]) answered(ns);
  recorder.endStall(200);
  recorder.stall(400);
  recorder.endStall(500);
  for (const ns of [200, 201, 399, 400, 500, 501]) answered(ns);
  const counts = recorder.finish().parts.map(({ stalled, ok }) => [stalled, ok]);
  expect(counts).toEqual([
    [false, 4],
    [true, 5],
  ]);
});

it('requests of one generator that are planned in a stall of another are parts of their own too', () => {
  const memory = SharedStalls.memoryFor(2);
  const recorderOf = (own: number): Recorder =>
    new Recorder({ startNs: 0, endNs: 1000 }, [], new SharedStalls(memory, own));
  const [stalled, other] = [recorderOf(0), recorderOf(1)];
  const answered = (...times: number[]): void => {
    for (const ns of times) other.answered(ns, ns, 2000, 200);
  };
  answered(50, 120);
  stalled.stall(100);
  answered(99, 100, 150, 300);
  stalled.endStall(200);
  answered(200, 201);
  const counts = other.finish().parts.map((part) => [part.stalled, part.ok]);
  expect(counts).toEqual([
    [false, 4],
    [true, 4],
  ]);
});
