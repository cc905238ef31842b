import { type LoadOptions, type LoadResult, systemClock } from '../../../src/load/index.ts';
import { Schedule } from '../../../src/load/plan.ts';
import { planLoad } from '../../../src/load/plan-load.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import { SeriesCollector } from '../../../src/load/record/series.ts';
import { buildResult, type FinishedRun } from '../../../src/load/result/build.ts';
import { Redactor } from '../../../src/redaction/index.ts';
import { profile } from './profile.ts';

const MS = 1e6;

/** Conduct of a simulated generator; by default all that it should do. */
export interface SimulatedGenerator {
  /** Delay of each request, milliseconds. */
  lagMs?: number;
  /** It does nothing from the first to the second, milliseconds; what was due is sent then. */
  stall?: readonly [fromMs: number, untilMs: number];
  /** Share of the requests that it never sends, with a connection free. */
  unsentShare?: number;
  coreWait?: number | null;
  stoodStillMs?: number;
  /** Share of the time in which it was stopped for moments. */
  heldUp?: number;
  eventLoopUtilization?: number;
  /** Called after each second of the plan, when its figures have been taken as those of a real generator are. */
  onSecond?: (second: number) => void;
}

/** Health of a simulated generator over a second. */
const HEALTH = { cpu: 0.512, eventLoopUtilization: 0.312, sendLagP99Us: 20.125, coreWait: 0.001 };

/** Answer of a simulated target: its time, and its status. */
export type SimulatedTarget = (request: { index: number; inBurst: boolean }) => {
  ms: number;
  status: number;
};

const WELL: SimulatedTarget = () => ({ ms: 10, status: 200 });

/** Judges a run of three seconds at 200 requests a second, which no machine has to send. */
export async function simulatedRun(
  options: Partial<LoadOptions>,
  generator: SimulatedGenerator = {},
  target: SimulatedTarget = WELL,
  more: Partial<FinishedRun> = {},
): Promise<LoadResult> {
  const load = await planLoad({
    ledger: 'none',
    profile,
    clock: systemClock(),
    seed: 1,
    warmup: '0',
    duration: '3s',
    ...(options.connections === undefined && { rate: 200 }),
    ...options,
  });
  const { plan } = load;
  const endNs = plan.durationMs * MS;
  const { lagMs = 0.02, stall = [0, 0], unsentShare = 0 } = generator;
  const [fromNs, untilNs] = stall.map((ms) => ms * MS) as [number, number];
  const recorder = new Recorder({ startNs: 0, endNs });
  const isStall = untilNs - fromNs >= plan.stallUs * 1000;
  if (isStall) {
    recorder.stall(fromNs);
    recorder.endStall(untilNs + 10 * MS);
  }
  const series = new SeriesCollector();
  let [unsent, second] = [0, 0];
  for (const { plannedNs, index } of plannedTimes(plan, endNs)) {
    if (generator.onSecond !== undefined && plannedNs >= (second + 1) * 1000 * MS) {
      series.add(recorder.takeClosedSeconds(plannedNs), HEALTH);
      generator.onSecond(++second);
    }
    if ((index + 1) * unsentShare >= unsent + 1) {
      unsent++;
      recorder.broke('unsent', plannedNs, null, plannedNs + plan.timeoutMs * MS);
      continue;
    }
    const inBurst = plannedNs >= fromNs && plannedNs < untilNs;
    const sentNs = (inBurst ? untilNs : plannedNs) + lagMs * MS;
    const { ms, status } = target({ index, inBurst });
    recorder.sent(plannedNs, plannedNs, sentNs);
    recorder.answered(plannedNs, sentNs, sentNs + ms * MS, status);
  }
  const record = recorder.finish();
  series.add(record.seconds);
  const { coreWait = 0, stoodStillMs = 0, heldUp = 0, eventLoopUtilization = 0.3 } = generator;
  return buildResult({
    load,
    reports: [
      {
        record,
        usage: {
          cpu: 0.5,
          coreWait,
          eventLoopUtilization,
          stoodStillMs,
          lostMs: stoodStillMs,
          heldUp,
        },
        unsentThoughFree: unsent,
      },
    ],
    series: series.finish(plan.durationMs),
    startedAtMs: 0,
    finishedAtMs: plan.durationMs,
    measuredMs: plan.durationMs,
    abortedOn: null,
    server: null,
    partnerId: 'p',
    requestCount: 1,
    notes: [],
    redactor: new Redactor(),
    ...more,
  });
}

/** Of the closed model: those of a connection that sends 200 a second. */
function* plannedTimes(
  plan: ConstructorParameters<typeof Schedule>[0] & { model: string },
  endNs: number,
) {
  const stages =
    plan.model === 'open' ? plan.stages : [{ fromRate: 200, toRate: 200, durationMs: endNs / MS }];
  const schedule = new Schedule({ ...plan, stages }, { generator: 0, generators: 1 });
  for (let index = 0; ; index++) {
    const plannedNs = schedule.nextNs();
    if (plannedNs >= endNs) return;
    yield { plannedNs, index };
  }
}
