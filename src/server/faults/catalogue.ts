import { SERVICE_RULES, type ServiceRuleId } from '../../interface/index.ts';
import { AUTH_FAULTS } from './auth.ts';
import { ESTIMATE_FAULTS } from './estimate.ts';
import type { Fault, FaultDefinition } from './fault.ts';
import { LIFECYCLE_FAULTS } from './lifecycle.ts';
import { type ReplacePart, replaceWith } from './parts.ts';
import { QUOTA_FAULTS } from './quota.ts';
import { RECORD_FAULTS } from './record.ts';
import { SIGNATURE_FAULTS } from './signature.ts';
import { TOKEN_FAULTS } from './token.ts';

const DEFINITIONS: Readonly<Record<ServiceRuleId, FaultDefinition>> = {
  ...SIGNATURE_FAULTS,
  ...TOKEN_FAULTS,
  ...LIFECYCLE_FAULTS,
  ...QUOTA_FAULTS,
  ...ESTIMATE_FAULTS,
  ...AUTH_FAULTS,
  ...RECORD_FAULTS,
};

/** One fault for each service rule, in the order of the catalogue: the rules that `serve --fault` can break. */
export const FAULTS: readonly Fault[] = SERVICE_RULES.map(({ id }) => {
  const { how, breaks } = DEFINITIONS[id];
  return { id, how, breaks };
});

/** Replaces the parts of a service that keep those rules. */
export function breaking(rules: readonly ServiceRuleId[]): ReplacePart {
  // In the order of the catalogue, so that the order of the flags makes no difference.
  const broken = SERVICE_RULES.filter(({ id }) => rules.includes(id));
  return replaceWith(broken.map(({ id }) => DEFINITIONS[id].replace));
}
