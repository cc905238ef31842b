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

/** The definition of a fault in the tables by area. */
export interface FaultDefinition {
  /** The behaviour of the broken service, in a sentence. */
  readonly how: string;
  /** Other rules that necessarily break with it. */
  readonly breaks?: { readonly rules: readonly ServiceRuleId[]; readonly reason: string };
  /** The parts of the service that are broken. */
  readonly replace: Replacements;
}

/** One fault for each rule of an area: of each id that starts with the area's name. */
export type FaultsOf<Area extends string> = Readonly<
  Record<Extract<ServiceRuleId, `${Area}/${string}`>, FaultDefinition>
>;
