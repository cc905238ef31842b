import { type ClientCheck, everyRequest, quoted } from './check.ts';

/** Paths of all requests (interface.md, "Versioning"). */
export const PATH_CHECKS: readonly ClientCheck[] = [
  everyRequest('client/path-version', {
    of: ({ requests }) => requests.filter(({ kind }) => kind !== 'malformed'),
    noun: 'request',
    expected: 'a path below /v1/',
    passed: 'every path starts with /v1/',
    fault: ({ path }) => (path.startsWith('/v1/') ? null : `the path ${quoted(path)}`),
  }),
];
