import type { ServiceRuleId } from '../../interface/index.ts';
import { AUTH_FAULTS } from './auth.ts';
import { ESTIMATE_FAULTS } from './estimate.ts';
import { FAST_PATH_FAULTS } from './fast-path.ts';
import type { FaultDefinition, PlacedFaults } from './fault.ts';
import { LIFECYCLE_FAULTS } from './lifecycle.ts';
import { placed } from './places.ts';
import { QUOTA_FAULTS } from './quota.ts';
import { RECORD_FAULTS } from './record.ts';
import { SIGNATURE_FAULTS } from './signature.ts';
import { TOKEN_FAULTS } from './token.ts';

/** One fault for each service rule. */
export const FAULT_OF_RULE: Readonly<Record<ServiceRuleId, FaultDefinition>> = {
  ...SIGNATURE_FAULTS,
  ...TOKEN_FAULTS,
  ...LIFECYCLE_FAULTS,
  ...QUOTA_FAULTS,
  ...ESTIMATE_FAULTS,
  ...AUTH_FAULTS,
  ...RECORD_FAULTS,
};

/** The same faults at one place only: for some requests, or on the fast path. */
export const PLACED_FAULTS: PlacedFaults = { ...placed(FAULT_OF_RULE), ...FAST_PATH_FAULTS };
