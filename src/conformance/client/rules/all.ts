import { CLIENT_RULES } from '../../../interface/catalogue.ts';
import type { ClientCheck } from './check.ts';
import { ESTIMATE_CHECKS } from './estimate.ts';
import { lostAnswerCheck } from './lost-answer.ts';
import { QUOTA_CHECKS } from './quota.ts';
import { REFRESH_CHECKS } from './refresh.ts';
import { RESILIENCE_CHECKS } from './resilience.ts';
import { SIGNATURE_CHECKS } from './signature.ts';
import { TOKEN_FIELD_CHECKS } from './token-fields.ts';
import { TOKEN_LIFE_CHECKS } from './token-life.ts';
import { TOKEN_REQUEST_CHECKS } from './token-request.ts';

const BESIDE_LOST_ANSWER: readonly ClientCheck[] = [
  ...ESTIMATE_CHECKS,
  ...TOKEN_REQUEST_CHECKS,
  ...SIGNATURE_CHECKS,
  ...TOKEN_FIELD_CHECKS,
  ...QUOTA_CHECKS,
  ...TOKEN_LIFE_CHECKS,
  ...REFRESH_CHECKS,
  ...RESILIENCE_CHECKS,
];

const UNORDERED: readonly ClientCheck[] = [
  ...BESIDE_LOST_ANSWER,
  // Counts go on rising whatever was lost.
  lostAnswerCheck(BESIDE_LOST_ANSWER.filter(({ rule }) => !rule.startsWith('client/quota-'))),
];

/** A check for each client rule of the catalogue, in its order. */
export const CLIENT_CHECKS: readonly ClientCheck[] = CLIENT_RULES.flatMap(({ id }) =>
  UNORDERED.filter(({ rule }) => rule === id),
);
