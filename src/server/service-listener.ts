import type { CreatedService } from './create-service.ts';
import type { ReplacePart } from './faults/parts.ts';
import { HttpListener, type ListenerOptions } from './http/listener.ts';
import type { Timeouts } from './http/node-server.ts';
import type { ServerOptions } from './server-options.ts';
import { fastPathRules } from './service/estimate/fast-path-rules.ts';
import type { Settings } from './service/settings.ts';
import { FastConnections } from './speed/connections.ts';
import { FastPath, supports } from './speed/fast-path.ts';

/** Options of the listener of a service. */
export interface ServiceListenerOptions
  extends Pick<
      ServerOptions,
      'accessLog' | 'fastPath' | 'interceptor' | 'refusesForeign' | 'sharedReadBuffer'
    >,
    Pick<ListenerOptions, 'tls' | 'onBroken' | 'handler'> {
  readonly settings: Settings;
  readonly timeouts: Timeouts;
  readonly replace: ReplacePart;
  /** A log that leaves the fast path on. */
  readonly counter?: ServerOptions['accessLog'];
}

/** The listener of a service. */
export interface ServiceListener {
  readonly listener: HttpListener;
  /** Number of estimates that the fast path answered. */
  readonly fastPathAnswers: () => number;
}

/**
 * Creates the listener of a service, with the fast path where that gives the same answers.
 *
 * @throws ConfigurationError `TLS_INVALID`
 */
export function createListener(
  { state, errors }: Pick<CreatedService, 'state' | 'errors'>,
  options: ServiceListenerOptions,
): ServiceListener {
  const { settings, timeouts, replace } = options;
  const path = answersLikeService(options)
    ? new FastPath(state, settings, replace('fastPath', fastPathRules(state.records)))
    : null;
  const listener = new HttpListener({
    ...options,
    accessLog: bothLogs(options.accessLog, options.counter),
    errors,
    clock: settings.clock,
    readAhead: path === null ? undefined : readerOf(path, options, timeouts),
  });
  return { listener, fastPathAnswers: () => path?.answeredCount ?? 0 };
}

function bothLogs(
  log: ServerOptions['accessLog'],
  counter: ServerOptions['accessLog'],
): ServerOptions['accessLog'] {
  if (log === undefined || counter === undefined) return log ?? counter;
  return (entry) => {
    counter(entry);
    log(entry);
  };
}

/** Checks whether the fast path, which writes no log, gives the answers of the service. */
function answersLikeService(options: ServiceListenerOptions): boolean {
  const { fastPath = true, accessLog, interceptor, settings } = options;
  const isWatched = accessLog !== undefined || interceptor !== undefined;
  const isChecked = isWatched || options.refusesForeign === true;
  return fastPath && !isChecked && supports(settings.behaviour);
}

function readerOf(
  path: FastPath,
  { sharedReadBuffer = true }: Pick<ServerOptions, 'sharedReadBuffer'>,
  timeouts: Timeouts,
): ListenerOptions['readAhead'] {
  return (parse) => new FastConnections({ path, parse, ...timeouts, sharedReadBuffer });
}
