import type { ServiceRuleId } from '../../interface/index.ts';
import type { Replacements } from './parts.ts';

/** A rule that a fault breaks along with its own, and the reason why that cannot be avoided. */
export interface Broken {
  readonly rule: ServiceRuleId;
  readonly reason: string;
}

/** One rule of the catalogue, and how the server breaks it on purpose. */
export interface Fault {
  readonly id: ServiceRuleId;
  /** The behaviour of the broken service, in a sentence. */
  readonly how: string;
  /**
   * Other rules that necessarily break with it. A rule that merely can no longer be judged is not
   * among them: a checker reports it as inconclusive. `selfcheck` verifies this.
   */
  readonly breaks: readonly Broken[];
}

/** Other rules that necessarily break with a fault, all for one reason. */
export interface SideEffects {
  readonly rules: readonly ServiceRuleId[];
  readonly reason: string;
}

/** The definition of a fault in the tables by area. */
export interface FaultDefinition {
  /** The behaviour of the broken service, in a sentence. */
  readonly how: string;
  /** The parts of the service that are broken. */
  readonly replace: Replacements;
  readonly sideEffects: SideEffects | undefined;
}

/** Defines a fault by what the broken service does, and by its broken parts. */
export function fault(
  how: string,
  replace: Replacements,
  sideEffects?: SideEffects,
): FaultDefinition {
  return { how, replace, sideEffects };
}

/** One fault for each rule of an area: of each id that starts with the area's name. */
export type FaultsOf<Area extends string> = Readonly<
  Record<Extract<ServiceRuleId, `${Area}/${string}`>, FaultDefinition>
>;
