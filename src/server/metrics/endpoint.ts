import { isLoopbackHost } from '../../interface/loopback.ts';
import { HttpListener } from '../http/listener.ts';
import { DEFAULT_TIMEOUTS } from '../http/node-server.ts';
import { wallClock } from '../service/clock.ts';
import { type Answer, CONTROL_ERRORS, type ServiceRequest } from '../service/messages.ts';

const PATH = '/metrics';
/** Time for a scrape in progress when it closes. */
const GRACE_MS = 500;

/** Options of a metrics endpoint. */
export interface MetricsEndpointOptions {
  /** Address to listen on. On loopback, requests that name another host are refused. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly contentType: string;
  /** Writes the metrics, at each scrape. */
  readonly read: () => Promise<string>;
}

/** Metrics that are served on a port of their own. */
export interface MetricsEndpoint {
  /** Address of the metrics, its path included. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves metrics for a scraper on a port of their own, without TLS.
 *
 * @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED` or `HOST_NOT_AVAILABLE`
 */
export async function openMetricsEndpoint(
  options: MetricsEndpointOptions,
): Promise<MetricsEndpoint> {
  const listener = new HttpListener({
    handler: (request) => answer(request, options),
    errors: CONTROL_ERRORS,
    clock: wallClock,
    timeouts: DEFAULT_TIMEOUTS,
    // Beyond loopback, scrapers know this machine by names that it does not know itself.
    refusesForeign: isLoopbackHost(options.host),
  });
  await listener.listen(options.port, options.host);
  return { url: listener.baseUrl + PATH, close: () => listener.close(GRACE_MS) };
}

function answer(
  { method, path }: ServiceRequest,
  { contentType, read }: MetricsEndpointOptions,
): Answer | Promise<Answer> {
  if (path !== PATH) {
    const message = `Metrics are served on ${PATH} only.`;
    return CONTROL_ERRORS.answer(404, { code: 'path-unknown', message });
  }
  if (method !== 'GET' && method !== 'HEAD') {
    const message = 'This path is served with GET only.';
    const refusal = CONTROL_ERRORS.answer(405, { code: 'method-not-allowed', message });
    return { ...refusal, allow: 'GET, HEAD' };
  }
  return read().then((body) => ({ status: 200, contentType, body }));
}
