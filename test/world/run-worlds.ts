import { CHECK_WORLDS } from './check-worlds.ts';
import { CLIENT_WORLDS } from './client-worlds.ts';
import { EXPLORE_WORLDS } from './explore-worlds.ts';
import { LOAD_WORLDS } from './load-worlds.ts';
import type { Outcome, Plan, WorldKind } from './world-kind.ts';

/** Kinds of world, by name. */
export const KINDS: Readonly<Record<string, WorldKind<Plan>>> = {
  check: CHECK_WORLDS,
  client: CLIENT_WORLDS,
  explore: EXPLORE_WORLDS,
  load: LOAD_WORLDS,
};

/** Outcome of a world of a kind, and the smallest one found that breaks the same invariant. */
export interface Row extends Outcome {
  readonly kind: string;
  readonly smaller?: Plan;
}

/**
 * Lets worlds of a kind happen one after the other, by the seeds from one on.
 *
 * @param isOver called with the number of worlds so far
 * @param note takes each as it ends
 * @returns those that broke an invariant
 */
export async function runWorlds(
  name: string,
  from: number,
  isOver: (count: number) => boolean,
  note: (row: Row) => void = () => undefined,
): Promise<readonly Row[]> {
  const kind = KINDS[name]!;
  const broken: Row[] = [];
  for (let count = 0; !isOver(count); count++) {
    const outcome = await kind.run(kind.draw(from + count));
    const isBroken = outcome.breaches.length > 0;
    const more = isBroken ? { smaller: (await smallest(kind, outcome)).plan } : {};
    const row = { kind: name, ...outcome, ...more };
    if (isBroken) broken.push(row);
    note(row);
  }
  return broken;
}

/** Worlds that are tried to find a smaller one, at most. */
const MOST_TRIED = 60;
/** Real time for that, ms: a run that hangs takes a minute to be told. */
const MOST_TRIED_MS = 120_000;

/** The smallest world found that breaks an invariant which this one breaks. */
async function smallest(kind: WorldKind<Plan>, outcome: Outcome): Promise<Outcome> {
  const wanted = new Set(outcome.breaches.map(({ invariant }) => invariant));
  const endMs = performance.now() + MOST_TRIED_MS;
  let best = outcome;
  let tried = 0;
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (const plan of kind.smaller(best.plan)) {
      if (++tried > MOST_TRIED || performance.now() > endMs) return best;
      const one = await kind.run(plan);
      if (!one.breaches.some(({ invariant }) => wanted.has(invariant))) continue;
      best = one;
      isBetter = true;
      break;
    }
  }
  return best;
}
