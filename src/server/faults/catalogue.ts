import { ConfigurationError, SERVICE_RULES } from '../../interface/index.ts';
import { suggest } from '../../interface/suggestion.ts';
import type { Clock } from '../service/clock.ts';
import { FAULT_OF_RULE, PLACED_FAULTS } from './all.ts';
import type { Fault, FaultDefinition, FaultId } from './fault.ts';
import { NEEDS_CONTROL } from './needs-control.ts';
import { intact, type ReplacePart, replaceWith, type ServiceParts } from './parts.ts';
import { RequestInHand } from './request-in-hand.ts';

const PLACED = Object.entries(PLACED_FAULTS) as [FaultId, FaultDefinition][];

/** Definitions in the order of the catalogue, those at places after the rule's own. */
const DEFINITIONS: ReadonlyMap<FaultId, FaultDefinition> = new Map(
  SERVICE_RULES.flatMap(({ id }): [FaultId, FaultDefinition][] => [
    [id, FAULT_OF_RULE[id]],
    ...PLACED.filter(([placed]) => placed.startsWith(`${id}#`)),
  ]),
);

/**
 * The faults of a server: one for each service rule, followed by the same one at one place
 * only, `RULE_ID#place`, in the order of the catalogue.
 */
export const FAULTS: readonly Fault[] = SERVICE_RULES.flatMap(({ id: rule }) =>
  [...DEFINITIONS]
    .filter(([id]) => id === rule || id.startsWith(`${rule}#`))
    .map(([id, { how, breaks }]) => ({
      id,
      rule,
      how,
      breaks,
      needsControl: NEEDS_CONTROL.includes(id),
    })),
);

/**
 * Replaces the parts of a service that keep those rules.
 *
 * @param clock by which those wait that answer late
 * @throws ConfigurationError `FAULT_UNKNOWN`
 */
export function breaking(faults: readonly FaultId[], clock?: Pick<Clock, 'sleep'>): ReplacePart {
  const unknown = faults.find((id) => !DEFINITIONS.has(id));
  if (unknown !== undefined) throw unknownFault(unknown);
  if (faults.length === 0) return intact;
  // In the order of the catalogue, so that the order of the flags makes no difference.
  const broken = [...DEFINITIONS].filter(([id]) => faults.includes(id));
  const inHand = new RequestInHand(clock);
  return replaceWith(
    [
      {
        partners: (partners) => inHand.keep(partners),
        tokens: (tokens) => inHand.watch(tokens),
      },
      ...broken.map(([, { replace }]) => replace),
      {
        answerToken: (answer) => (request) => answer(inHand.take('token', request)),
        answerEstimate: (answer) => (request) => answer(inHand.take('estimate', request)),
      },
    ],
    inHand,
  );
}

/** Parts that estimates do not work with, or by way of the shared state only, and the fast path's own. */
const APART: ReadonlySet<string> = new Set<keyof ServiceParts>([
  'fastPath',
  'identify',
  'parseBody',
  'readGrantType',
  'readGrant',
  'refuseStale',
  'entitle',
  'writeToken',
  'answerToken',
  'tokenSigner',
  'freshnessLimits',
  'allowanceRules',
  'allowances',
  'estimateLocks',
  'accessTokenLifetimeMs',
]);

/** Checks whether the fast path answers as the service does with those faults. */
export function leaveFastPath(faults: readonly FaultId[]): boolean {
  return faults.every((id) =>
    Object.keys(DEFINITIONS.get(id)?.replace ?? {}).every((part) => APART.has(part)),
  );
}

/** True for a fault of the fast path only, which answers on sockets. */
export function isOnFastPath(fault: FaultId): boolean {
  return Object.keys(DEFINITIONS.get(fault)?.replace ?? {}).every((part) => part === 'fastPath');
}

function unknownFault(id: string): ConfigurationError {
  const hint = suggest(id, [...DEFINITIONS.keys()], 'see the list of faults.');
  return new ConfigurationError('FAULT_UNKNOWN', `there is no fault "${id}"; ${hint}`, {
    field: 'fault',
  });
}
