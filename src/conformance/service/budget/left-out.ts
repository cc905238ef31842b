import { type Check, describeBase, type RunsOn } from '../contract/check.ts';
import type { PlannedBatch, SpendPlan } from './planner.ts';

/** Further parts of a rule that no allowance was left for. */
export interface LeftOut {
  readonly rule: string;
  /** Number of parts that are left out, and of all. */
  readonly parts: number;
  readonly of: number;
  /** Carriers on which nothing of the rule is sent, in words. */
  readonly carriers: readonly string[];
}

/** Parts of judged rules that a plan leaves out. */
export function leftOutOf({ batches, unplanned }: SpendPlan): LeftOut[] {
  const planned = batches.flatMap((batch) => batch.checks.map((check) => ({ check, batch })));
  const missing = unplanned.map(({ check }) => check).filter(({ rank }) => rank !== undefined);
  const rules = new Set(missing.flatMap((check) => check.rules));
  return [...rules].map((rule) => {
    const own = planned.filter(({ check }) => check.rules.includes(rule));
    const left = missing.filter((check) => check.rules.includes(rule));
    const sent = own.filter(({ check }) => check.rank !== undefined).length;
    const tried = new Set(own.map(({ batch }) => wordsOf(batch)));
    const carriers = new Set(left.flatMap(carriersOf).map(wordsOf));
    const untried = [...carriers].filter((words) => !tried.has(words));
    return { rule, parts: left.length, of: left.length + sent, carriers: untried };
  });
}

const carriersOf = ({ carriers, baseRequest, setting = {} }: Check): readonly RunsOn[] =>
  carriers ?? [{ baseRequest, setting }];

/** A scope changes no carrier: its requests share the baseline of those without one. */
const wordsOf = ({ baseRequest, setting }: RunsOn | PlannedBatch): string =>
  describeBase(baseRequest, { ...setting, withScope: undefined });
