import type { Check } from '../contract/check.ts';
import type { Observation } from '../contract/observation.ts';
import { authChecks } from './auth/checks.ts';
import { carpoolObservations } from './carpool.ts';
import { estimateChecks } from './estimate/checks.ts';
import { lifecycleChecks, lifecycleObservations } from './lifecycle/checks.ts';
import { lockChecks } from './lock.ts';
import { quotaChecks } from './quota/checks.ts';
import { recordObservations } from './record.ts';
import { signatureChecks, signatureObservations } from './signature/checks.ts';
import { tokenChecks } from './token/checks.ts';
import { tokenObservations } from './token/response.ts';

/** Every check of a service. */
export const SERVICE_CHECKS: readonly Check[] = [
  ...signatureChecks,
  ...tokenChecks,
  ...lifecycleChecks,
  ...quotaChecks,
  ...estimateChecks,
  ...authChecks,
  ...lockChecks,
];

/** Every rule that is judged over what the checks saw. */
export const SERVICE_OBSERVATIONS: readonly Observation[] = [
  ...signatureObservations,
  ...tokenObservations,
  ...lifecycleObservations,
  ...recordObservations,
  ...carpoolObservations,
];

/** Rules that the verdict on a rule depends on, and without which a violation of it stays open. */
export function rulesBehind(rule: string): readonly string[] {
  return SERVICE_CHECKS.flatMap(({ dependsOn }) => dependsOn?.[rule] ?? []);
}
