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

/** Judges a service that breaks one rule in one form, by all rules. */
export async function measure(form: string, mode: Mode, chance?: Chance): Promise<Measured> {
  const [plain] = STYLES;
  const { rules } =
    mode === 'control'
      ? await judgeControlled(plain!, [form], {}, undefined, chance)
      : (await judgeMetered(plain!, [form], SIX, {}, undefined, chance)).result;
  const [rule] = form.split('#');
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
