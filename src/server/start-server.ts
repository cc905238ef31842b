import type { Behaviour, ProfilePartner } from '../interface/index.ts';
import { MovableClock, wallClock } from './clock.ts';
import { CONTROL_ERRORS, ControlApi } from './control.ts';
import { createService } from './create-service.ts';
import { fastPathRules } from './estimate/fast-path-rules.ts';
import { FastConnections } from './fast-path/connections.ts';
import { FastPath, supports } from './fast-path/fast-path.ts';
import { breaking, leaveFastPath } from './faults/catalogue.ts';
import type { ReplacePart } from './faults/parts.ts';
import { HttpListener, type ListenerOptions } from './http/listener.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './http/node-server.ts';
import type { AccessLogEntry } from './http/requests.ts';
import { RequestCounts, type ServerMetrics } from './metrics/request-counts.ts';
import { cryptoRandom } from './random.ts';
import { servedPathWith } from './service.ts';
import type { ServiceState } from './service-state.ts';
import {
  DEMO_PARTNERS,
  type Environment,
  readSettings,
  type ServerOptions,
  type Settings,
} from './settings.ts';
import { userOf } from './state/auth-codes.ts';

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
  /** Reads what it has counted and what it holds; null unless the options ask for it. */
  readonly metrics: (() => Promise<ServerMetrics>) | null;
  /**
   * Stops listening and lets requests in flight finish.
   *
   * @param graceMs time for them, in milliseconds; default 5000
   */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 5_000;
const DEFAULT_HOST = '127.0.0.1';
const CONTROL_TOKEN_BYTES = 24;

/**
 * Starts the reference server. Its state is in memory and ends with it.
 *
 * @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED`, `HOST_NOT_AVAILABLE`, `TLS_INVALID`,
 * `BEHAVIOUR_INVALID`, `EXPIRES_IN_INVALID` or `FAULT_UNKNOWN`
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { host = DEFAULT_HOST, partners = DEMO_PARTNERS } = options;
  const clock = new MovableClock(options.clock ?? wallClock);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const settings = readSettings(options, clock);
  const replace = breaking(options.faults ?? []);
  const { service, state, errors } = createService(settings, options.version ?? '0.0.0', replace);
  admitPartners(partners, state, clock.now());
  const counts = options.metrics ? new RequestCounts(servedPathWith(settings.behaviour)) : null;
  const path = fastPathOf(options, settings, { state, replace });
  const listener = new HttpListener({
    ...options,
    accessLog: bothLogs(options.accessLog, counts),
    onBroken: (status) => counts?.takeBroken(status),
    handler: (request) => service.answer(request),
    errors,
    clock,
    timeouts,
    readAhead: path === null ? undefined : readerOf(path, options, timeouts),
  });
  await listener.listen(options.port ?? 0, host);
  let control: HttpListener | null = null;
  const chosenToken = options.controlToken || null;
  const controlToken = chosenToken ?? cryptoRandom()(CONTROL_TOKEN_BYTES).toString('base64url');
  if (options.controlPort !== undefined) {
    const api = new ControlApi({ state, clock, random: settings.random, token: controlToken });
    const shared = { clock, timeouts, errors: CONTROL_ERRORS, refusesForeign: true };
    control = new HttpListener({ ...shared, handler: (request) => api.answer(request) });
    try {
      await control.listen(options.controlPort, chosenToken === null ? DEFAULT_HOST : host);
    } catch (error) {
      await listener.close(0);
      throw error;
    }
  }
  let closing: Promise<unknown> | null = null;
  return {
    baseUrl: listener.baseUrl,
    port: listener.port,
    controlUrl: control?.baseUrl ?? null,
    controlPort: control?.port ?? null,
    controlToken: control && controlToken,
    environment: settings.environment,
    behaviour: settings.behaviour,
    partners,
    clock,
    metrics: counts && (() => counts.read(path?.answeredCount ?? 0, state, clock.now())),
    close: async (graceMs = DEFAULT_GRACE_MS) => {
      closing ??= Promise.all([listener.close(graceMs), control?.close(graceMs)]);
      await closing;
    },
  };
}

/** The listener's log: the one asked for, and the counts. */
function bothLogs(
  log: ServerOptions['accessLog'],
  counts: RequestCounts | null,
): ServerOptions['accessLog'] {
  if (counts === null) return log;
  return (entry: AccessLogEntry) => {
    counts.take(entry);
    log?.(entry);
  };
}

/**
 * The fast path, where it gives the same answers as the service, but for the faults that are its own;
 * it writes no log. Null where it does not.
 */
function fastPathOf(
  options: ServerOptions,
  settings: Settings,
  { state, replace }: { state: ServiceState; replace: ReplacePart },
): FastPath | null {
  const { fastPath = true, faults = [], accessLog, interceptor } = options;
  const isWatched = accessLog !== undefined || interceptor !== undefined;
  const isChecked = isWatched || options.refusesForeign === true;
  if (!fastPath || isChecked || !leaveFastPath(faults) || !supports(settings.behaviour)) {
    return null;
  }
  return new FastPath(state, settings, replace('fastPath', fastPathRules(state.records)));
}

function readerOf(
  path: FastPath,
  { sharedReadBuffer = true }: ServerOptions,
  timeouts: Timeouts,
): ListenerOptions['readAhead'] {
  return (parse) => new FastConnections({ path, parse, ...timeouts, sharedReadBuffer });
}

/** Adds partners, their auth codes, and the access_token that a profile may bring with it. */
function admitPartners(
  partners: readonly ProfilePartner[],
  state: ServiceState,
  nowMs: number,
): void {
  for (const { id, signingKey, use, authCodes, accessToken } of partners) {
    const partner = state.partners.add(id, signingKey, use === 'long-lock');
    for (const code of authCodes) state.authCodes.add(partner, code, userOf(partner));
    if (accessToken === undefined) continue;
    const platform = { partner, userId: null, scope: 'public', refreshed: null };
    state.tokens.admit({ ...platform, accessToken }, nowMs);
  }
}
