import type { ScenarioResult } from '../../documents/scenario.ts';

/** Why a scenario has its verdict, and what the client did not do; empty where there is nothing. */
export function scenarioReason({ reason, missing }: ScenarioResult): string {
  return [...(reason === undefined ? [] : [reason]), ...missing].join('; ');
}
