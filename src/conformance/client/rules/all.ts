import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import type { ClientCheck } from './check.ts';
import { ESTIMATE_CHECKS } from './estimate.ts';
import { BAN_CHECKS, QUOTA_CHECKS } from './quota.ts';
import { judgeLoss, RESILIENCE_CHECKS } from './resilience.ts';
import { RETRY_CHECKS } from './retries.ts';
import { REFRESH_CHECKS, USER_TOKEN_CHECKS } from './rotation.ts';
import { SECRET_CHECKS } from './secrets.ts';
import { SIGNATURE_CHECKS } from './signature.ts';
import { TOKEN_EXPIRY_CHECKS, TOKEN_REUSE_CHECKS } from './token-life.ts';
import { PATH_CHECKS, TOKEN_FIELD_CHECKS, TOKEN_REQUEST_CHECKS } from './token-request.ts';

/** Checks of each request by itself. */
export const FORM_CHECKS: readonly ClientCheck[] = [
  ...PATH_CHECKS,
  ...ESTIMATE_CHECKS,
  ...TOKEN_REQUEST_CHECKS,
  ...SIGNATURE_CHECKS,
  ...TOKEN_FIELD_CHECKS,
];

/** Checks whose violations may follow from a lost answer. */
const AFFECTED_BY_LOSS: readonly ClientCheck[] = [
  ...BAN_CHECKS,
  ...TOKEN_REUSE_CHECKS,
  ...TOKEN_EXPIRY_CHECKS,
  ...USER_TOKEN_CHECKS,
  ...REFRESH_CHECKS,
  ...RESILIENCE_CHECKS,
];

const ALL: readonly ClientCheck[] = [
  ...FORM_CHECKS,
  ...AFFECTED_BY_LOSS,
  ...QUOTA_CHECKS,
  ...SECRET_CHECKS,
  ...RETRY_CHECKS,
  { rule: 'client/lost-answer-handled', judge: (of) => judgeLoss(of, AFFECTED_BY_LOSS) },
];

/** A check for each client rule, in the order of the catalogue. */
export const CLIENT_CHECKS: readonly ClientCheck[] = CLIENT_RULES.flatMap(({ id }) =>
  ALL.filter(({ rule }) => rule === id),
);
