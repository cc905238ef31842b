import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import type { ClientCheck } from './check.ts';
import { ESTIMATE_CHECKS } from './estimate.ts';
import { judgeBan, QUOTA_CHECKS } from './quota.ts';
import { judgeLoss, RESILIENCE_CHECKS } from './resilience.ts';
import { judgePace } from './retries.ts';
import { judgeNewestRefresh, judgeNewestUserToken, judgeSingleUse } from './rotation.ts';
import { SECRET_CHECKS } from './secrets.ts';
import { judgeSignatures } from './signature.ts';
import { judgeExpiry, judgeReplacement, judgeReuse } from './token-life.ts';
import { PATH_CHECKS, TOKEN_FIELD_CHECKS, TOKEN_REQUEST_CHECKS } from './token-request.ts';

/** Checks of each request by itself. */
export const FORM_CHECKS: readonly ClientCheck[] = [
  ...PATH_CHECKS,
  ...ESTIMATE_CHECKS,
  ...TOKEN_REQUEST_CHECKS,
  { rule: 'client/signature', judge: judgeSignatures },
  ...TOKEN_FIELD_CHECKS,
];

/** Checks whose violations may follow from a lost answer. */
const AFFECTED_BY_LOSS: readonly ClientCheck[] = [
  { rule: 'client/ban-respected', judge: judgeBan },
  { rule: 'client/token-reused', judge: judgeReuse },
  { rule: 'client/expiry-respected', judge: judgeExpiry },
  { rule: 'client/expired-refreshed', judge: judgeReplacement },
  { rule: 'client/user-token-newest', judge: judgeNewestUserToken },
  { rule: 'client/refresh-single-use', judge: judgeSingleUse },
  { rule: 'client/refresh-newest', judge: judgeNewestRefresh },
  ...RESILIENCE_CHECKS,
];

const ALL: readonly ClientCheck[] = [
  ...FORM_CHECKS,
  ...AFFECTED_BY_LOSS,
  ...QUOTA_CHECKS,
  ...SECRET_CHECKS,
  { rule: 'client/retry-paced', judge: judgePace },
  { rule: 'client/lost-answer-handled', judge: (of) => judgeLoss(of, AFFECTED_BY_LOSS) },
];

/** A check for each client rule, in the order of the catalogue. */
export const CLIENT_CHECKS: readonly ClientCheck[] = CLIENT_RULES.flatMap(({ id }) =>
  ALL.filter(({ rule }) => rule === id),
);
