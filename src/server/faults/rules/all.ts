import type { ServiceRuleId } from '../../../interface/index.ts';
import type { FaultDefinition } from '../fault.ts';
import { AUTH_FAULTS } from './auth.ts';
import { ESTIMATE_FAULTS } from './estimate.ts';
import { LIFECYCLE_FAULTS } from './lifecycle.ts';
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
