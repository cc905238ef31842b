import type { EstimateState } from './estimate/estimate-endpoint.ts';
import type { AuthCodes } from './state/auth-codes.ts';

/** The state of a service, made once. The endpoints, the control API and the fast path share it. */
export interface ServiceState extends EstimateState {
  readonly authCodes: AuthCodes;
}
