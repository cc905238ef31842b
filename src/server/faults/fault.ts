import type { ServiceRuleId } from '../../interface/index.ts';
import { Refusal } from '../service/messages.ts';
import type { Replacements } from './parts.ts';

/** Name of a fault: the rule that it breaks, or `RULE_ID#place` where it is there for some requests only. */
export type FaultId = ServiceRuleId | `${ServiceRuleId}#${string}`;

/** A rule that a fault breaks along with its own, and the reason why that cannot be avoided. */
export interface Broken {
  readonly rule: ServiceRuleId;
  readonly reason: string;
}

/** One rule of the catalogue, and a way in which the server breaks it on purpose. */
export interface Fault {
  readonly id: FaultId;
  readonly rule: ServiceRuleId;
  /** The behaviour of the broken service, in a sentence. */
  readonly how: string;
  /**
   * Other rules that necessarily break with it. A rule that merely can no longer be judged is not
   * among them: a checker reports it as inconclusive. `selfcheck` verifies this.
   */
  readonly breaks: readonly Broken[];
  /** True for a fault that a check with metered partners does not detect. */
  readonly needsControl: boolean;
}

/** The definition of a fault in the tables by area: its effects, and the parts that are broken. */
export interface FaultDefinition extends Omit<Fault, 'id' | 'rule' | 'needsControl'> {
  readonly replace: Replacements;
}

/** One fault for each rule of an area: of each id that starts with the area's name. */
export type FaultsOf<Area extends string> = Readonly<
  Record<Extract<ServiceRuleId, `${Area}/${string}`>, FaultDefinition>
>;

/** Faults that are there for some requests only, by `RULE_ID#place`. */
export type PlacedFaults = Readonly<Record<`${ServiceRuleId}#${string}`, FaultDefinition>>;

/** Defines a fault by what the broken service does, and by its broken parts. */
export function fault(
  how: string,
  replace: Replacements,
  breaks: readonly Broken[] = [],
): FaultDefinition {
  return { how, replace, breaks };
}

/** Other rules that necessarily break with a fault, all for one reason. */
export function because(reason: string, ...rules: readonly ServiceRuleId[]): readonly Broken[] {
  return rules.map((rule) => ({ rule, reason }));
}

/** A step like the sound one, with another result in place of its refusal by that rule. */
export function inPlaceOfRefusal<A extends readonly unknown[], R>(
  rule: ServiceRuleId,
  step: (...args: A) => R,
  otherwise: (...args: A) => R,
): (...args: A) => R {
  return (...args) => {
    try {
      return step(...args);
    } catch (error) {
      if (error instanceof Refusal && error.detail.rule === rule) return otherwise(...args);
      throw error;
    }
  };
}
