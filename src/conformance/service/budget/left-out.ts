import type { ConformanceDocument } from '../../../documents/conformance.ts';
import { type Check, describePlace, isFurther, type Setting } from '../contract/check.ts';
import type { PlannedBatch } from './planner.ts';

/** Further parts of a rule that no allowance, request or time was left for. */
export type LeftOut = NonNullable<ConformanceDocument['leftOut']>[number];

/** Checks that were sent on one base request. */
type SentBatch = Pick<PlannedBatch, 'baseRequest' | 'checks'> & {
  readonly setting?: Setting | undefined;
};

/** Parts of judged rules that were not sent, beside those that were. */
export function leftOutOf(batches: readonly SentBatch[], unsent: readonly Check[]): LeftOut[] {
  const planned = batches.flatMap((batch) => batch.checks.map((check) => ({ check, batch })));
  const missing = unsent.filter(isFurther);
  const rules = new Set(missing.flatMap((check) => check.rules));
  return [...rules].map((rule) => {
    const own = planned.filter(({ check }) => check.rules.includes(rule));
    const left = missing.filter((check) => check.rules.includes(rule));
    const sent = own.filter(({ check }) => isFurther(check)).length;
    const tried = new Set(own.map(({ batch }) => wordsOf(batch)));
    const carriers = new Set(left.flatMap(({ places }) => places.map(wordsOf)));
    const untried = [...carriers].filter((words) => !tried.has(words));
    return { rule, parts: left.length, of: left.length + sent, carriers: untried };
  });
}

/** A scope changes no carrier: its requests share the baseline of those without one. */
const wordsOf = ({ baseRequest, setting }: Pick<SentBatch, 'baseRequest' | 'setting'>): string =>
  describePlace({ baseRequest, setting: { ...setting, withScope: undefined } });
