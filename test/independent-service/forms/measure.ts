import { rulesBehind } from '../../../src/conformance/index.ts';
import type { Chance } from '../chance.ts';
import { judgeControlled, judgeMetered } from '../judge.ts';
import { STYLES } from '../style.ts';

/** Target with a control API, or with metered partners only. */
export type Mode = 'control' | 'metered';

/** Result of a run on a service that breaks one rule in one form. */
export interface Measured {
  /** Verdict on the rule of the form. */
  readonly verdict: string;
  /** Other rules with a fail or a warning. */
  readonly accused: readonly string[];
}

const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

/** Judges a service that breaks one rule in one form, by that rule and those it depends on, or by all rules. */
export async function measure(
  form: string,
  mode: Mode,
  by: 'own' | 'all',
  chance?: Chance,
): Promise<Measured> {
  const [plain] = STYLES;
  const [rule = ''] = form.split('#');
  const run = by === 'own' ? { only: [rule, ...rulesBehind(rule)], probesGaps: false } : {};
  const { rules } =
    mode === 'control'
      ? await judgeControlled(plain!, [form], run, undefined, chance)
      : (await judgeMetered(plain!, [form], SIX, run, undefined, chance)).result;
  const fallen = rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  return {
    verdict: rules.find(({ id }) => id === rule)?.verdict ?? 'no such rule',
    accused: fallen.map(({ id }) => id).filter((id) => id !== rule),
  };
}

/** True if the rule of the form turned red. */
export function isDetected({ verdict }: Measured): boolean {
  return verdict === 'fail' || verdict === 'warn';
}
