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
 * The well-formed request that the requests of a check vary. It is sent before and after them, as
 * their baseline; a `standalone` check has no baseline and sends its own comparison.
 */
export type BaseRequest = (typeof BASE_REQUESTS)[number];
