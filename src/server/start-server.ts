import type { Behaviour, ProfilePartner } from '../interface/index.ts';
import { type AssembledService, assembleService, DEFAULT_VERSION } from './assemble-service.ts';
import type { CreatedService } from './create-service.ts';
import { type Front, listenHere } from './front.ts';
import type { HttpListener } from './http/listener.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './http/node-server.ts';
import type { AccessLogEntry } from './http/requests.ts';
import { RequestCounts, type ServerMetrics } from './metrics/request-counts.ts';
import type { ServerOptions } from './server-options.ts';
import type { MovableClock } from './service/clock.ts';
import type { ServiceRequest } from './service/messages.ts';
import { cryptoRandom } from './service/random.ts';
import { servedPathWith } from './service/service.ts';
import type { Environment } from './service/settings.ts';
import { type ForkWorker, forkWorker } from './workers/worker-link.ts';
import { listenInWorkers, optionOfOneWorker } from './workers/worker-pool.ts';

/** A server that listens. */
export interface RunningServer {
  readonly baseUrl: string;
  readonly port: number;
  /** Null if the control API is off. */
  readonly controlUrl: string | null;
  readonly controlPort: number | null;
  /** Token that the control API requires; null if the control API is off. */
  readonly controlToken: string | null;
  readonly environment: Environment;
  readonly behaviour: Behaviour;
  /** The partners that it was started with. */
  readonly partners: readonly ProfilePartner[];
  /** The server's own time, which the control API moves. */
  readonly clock: MovableClock;
  /** Processes that answer requests; 1 is this process itself. */
  readonly workers: number;
  /** The option for which there is one worker though more were asked for; null if there is none. */
  readonly singleBecause: string | null;
  /** Reads what it has counted and what it holds; null unless the options ask for it. */
  readonly metrics: (() => Promise<ServerMetrics>) | null;
  /**
   * Stops listening and lets requests in flight finish.
   *
   * @param graceMs time for them, in milliseconds; default 5000
   */
  close(graceMs?: number): Promise<void>;
  /** Closes the server at the end of the block of an `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_GRACE_MS = 5_000;
const DEFAULT_HOST = '127.0.0.1';
const CONTROL_TOKEN_BYTES = 24;
const WORKER_SILENCE_MS = 1_000;

/**
 * Starts the reference server. Its state is in memory and ends with it.
 * @throws ConfigurationError as {@link assembleService} and listeners
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  return startServerWith(options, forkWorker);
}

/** Starts the reference server, its workers by `fork`. @throws as {@link startServer} */
export async function startServerWith(
  options: ServerOptions,
  fork: ForkWorker,
): Promise<RunningServer> {
  const { host = DEFAULT_HOST } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const assembled = await assembleService(options);
  const { created, partners, clock, settings, replace, leaveFastPath } = assembled;
  const { state } = created;
  const counts = options.metrics ? new RequestCounts(servedPathWith(settings.behaviour)) : null;
  const { workers: asked = 1 } = options;
  const singleBecause = asked > 1 ? optionOfOneWorker(options, settings.behaviour) : null;
  const workers = singleBecause === null ? asked : 1;
  const own = { settings, timeouts, replace, leaveFastPath, counts, clock };
  const front =
    workers === 1
      ? await listenAlone(created, options, own)
      : await listenTogether(created, options, { ...own, workers, fork });
  let control: HttpListener | null = null;
  const chosenToken = options.controlToken || null;
  const controlToken = chosenToken ?? cryptoRandom()(CONTROL_TOKEN_BYTES).toString('base64url');
  if (options.controlPort !== undefined) {
    try {
      const { openControl } = await import('./open-control.ts');
      control = await openControl({
        port: options.controlPort,
        host: chosenToken === null ? DEFAULT_HOST : host,
        state,
        clock,
        random: settings.random,
        token: controlToken,
        timeouts,
        after: (work) => front.after(work),
      });
    } catch (error) {
      await front.close(0);
      throw error;
    }
  }
  let closing: Promise<unknown> | null = null;
  const close = async (graceMs = DEFAULT_GRACE_MS): Promise<void> => {
    closing ??= Promise.all([front.close(graceMs), control?.close(graceMs)]);
    await closing;
  };
  return {
    baseUrl: front.baseUrl,
    port: front.port,
    controlUrl: control?.baseUrl ?? null,
    controlPort: control?.port ?? null,
    controlToken: control && controlToken,
    environment: settings.environment,
    behaviour: settings.behaviour,
    partners,
    clock,
    workers,
    singleBecause,
    metrics: counts && (() => counts.read(front.fastPathAnswers(), state, clock.now())),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** Parts of a server that is being started. */
interface Starting
  extends Pick<AssembledService, 'settings' | 'replace' | 'leaveFastPath' | 'clock'> {
  readonly timeouts: Timeouts;
  readonly counts: RequestCounts | null;
}

function listenAlone(
  created: CreatedService,
  options: ServerOptions,
  { settings, timeouts, replace, leaveFastPath, counts }: Starting,
): Promise<Front> {
  return listenHere(created, {
    ...options,
    port: options.port ?? 0,
    host: options.host ?? DEFAULT_HOST,
    settings,
    timeouts,
    replace,
    fastPath: leaveFastPath && (options.fastPath ?? true),
    counter: counts === null ? undefined : (entry: AccessLogEntry) => counts.take(entry),
    onBroken: (status: number) => counts?.takeBroken(status),
    handler: (request: ServiceRequest) => created.service.answer(request),
  });
}

function listenTogether(
  created: CreatedService,
  options: ServerOptions,
  {
    settings,
    timeouts,
    counts,
    clock,
    workers,
    fork,
  }: Starting & { readonly workers: number; readonly fork: ForkWorker },
): Promise<Front> {
  const { environment, behaviour, expiresInSeconds, seed } = settings;
  return listenInWorkers(created, {
    count: workers,
    clock,
    fork,
    silenceMs: options.workerSilenceMs ?? WORKER_SILENCE_MS,
    settings: {
      environment,
      behaviour,
      expiresInSeconds,
      seed,
      timeouts,
      host: options.host ?? DEFAULT_HOST,
      port: options.port ?? 0,
      tls: options.tls,
      fastPath: options.fastPath ?? true,
      sharedReadBuffer: options.sharedReadBuffer ?? true,
      version: options.version ?? DEFAULT_VERSION,
      isLogged: options.accessLog !== undefined,
      isCounted: counts !== null,
    },
    onEntry: (entry) => {
      counts?.take(entry);
      options.accessLog?.(entry);
    },
    onBroken: (status) => counts?.takeBroken(status),
  });
}
