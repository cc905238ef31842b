import type { Explored as ExploredDocument } from '../../../documents/explored.ts';
import type { TimedOptions } from '../options.ts';
import type { TargetRun } from '../runner/target-run.ts';
import { type Explored, explore, type Find } from './explore.ts';

/** Outcome of exploring the targets of a run. */
export interface ExploredTargets {
  readonly document: ExploredDocument;
  readonly finds: readonly Find[];
}

/** Share of the time for the first target, where there is a second one in the test environment. */
const FIRST_SHARE = 0.75;

const METERED =
  'exploring needs fresh partners, which the control API of a target makes: those of a profile have allowances';

/** Explores the targets of a run, one after the other; undefined where that is not asked for. */
export async function exploreTargets(
  targets: readonly TargetRun[],
  seed: number,
  selected: ReadonlySet<string>,
  { exploreSeconds, exploredBefore = [], onExplored, clock, signal }: TimedOptions,
): Promise<ExploredTargets | undefined> {
  if (exploreSeconds === undefined) return undefined;
  const forMs = exploreSeconds * 1000;
  const startMs = clock.monotonicNs() / 1e6;
  const passedMs = (): number => clock.monotonicNs() / 1e6 - startMs;
  const free = targets.filter(({ client }) => client.facts.hasControl && !client.facts.metered);
  const all: Explored[] = [];
  for (const [at, { client }] of free.entries()) {
    const untilMs = at === 0 && free.length > 1 ? FIRST_SHARE * forMs : forMs;
    const goesOn = (): boolean => passedMs() < untilMs && signal?.aborted !== true;
    const before = all.reduce((sum, { steps }) => sum + steps, 0);
    try {
      const explored = await explore(client, {
        seed: seed + at,
        goesOn,
        cases: at === 0 ? exploredBefore : [],
        isAsked: (rule) => selected.has(rule),
        onWalk: (steps, finds) =>
          onExplored?.({
            steps: before + steps,
            finds,
            perSecond: (1000 * (before + steps)) / Math.max(1, passedMs()),
          }),
      });
      all.push(explored);
    } catch (error) {
      // What was found before an interruption stays found.
      if (signal?.aborted !== true) throw error;
    } finally {
      await client.clock.reset();
    }
  }
  const finds = all.flatMap((one) => one.finds);
  const first = finds.filter(({ rule }, at) => finds.findIndex((one) => one.rule === rule) === at);
  return { document: documentOf(all, first, seed, passedMs(), free.length > 0), finds: first };
}

const summed = (all: readonly Readonly<Record<string, number>>[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const [name, count] of all.flatMap((one) => Object.entries(one)))
    sums[name] = (sums[name] ?? 0) + count;
  return sums;
};

function documentOf(
  all: readonly Explored[],
  finds: readonly Find[],
  seed: number,
  passedMs: number,
  isExplored: boolean,
): ExploredDocument {
  const sum = (of: (one: Explored) => number): number => all.reduce((so, one) => so + of(one), 0);
  return {
    seed,
    seconds: Math.round(passedMs / 100) / 10,
    walks: sum(({ walks }) => walks),
    steps: sum(({ steps }) => steps),
    requests: sum(({ requests }) => requests),
    actions: summed(all.map(({ actions }) => actions)),
    expected: summed(all.map(({ expected }) => expected)),
    open: summed(all.map(({ open }) => open)),
    unconfirmed: sum(({ unconfirmed }) => unconfirmed),
    ...(isExplored ? {} : { notExplored: METERED }),
    finds: finds.map(({ rule, reason, words, walk, name, exchanges }) => ({
      rule,
      reason,
      words,
      walk,
      file: `cases/${name}.json`,
      exchanges,
    })),
  };
}
