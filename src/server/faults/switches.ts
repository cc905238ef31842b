import type { ServiceRuleId } from '../../interface/index.ts';
import { SERVICE_RULES } from '../../interface/index.ts';

/**
 * Which rules are broken on purpose. Resolved once when the server starts; a seam reads its own
 * switch where the rule is kept, and costs nothing to speak of when it is off.
 */
export type FaultSwitches = Readonly<Record<ServiceRuleId, boolean>>;

/** The switches with those rules broken and every other one kept. */
export function switchFaults(broken: readonly ServiceRuleId[]): FaultSwitches {
  return Object.fromEntries(
    SERVICE_RULES.map(({ id }) => [id, broken.includes(id)]),
  ) as FaultSwitches;
}
