/** Base requests of a check, see {@link BaseRequest}. */
export const BASE_REQUESTS = [
  'platform',
  'refresh',
  'user',
  'estimate',
  'user-estimate',
  'standalone',
] as const;

/**
 * The well-formed request that a check's own are variations of. It is sent before and after them,
 * as their baseline; a `standalone` check has none and brings its own.
 */
export type BaseRequest = (typeof BASE_REQUESTS)[number];
