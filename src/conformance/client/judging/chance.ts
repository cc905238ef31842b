import { GRACE_MS } from '../traffic/request-fields.ts';
import type { RecordOutcome } from './rule-result.ts';

/**
 * Leaves out the violations of a scenario that a machine short of time may have caused, if the scenario's
 * own server was held up too: the rule cannot be judged by it. By an attempt that was repeated, no rule is
 * passed.
 */
export function unlessHeldUp(one: RecordOutcome): RecordOutcome {
  const { record, outcome } = one;
  const heldUpMs = record.frame?.heldUpMs ?? 0;
  const violations = outcome.violations.filter(({ mayBeChance }) => !mayBeChance);
  if (record.isRepeated) {
    return { record, outcome: { ...outcome, violations, judged: [], missing: 'it was repeated' } };
  }
  if (heldUpMs < GRACE_MS || violations.length === outcome.violations.length) return one;
  const missing = `this machine held up the scenario for ${heldUpMs} ms; repeat it when the machine is less busy`;
  return { record, outcome: { ...outcome, violations, judged: [], missing } };
}

/**
 * Leaves out the violation that a machine short of time may have caused, if it is the only one of its rule
 * and the only such one in the whole certification: a client that is wrong shows it again.
 */
export function withOneExcused(
  outcomes: ReadonlyMap<string, readonly RecordOutcome[]>,
): ReadonlyMap<string, readonly RecordOutcome[]> {
  const violationsOf = (of: readonly RecordOutcome[]) =>
    of.flatMap(({ outcome }) => outcome.violations);
  const byChance = violationsOf([...outcomes.values()].flat()).filter(
    ({ mayBeChance }) => mayBeChance,
  );
  const [excused] = byChance;
  if (excused === undefined || byChance.length > 1) return outcomes;
  return new Map(
    Array.from(outcomes, ([rule, of]) => {
      const violations = violationsOf(of);
      if (violations.length > 1 || violations[0] !== excused) return [rule, of];
      return [rule, of.map((one) => ({ ...one, outcome: { ...one.outcome, violations: [] } }))];
    }),
  );
}
