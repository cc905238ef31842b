import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { ConfigurationError } from '../../../interface/index.ts';
import type { LoadClock } from '../../clock.ts';
import { Recorder } from '../../record/recorder.ts';
import { UsageMeter } from '../../record/usage.ts';
import type { EngineRun, GeneratorReport } from '../engine.ts';
import { type AutocannonClient, type ClientOutcomes, ClientWatch } from './client.ts';

/** Different requests per connection; to build more would only delay the start. */
const REQUESTS_PER_CONNECTION = 256;
const TICK_MS = 50;
/** Longest wait for answers in flight after an interruption. */
const GRACE_NS = 1e9;

/** Autocannon's client, with the members that its type declaration lacks. */
type Client = AutocannonClient & { setRequests(requests: autocannon.Request[]): void };

/**
 * Runs the closed model through autocannon 9, each of its clients followed by {@link ClientWatch}.
 *
 * Its own histogram is not read: it stores whole milliseconds. Its correction for coordinated
 * omission cannot come in, since that needs a rate, and a rate is refused for this engine.
 *
 * @param scheduleStartNs when the warm-up starts, monotonic clock
 * @throws ConfigurationError `ENGINE_REFUSES` for options that autocannon itself does not take
 */
export async function runAutocannon(
  run: EngineRun,
  scheduleStartNs: number,
  ending: AbortSignal,
): Promise<GeneratorReport> {
  const { plan, clock, recordEveryMs = Number.POSITIVE_INFINITY } = run;
  const startNs = scheduleStartNs + plan.warmupMs * 1e6;
  let endNs = startNs + plan.durationMs * 1e6;
  let cutNs = endNs + plan.timeoutMs * 1e6;
  let nextRecordNs = recordEveryMs * 1e6;
  const recorder = new Recorder({ startNs, endNs });
  const meter = new UsageMeter();
  const watches: ClientWatch[] = [];
  const outcomes: ClientOutcomes = {
    answered: (sentNs, doneNs, status, fault) =>
      recorder.answered(sentNs, sentNs, doneNs, status, fault),
    broke: (kind, plannedNs, sentNs, doneNs) => recorder.broke(kind, plannedNs, sentNs, doneNs),
    monotonicNs: () => clock.monotonicNs(),
  };
  await sleepUntil(scheduleStartNs, clock);
  const options = autocannonOptions(run, (client) => {
    watches.push(new ClientWatch(client, outcomes));
  });
  await new Promise<void>((resolve, reject) => {
    let ticker: NodeJS.Timeout | undefined;
    let hasEnded = false;
    // Called at once, before there is an instance, where autocannon refuses the options.
    const instance = autocannon(options, (error: unknown) => {
      hasEnded = true;
      clearInterval(ticker);
      if (error instanceof Error) reject(refusal(error));
      else resolve();
    });
    const interrupt = (nowNs: number): void => {
      endNs = Math.min(endNs, nowNs);
      cutNs = Math.min(cutNs, endNs + Math.min(GRACE_NS, plan.timeoutMs * 1e6));
      recorder.endWindowAt(endNs);
    };
    if (hasEnded) return;
    ticker = setInterval(() => {
      const nowNs = clock.monotonicNs();
      if (ending.aborted) interrupt(nowNs);
      meter.read(nowNs, { startNs, endNs }, clock.uptimeNs?.() ?? null);
      const seconds = recorder.takeClosedSeconds(nowNs);
      const isDue = seconds.length > 0 && nowNs >= nextRecordNs;
      if (isDue) nextRecordNs = nowNs + recordEveryMs * 1e6;
      const counts = seconds.length > 0 ? recorder.counts() : undefined;
      const record = isDue ? recorder.soFar() : undefined;
      run.onUpdate(0, { seconds, waiting: 0, counts, record });
      const isOver = nowNs >= endNs && watches.every((watch) => watch.isSettledUpTo(endNs));
      if (!isOver && nowNs < cutNs) return;
      clearInterval(ticker);
      for (const watch of watches) watch.end();
      (instance as unknown as { stop(): void }).stop();
    }, TICK_MS);
  });
  return {
    record: recorder.finish(),
    usage: meter.finish(clock.monotonicNs()),
    unsentThoughFree: 0,
    unexpectedBytes: watches.reduce((sum, { unexpectedBytes }) => sum + unexpectedBytes, 0),
  };
}

/** A timer may fire a little early, and what is sent before the start counts for nothing. */
async function sleepUntil(ns: number, clock: LoadClock): Promise<void> {
  for (;;) {
    const aheadMs = (ns - clock.monotonicNs()) / 1e6;
    if (aheadMs <= 0) return;
    await sleep(aheadMs);
  }
}

const refusal = (error: Error): ConfigurationError =>
  new ConfigurationError(
    'ENGINE_REFUSES',
    (name) =>
      `autocannon does not take this: ${error.message}. Change the option, or use ${name('engine')} native.`,
    { cause: error },
  );

function autocannonOptions(
  { plan, requests: estimates, accessToken }: EngineRun,
  onClient: (client: AutocannonClient) => void,
): autocannon.Options {
  const requests = estimates.map(({ path, authorizationPrefix }) => ({
    method: 'GET' as const,
    path,
    headers: { ...plan.headers, Authorization: authorizationPrefix + accessToken },
  }));
  let clients = 0;
  const { address } = plan;
  return {
    url: `${address.secure ? 'https' : 'http'}://${address.hostHeader}`,
    connections: plan.connections,
    // Ended by us once the last request of the window is answered.
    duration: (plan.warmupMs + plan.durationMs + 2 * plan.timeoutMs) / 1000 + 60,
    sampleInt: TICK_MS,
    timeout: plan.timeoutMs / 1000,
    tlsOptions: { ...address.tls },
    ...(plan.newConnections && { reconnectRate: 1 }),
    setupClient: (client) => {
      const own = client as unknown as Client;
      const from = (clients++ * REQUESTS_PER_CONNECTION) % requests.length;
      own.setRequests(requests.slice(from, from + REQUESTS_PER_CONNECTION));
      onClient(own);
    },
  };
}
