import autocannon from 'autocannon';
import { ConfigurationError } from '../../../interface/index.ts';
import type { LoadClock } from '../../clock.ts';
import type { LoadPlan } from '../../plan/plan.ts';
import { Recorder } from '../../record/recorder.ts';
import { readThreadUsage, shareOfTime, type ThreadUsage } from '../../record/thread-usage.ts';
import type { GeneratorEvents, GeneratorReport } from '../generator-report.ts';
import { commonHeaders } from '../request-headers.ts';
import { type AutocannonClient, type ClientOutcomes, ClientWatch } from './client.ts';

/** What a generator needs beside its plan. */
export interface AutocannonRun {
  plan: LoadPlan;
  baseUrl: string;
  accessToken: string;
  clock: LoadClock;
  events: GeneratorEvents;
  signal: AbortSignal;
}

/** So many different requests go over one connection; building more would only delay the start. */
const REQUESTS_PER_CONNECTION = 256;
const TICK_MS = 50;
/** After an interruption answers in flight are waited for, but not for long. */
const GRACE_NS = 1e9;

/** Of autocannon's client, what its type declaration leaves out. */
type Client = AutocannonClient & { setRequests(requests: autocannon.Request[]): void };

/**
 * Runs the closed model through autocannon 9, each of its clients followed by {@link ClientWatch}.
 *
 * Its own histogram is not read: it stores whole milliseconds. Its correction for coordinated
 * omission cannot come in, since that needs a rate, and a rate is refused for this engine.
 *
 * @throws ConfigurationError `ENGINE_REFUSES` for what autocannon itself does not take
 */
export async function runAutocannon(run: AutocannonRun): Promise<GeneratorReport> {
  const { plan, clock, events, signal } = run;
  const startNs = clock.monotonicNs() + plan.warmupMs * 1e6;
  let endNs = startNs + plan.durationMs * 1e6;
  let cutNs = endNs + plan.timeoutMs * 1e6;
  const recorder = new Recorder({ startNs, endNs });
  const watches: ClientWatch[] = [];
  const outcomes: ClientOutcomes = {
    answered: (sentNs, doneNs, status, fault) =>
      recorder.answered(sentNs, sentNs, doneNs, status, fault),
    broke: (kind, plannedNs, sentNs, doneNs) => recorder.broke(kind, plannedNs, sentNs, doneNs),
    monotonicNs: () => clock.monotonicNs(),
  };
  let before: ThreadUsage | null = null;
  let after: ThreadUsage | null = null;
  const options = autocannonOptions(run, (client) => {
    watches.push(new ClientWatch(client, outcomes));
  });
  await new Promise<void>((resolve, reject) => {
    let ticker: NodeJS.Timeout | undefined;
    // Called at once, before there is an instance, where autocannon refuses the options.
    const instance = autocannon(options, (error: unknown) => {
      clearInterval(ticker);
      if (error instanceof Error) reject(refusal(error));
      else resolve();
    });
    const interrupt = (nowNs: number): void => {
      endNs = Math.min(endNs, nowNs);
      cutNs = Math.min(cutNs, endNs + Math.min(GRACE_NS, plan.timeoutMs * 1e6));
      recorder.endWindowAt(endNs);
    };
    ticker = setInterval(() => {
      const nowNs = clock.monotonicNs();
      if (signal.aborted) interrupt(nowNs);
      if (nowNs >= startNs) before ??= readThreadUsage();
      if (nowNs >= endNs) after ??= readThreadUsage();
      events.onUpdate({ seconds: recorder.takeClosedSeconds(nowNs), waiting: 0 });
      const isOver = nowNs >= endNs && watches.every((watch) => watch.isSettledUpTo(endNs));
      if (!isOver && nowNs < cutNs) return;
      clearInterval(ticker);
      for (const watch of watches) watch.end();
      (instance as unknown as { stop(): void }).stop();
    }, TICK_MS);
  });
  const elapsedNs = Math.min(endNs, clock.monotonicNs()) - startNs;
  return {
    record: recorder.finish(),
    usage: usageBetween(before, after, elapsedNs),
    unsentThoughFree: 0,
    seesSendLag: false,
    unexpectedBytes: watches.reduce((sum, { unexpectedBytes }) => sum + unexpectedBytes, 0),
  };
}

const refusal = (error: Error): ConfigurationError =>
  new ConfigurationError(
    'ENGINE_REFUSES',
    `autocannon does not take this: ${error.message}. Change the option, or use --engine native.`,
    { cause: error },
  );

function autocannonOptions(
  { plan, baseUrl, accessToken }: AutocannonRun,
  onClient: (client: AutocannonClient) => void,
): autocannon.Options {
  const headers = commonHeaders(plan);
  const requests = plan.requests.map(({ path, authorizationPrefix }) => ({
    method: 'GET' as const,
    path,
    headers: { ...headers, Authorization: authorizationPrefix + accessToken },
  }));
  let clients = 0;
  const { ca, cert, key } = plan.address.tls ?? {};
  return {
    url: baseUrl,
    connections: plan.connections,
    // Ended by us once the last request of the window is answered.
    duration: (plan.warmupMs + plan.durationMs + 2 * plan.timeoutMs) / 1000 + 60,
    sampleInt: TICK_MS,
    timeout: plan.timeoutMs / 1000,
    tlsOptions: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    ...(plan.newConnections && { reconnectRate: 1 }),
    setupClient: (client) => {
      const own = client as unknown as Client;
      const from = (clients++ * REQUESTS_PER_CONNECTION) % requests.length;
      own.setRequests(requests.slice(from, from + REQUESTS_PER_CONNECTION));
      onClient(own);
    },
  };
}

function usageBetween(
  before: ThreadUsage | null,
  after: ThreadUsage | null,
  elapsedNs: number,
): GeneratorReport['usage'] {
  if (!before || !after) return { cpu: null, coreWait: null, eventLoopUtilization: 0 };
  const activeMs = after.activeMs - before.activeMs;
  const totalMs = activeMs + after.idleMs - before.idleMs;
  return {
    cpu: shareOfTime(before.cpuNs, after.cpuNs, elapsedNs),
    coreWait: shareOfTime(before.coreWaitNs, after.coreWaitNs, elapsedNs),
    eventLoopUtilization: totalMs > 0 ? activeMs / totalMs : 0,
  };
}
