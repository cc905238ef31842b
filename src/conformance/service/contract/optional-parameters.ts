/** Optional parameters of an estimate (interface.md, "Estimate prices"). */
export const OPTIONAL_PARAMETERS = ['imei', 'map_type', 'departure_time'] as const;

/** Optional parameter of an estimate. */
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/**
 * Ordinary values of the optional parameters.
 *
 * @param nowMs the target's time
 */
export function optionalParameters(nowMs: number): Record<OptionalParameter, string> {
  return {
    imei: '356938035643809',
    map_type: 'soso',
    departure_time: String(Math.floor(nowMs / 1000) + 3600),
  };
}
