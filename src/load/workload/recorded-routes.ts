import { z } from 'zod';
import { ConfigurationError, ESTIMATES_PATH } from '../../interface/index.ts';
import { isWholeRoute, REQUIRED, type RouteQuery } from './routes.ts';

/** A request that was recorded somewhere. */
interface RecordedRequest {
  readonly method: string;
  /** URL, or path and query. */
  readonly target: string;
  readonly status: number;
}

/** A line of nginx's format `combined`, and of what Apache calls so: only the request and the status. */
const LOG_LINE = /"([A-Z]+) (\S+) HTTP\/[\d.]+" (\d{3})(?: |$)/;

/** Request in a log of another form, such as that of an AWS load balancer. */
const LOGGED_REQUEST = /"[A-Z]+ \S+ HTTP\/[\d.]+"/;

/** Name of what is read, for the errors. */
export const READ_FORMS = `CSV whose first line names ${REQUIRED.join(', ')}; a HAR file; or an access log with the request in quotes before the status, as nginx's combined: "GET ${ESTIMATES_PATH}?... HTTP/1.1" 200`;

const harSchema = z.object({
  log: z.object({
    entries: z.array(
      z.object({
        request: z.object({ method: z.string(), url: z.string() }),
        response: z.object({ status: z.number() }),
      }),
    ),
  }),
});

/**
 * Reads the routes of recorded estimates from a HAR file or an access log: of each that was answered
 * with status 200, its query, in their order. Headers, and so credentials, are not read. Null for a text
 * that is neither.
 *
 * @param name of the file, for the errors
 * @throws ConfigurationError `ROUTES_INVALID` for a HAR file that is none, or without such an estimate
 */
export function parseRecordedRoutes(text: string, name: string): RouteQuery[] | null {
  const isHar = text.trimStart().startsWith('{');
  const firstLine = text.slice(0, text.indexOf('\n') + 1) || text;
  if (!isHar && !LOG_LINE.test(firstLine)) {
    if (!LOGGED_REQUEST.test(firstLine)) return null;
    throw notRead(name, 'it is an access log of another form');
  }
  const routes = (isHar ? readHar(text, name) : readLog(text)).flatMap(routeOf);
  if (routes.length > 0) return routes;
  const message = `${name}: no request is a GET of ${ESTIMATES_PATH} with a whole route and status 200.`;
  throw new ConfigurationError('ROUTES_INVALID', message);
}

const notRead = (name: string, what: string): ConfigurationError =>
  new ConfigurationError('ROUTES_INVALID', `${name}: ${what}. What is read: ${READ_FORMS}.`);

function readHar(text: string, name: string): RecordedRequest[] {
  if (isJsonLines(text)) {
    throw notRead(name, 'it is a log in JSON, line by line, as Caddy writes it, and no HAR file');
  }
  const parsed = harSchema.safeParse(jsonOrNull(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `${name}: it is no HAR file: ${issue?.path.join('.') || 'log'}: ${issue?.message}.`;
    throw new ConfigurationError('ROUTES_INVALID', message, { cause: parsed.error });
  }
  return parsed.data.log.entries.map(({ request, response }) => ({
    method: request.method,
    target: request.url,
    status: response.status,
  }));
}

/** True if the first line alone is an object that tells of a request. */
function isJsonLines(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1);
  const json = jsonOrNull(first);
  return typeof json === 'object' && json !== null && 'request' in json;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readLog(text: string): RecordedRequest[] {
  return text.split('\n').flatMap((line) => {
    const [, method = '', target = '', status] = LOG_LINE.exec(line) ?? [];
    // nginx writes bytes that are no printable ASCII as \xHH.
    const decoded = target.replace(/\\x([0-9A-Fa-f]{2})/g, '%$1');
    return status === undefined ? [] : [{ method, target: decoded, status: Number(status) }];
  });
}

function routeOf({ method, target, status }: RecordedRequest): RouteQuery[] {
  if (method !== 'GET' || status !== 200) return [];
  const [path = '', ...rest] = target.split('?');
  if (!path.endsWith(ESTIMATES_PATH)) return [];
  const [query = ''] = rest.join('?').split('#');
  const given = [...new URLSearchParams(query)].filter(([, value]) => value !== '');
  const route = Object.fromEntries(given);
  return isWholeRoute(route) ? [route] : [];
}
