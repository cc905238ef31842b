import type { Explored } from '../../src/conformance/service/explore/explore.ts';
import { exploreSecond } from '../conformance/service/explore/client.ts';
import { Chance } from '../independent-service/chance.ts';
import { styleWith } from '../independent-service/odd-styles.ts';
import { drawBroken, drawStyles } from './plan.ts';
import {
  heldOf,
  type Invariants,
  judge,
  NOTHING,
  type Plan,
  type WorldKind,
  without,
} from './world-kind.ts';

/** World in which a service is explored, as its seed draws it. */
interface ExplorePlan extends Plan {
  readonly styles: readonly string[];
  /** Form of a broken rule; null for a sound service. */
  readonly broken: string | null;
  readonly steps: number;
}

interface ExploreHistory {
  readonly plan: ExplorePlan;
  readonly explored: Explored;
}

/** Requests that shrinking a walk may cost (design, "Exploring"). */
const MOST_TO_SHRINK = 300;

const ruleOf = (broken: string): string => broken.split('#')[0]!;

const INVARIANTS: Invariants<ExploreHistory> = {
  'a sound service is not accused': ({ plan, explored: { finds } }) =>
    plan.broken === null
      ? heldOf([finds.map(({ rule, words }) => `${rule}: ${words.join(' ')}`)])
      : NOTHING,

  'a walk is shrunk by few requests': ({ explored: { finds } }) =>
    heldOf(
      finds.map(({ rule, shrunkBy }) =>
        shrunkBy > MOST_TO_SHRINK ? [`${rule}: ${shrunkBy} requests`] : [],
      ),
    ),

  'the last step is the only surprise of its walk': ({ explored: { finds } }) =>
    heldOf(
      finds.map(({ rule, words }) =>
        words.filter((step) => step.includes(': the service ')).length > 1
          ? [`${rule}: ${words.join(' ')}`]
          : [],
      ),
    ),
};

async function explorePlan(plan: ExplorePlan) {
  const { styles, broken, seed, steps } = plan;
  const until = broken === null ? undefined : ruleOf(broken);
  const style = { ...styleWith(styles), name: styles.join(', ') || 'plain' };
  const explored = await exploreSecond(style, broken === null ? [] : [broken], seed, steps, until);
  const isFound = explored.finds.some(({ rule }) => rule === until);
  const met = {
    ...(broken === null ? {} : { [isFound ? 'broken, its rule fails' : 'broken, missed']: 1 }),
    ...(explored.unconfirmed > 0 ? { 'a surprise that proves nothing': 1 } : {}),
  };
  return { met, ...(await judge(INVARIANTS, { plan, explored })) };
}

/** Worlds in which a service is explored. */
export const EXPLORE_WORLDS: WorldKind<ExplorePlan> = {
  draw: (seed) => {
    const chance = new Chance(Math.imul(seed, 0xc2b2ae35));
    for (let at = 0; at < 4; at++) chance.draw();
    const broken = drawBroken(chance);
    return { seed, styles: drawStyles(chance), broken, steps: 300 };
  },

  run: async (plan) => {
    const occasions = { 'exploring ends with a result': 1 };
    try {
      const { met, ...judged } = await explorePlan(plan);
      return { plan, met, ...judged, occasions: { ...occasions, ...judged.occasions } };
    } catch (error) {
      const what = String((error as Error).stack);
      return {
        plan,
        met: {},
        occasions,
        breaches: [{ invariant: 'exploring ends with a result', what }],
      };
    }
  },

  smaller: (plan) => [
    ...without(plan.styles).map((styles) => ({ ...plan, styles })),
    ...(plan.steps > 40 ? [{ ...plan, steps: Math.floor(plan.steps / 2) }] : []),
  ],
};
