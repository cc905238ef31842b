import type { FaultForms } from '../fault.ts';
import { CARRIER_FORMS } from './carriers.ts';
import { CREDENTIAL_FORMS } from './credentials.ts';
import { ESTIMATE_FORMS } from './estimate.ts';
import { FAST_PATH_FORMS } from './fast-path.ts';
import { ACCESS_TOKEN_FORMS } from './lifecycle/access-tokens.ts';
import { REFRESH_TOKEN_FORMS } from './lifecycle/refresh-tokens.ts';
import { QUOTA_FORMS } from './quota.ts';
import { RECORD_FORMS } from './record.ts';
import { SIGNATURE_STEP_FORMS } from './signature.ts';
import { SIGNED_FORMS } from './signed.ts';
import { joined } from './tables.ts';
import { TOKEN_FORMS } from './token.ts';

const TABLES: readonly FaultForms[] = [
  CARRIER_FORMS,
  SIGNED_FORMS,
  SIGNATURE_STEP_FORMS,
  TOKEN_FORMS,
  CREDENTIAL_FORMS,
  REFRESH_TOKEN_FORMS,
  ACCESS_TOKEN_FORMS,
  QUOTA_FORMS,
  ESTIMATE_FORMS,
  RECORD_FORMS,
  FAST_PATH_FORMS,
];

/** The forms of faults besides the first of each rule. */
export const FORMS: FaultForms = joined(TABLES);
