import type { ServiceRuleId } from '../../interface/index.ts';

/** A rule that turns red with another, and why it cannot be helped. */
export interface Broken {
  readonly rule: ServiceRuleId;
  readonly reason: string;
}

/** One rule of the catalogue, and how the server breaks it on purpose. */
export interface Fault {
  readonly id: ServiceRuleId;
  /** What the broken service does, in a sentence. */
  readonly how: string;
  /**
   * Other rules that break with it by necessity. One that can no longer be judged is none of them: a
   * checker says so, and does not accuse. `selfcheck` holds it to that.
   */
  readonly breaks: readonly Broken[];
}

/** A fault without its id, as the tables by area hold it. */
export type FaultText = Omit<Fault, 'id'>;

/** A fault that breaks its own rule and no other. */
export function alone(how: string): FaultText {
  return { how, breaks: [] };
}

/** A fault with which those other rules break, all for one reason. */
export function along(how: string, reason: string, rules: readonly ServiceRuleId[]): FaultText {
  return { how, breaks: rules.map((rule) => ({ rule, reason })) };
}
