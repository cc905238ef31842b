import type { ServiceRuleId } from '../interface/index.ts';

/** Name of a fault: the rule that it breaks, or `RULE_ID#form` for another way to break it. */
export type FaultId = ServiceRuleId | `${ServiceRuleId}#${string}`;
