import autocannon from 'autocannon';
import type { LoadClock } from './clock.ts';
import type { GeneratorEvents, GeneratorReport } from './generator-report.ts';
import type { LoadPlan } from './plan.ts';
import { Recorder } from './recorder.ts';
import { commonHeaders } from './request-headers.ts';
import { readThreadUsage, shareOfTime, type ThreadUsage } from './thread-usage.ts';

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

/** Of autocannon's client, what its type declaration leaves out. */
type Client = autocannon.Client & { setRequests(requests: autocannon.Request[]): void };

/**
 * Runs the closed model through autocannon 9, timed by its `response` event.
 *
 * Its own histogram is not read: it stores whole milliseconds. Its correction for coordinated
 * omission cannot come in, since that needs a rate, and a rate is refused for this engine.
 */
export async function runAutocannon(run: AutocannonRun): Promise<GeneratorReport> {
  const { plan, clock, events, signal } = run;
  const startNs = clock.monotonicNs() + plan.warmupMs * 1e6;
  const endNs = startNs + plan.durationMs * 1e6;
  const recorder = new Recorder({ startNs, endNs });
  /** Those whose request of after the window was answered: all before it are then in the record. */
  const drained = new Set<autocannon.Client>();
  let before: ThreadUsage | null = null;
  let after: ThreadUsage | null = null;
  await new Promise<void>((resolve, reject) => {
    const instance = autocannon(autocannonOptions(run), (error: unknown) => {
      clearInterval(ticker);
      if (error instanceof Error) reject(error);
      else resolve();
    });
    instance.on('response', (client, status, _bytes, durationMs) => {
      const doneNs = clock.monotonicNs();
      const sentNs = doneNs - durationMs * 1e6;
      recorder.answered(sentNs, sentNs, doneNs, status);
      if (sentNs >= endNs) drained.add(client);
    });
    instance.on('reqError', (error: NodeJS.ErrnoException) => {
      const nowNs = clock.monotonicNs();
      const isTimeout = error.message === 'request timed out';
      const sentNs = isTimeout ? nowNs - plan.timeoutMs * 1e6 : null;
      recorder.broke(
        isTimeout ? 'timeout' : (error.code ?? 'connection'),
        sentNs ?? nowNs,
        sentNs,
        nowNs,
      );
    });
    const ticker = setInterval(() => {
      const nowNs = clock.monotonicNs();
      if (nowNs >= startNs) before ??= readThreadUsage();
      if (nowNs >= endNs || signal.aborted) after ??= readThreadUsage();
      events.onUpdate({ seconds: recorder.takeClosedSeconds(nowNs), waiting: 0 });
      if (signal.aborted) recorder.endWindowAt(nowNs);
      const waitedEnough = signal.aborted || nowNs >= endNs + plan.timeoutMs * 1e6;
      if (drained.size >= plan.connections || waitedEnough) {
        clearInterval(ticker);
        (instance as unknown as { stop(): void }).stop();
      }
    }, TICK_MS);
  });
  const elapsedNs = Math.min(endNs, clock.monotonicNs()) - startNs;
  return {
    record: recorder.finish(),
    usage: usageBetween(before, after, elapsedNs),
    unsentThoughFree: 0,
    seesSendLag: false,
  };
}

function autocannonOptions({ plan, baseUrl, accessToken }: AutocannonRun): autocannon.Options {
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
      const from = (clients++ * REQUESTS_PER_CONNECTION) % requests.length;
      (client as Client).setRequests(requests.slice(from, from + REQUESTS_PER_CONNECTION));
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
