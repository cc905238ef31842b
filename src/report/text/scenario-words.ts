import type { ScenarioResult } from '../../documents/scenario.ts';

/**
 * Reason of a scenario's verdict, and the missing requests of the client; empty if there is
 * neither.
 */
export function scenarioReason({ reason, missing }: ScenarioResult): string {
  return [...(reason === undefined ? [] : [reason]), ...missing].join('; ');
}
