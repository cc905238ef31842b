import type { SeededRandom } from '../../seeded-random.ts';
import type { Scenario } from './scenario.ts';

/** A scenario as one client meets it. */
export interface DrawnScenario extends Omit<Scenario, 'mode' | 'environment'> {
  readonly mode: 'platform' | 'user';
  readonly environment: Readonly<Record<string, string>>;
  /** Its variables that this machine has no data for; left out for none. */
  readonly lacks?: readonly string[];
}

/** Knowledge of a client about its scenario, and data that this machine lacks. */
export interface DrawOptions {
  /**
   * True to hide from a client which scenario it is in: ids and partners tell nothing, and order, pauses and
   * numbers of estimates are drawn by the seed.
   */
  readonly isBlind?: boolean | undefined;
  /** Variables of scenarios that this machine has no data for. */
  readonly lacks?: readonly string[] | undefined;
}

/** Estimates that are added at most, by the pause between two. */
const MORE_ESTIMATES = (intervalMs: number): number => (intervalMs < 500 ? 2 : 0);
/** Part by which pauses are shorter at most: so much leaves each estimate on its side of the end of a token. */
const SHORTER_PAUSES = 0.1;

/** Draws what a scenario leaves open, and what a client could know it by. */
export function drawScenario(
  scenario: Scenario,
  attempt: number,
  source: SeededRandom,
  { isBlind = false, lacks = [] }: DrawOptions,
): DrawnScenario {
  const { intervalMs, estimates } = scenario;
  const isUser = scenario.mode === 'either' ? source.next() < 0.5 : scenario.mode === 'user';
  const word = source.text(1, 'BDFGKLMNPRSTV') + source.text(5, 'abdefgiklmnoprstu');
  const missing = Object.keys(scenario.environment).filter((name) => lacks.includes(name));
  const variables = Object.entries(scenario.environment).filter(([name]) => !lacks.includes(name));
  const more = Math.floor(source.next() * (MORE_ESTIMATES(intervalMs) + 1));
  return {
    ...slower(scenario, attempt),
    mode: isUser ? 'user' : 'platform',
    environment: Object.fromEntries(
      variables.map(([name, value]) => [name, String(value).replaceAll('{word}', word)]),
    ),
    ...(missing.length > 0 && { lacks: missing }),
    ...(isBlind && {
      intervalMs: Math.ceil(intervalMs * attempt * (1 - SHORTER_PAUSES * source.next())),
      estimates: estimates + more,
    }),
  };
}

/** A scenario whose times are longer in each attempt, all alike. */
function slower(scenario: Scenario, attempt: number): Scenario {
  const { intervalMs, expiresInSeconds, timeLimitMs } = scenario;
  return {
    ...scenario,
    intervalMs: intervalMs * attempt,
    expiresInSeconds: expiresInSeconds * attempt,
    timeLimitMs: timeLimitMs * attempt,
  };
}
