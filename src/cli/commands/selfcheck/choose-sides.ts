import { requireKnown } from '../../flags/rule-globs.ts';
import type { ChosenSide } from './run.ts';
import { SIDES } from './sides.ts';

/**
 * Chooses the rules to break on each side.
 *
 * @param globs over rule ids; all rules if there is none
 * @throws ConfigurationError `RULE_UNKNOWN`
 */
export async function chooseSides(globs: readonly string[]): Promise<ChosenSide[]> {
  const { matcherOf } = await import('../../../conformance/index.ts');
  const sides = await Promise.all(
    Object.entries(SIDES).map(async ([name, open]) => {
      const { trials, inParallel } = await open();
      return { name: name as ChosenSide['name'], trials, inParallel };
    }),
  );
  const ids = sides.flatMap(({ trials }) => trials.map(({ rule }) => rule.id));
  requireKnown('--rule', globs, ids, (glob, id) => matcherOf(glob)(id));
  const isChosen = (id: string): boolean =>
    globs.length === 0 || globs.some((glob) => matcherOf(glob)(id));
  return sides.map(({ name, trials, inParallel }) => ({
    name,
    inParallel,
    trials: trials.filter(({ rule }) => isChosen(rule.id)),
  }));
}
