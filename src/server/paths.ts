import { type Behaviour, ESTIMATES_PATH, TOKEN_PATH } from '../interface/index.ts';

/** Path of the health check. */
export const HEALTH_PATH = '/healthz';
/** Path of the OpenAPI description. */
export const OPENAPI_PATH = '/openapi.json';

/** The method of each path that is served. */
export const METHOD_OF_PATH: ReadonlyMap<string, string> = new Map([
  [TOKEN_PATH, 'POST'],
  [ESTIMATES_PATH, 'GET'],
  [HEALTH_PATH, 'GET'],
  [OPENAPI_PATH, 'GET'],
]);

const ANY_VERSION = /^\/v[1-9]\d{0,3}(?=\/)/;

/** Maps the path of a request to the path that is served (gap `version-policy`). */
export function servedPathWith(behaviour: Behaviour): (path: string) => string {
  if (behaviour['version-policy'] !== 'any-version') return (path) => path;
  return (path) => path.replace(ANY_VERSION, '/v1');
}
