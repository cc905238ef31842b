import type { Behaviour } from '../../interface/index.ts';
import { type EstimateAuthorization, parseEstimateAuthorization } from '../authorization.ts';
import type { Partner } from '../state/partners.ts';
import { type AuthorizationState, authorize } from './authorize.ts';
import type { QueryParameters } from './query.ts';
import { type Route, readRoute } from './route.ts';

/** The steps of an estimate request that a fault can replace, in their order. */
export interface EstimateSteps {
  /** Reads the header Authorization. */
  readonly readAuthorization: (header: string | undefined) => EstimateAuthorization;
  /** Checks partner and access_token. */
  readonly authorize: (
    authorization: EstimateAuthorization,
    state: AuthorizationState,
    nowMs: number,
  ) => Partner;
  /** Reads the route; null if no estimate exists for it. */
  readonly readRoute: (parameters: QueryParameters) => Route | null;
  /** Writes the body of the answer. */
  readonly writeRecords: (records: readonly object[]) => string;
}

/** The steps as the interface has them, with the gaps' settings. */
export function estimateSteps(behaviour: Behaviour): EstimateSteps {
  const allowsUnsigned = behaviour['user-token-platform-header'] === 'accepted';
  return {
    readAuthorization: parseEstimateAuthorization,
    authorize: (authorization, state, nowMs) =>
      authorize(authorization, state, allowsUnsigned, nowMs),
    readRoute: (parameters) => readRoute(parameters, behaviour),
    writeRecords: (records) => JSON.stringify(records),
  };
}
