import type { Explored as ExploredDocument } from '../../../documents/explored.ts';
import type { TimedOptions } from '../options.ts';
import { unlessStopped } from '../runner/batch.ts';
import type { TargetRun } from '../runner/target-run.ts';
import { explore, type Find, nothingExplored } from './explore.ts';
import { holdTokens } from './hold-tokens.ts';

/** Outcome of exploring the targets of a run. */
export interface ExploredTargets {
  readonly document: ExploredDocument;
  readonly finds: readonly Find[];
}

/** Share of the time for the first target, where there is a second one in the test environment. */
const FIRST_SHARE = 0.75;

const NO_TOKEN =
  'exploring needs fresh partners, which a control API makes where no cap is set, or a platform token request that a partner of the profile has left today';

const CAPPED = 'the suite allows no more token requests than the checks have sent';

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
  const explored = nothingExplored();
  let canExplore = false;
  for (const [at, run] of targets.entries()) {
    const { client } = run;
    const untilMs = at === 0 && targets.length > 1 ? FIRST_SHARE * forMs : forMs;
    const options = {
      seed: seed + at,
      goesOn: () => passedMs() < untilMs && signal?.aborted !== true,
      cases: at === 0 ? exploredBefore : [],
      isAsked: (rule: string) => selected.has(rule),
      onWalk: () => {
        const { steps, finds } = explored;
        const perSecond = (1000 * steps) / Math.max(1, passedMs());
        onExplored?.({ steps, finds: finds.length, perSecond });
      },
    };
    try {
      const held = client.facts.metered ? await holdTokens(run) : undefined;
      if (held === null) continue;
      canExplore = true;
      await unlessStopped(explore(client, { ...options, held }, explored), () => explored);
    } catch (error) {
      // What was found before an interruption stays found.
      if (signal?.aborted !== true) throw error;
    } finally {
      await client.clock.reset();
    }
  }
  const { finds } = explored;
  const isCapped = targets.some(({ cap, client }) => cap !== null && client.spend.total >= cap);
  const document = {
    ...explored,
    seed,
    seconds: Math.round(passedMs() / 100) / 10,
    ...(canExplore ? {} : { notExplored: isCapped ? CAPPED : NO_TOKEN }),
    finds: finds.map(({ judgement: _judgement, shrunkBy: _shrunkBy, ...find }) => find),
  };
  return { document, finds };
}
