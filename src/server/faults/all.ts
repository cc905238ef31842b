import type { ServiceRuleId } from '../../interface/index.ts';
import { AUTH_FAULTS, AUTH_FORMS } from './auth.ts';
import { ESTIMATE_FORMS } from './estimate/forms.ts';
import { ESTIMATE_FAULTS } from './estimate/rules.ts';
import { FAST_PATH_FORMS } from './fast-path.ts';
import type { FaultDefinition, FaultForms } from './fault.ts';
import { ACCESS_TOKEN_FORMS } from './lifecycle/access-tokens.ts';
import { REFRESH_TOKEN_FORMS } from './lifecycle/refresh-tokens.ts';
import { LIFECYCLE_FAULTS } from './lifecycle/rules.ts';
import { placed } from './places.ts';
import { QUOTA_FAULTS, QUOTA_FORMS } from './quota.ts';
import { RECORD_FORMS } from './record/forms.ts';
import { RECORD_FAULTS } from './record/rules.ts';
import { SIGNATURE_FAULTS } from './signature/rules.ts';
import { SIGNED_FORMS } from './signature/signed.ts';
import { SIGNATURE_STEP_FORMS } from './signature/steps.ts';
import { joined } from './tables.ts';
import { CREDENTIAL_FORMS } from './token/credentials.ts';
import { TOKEN_FORMS } from './token/forms.ts';
import { TOKEN_FAULTS } from './token/rules.ts';

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

/** The forms of faults besides the first of each rule. */
export const FORMS: FaultForms = joined([
  placed(FAULT_OF_RULE, (place) => place !== 'one-in-five'),
  SIGNED_FORMS,
  SIGNATURE_STEP_FORMS,
  TOKEN_FORMS,
  CREDENTIAL_FORMS,
  AUTH_FORMS,
  REFRESH_TOKEN_FORMS,
  ACCESS_TOKEN_FORMS,
  QUOTA_FORMS,
  ESTIMATE_FORMS,
  RECORD_FORMS,
  placed(FAULT_OF_RULE, (place) => place === 'one-in-five'),
  FAST_PATH_FORMS,
]);
