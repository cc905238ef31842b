import type { baseFields } from '../../documents/base.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import { stepUs } from '../record/histogram.ts';
import { withoutAdvice } from '../result/advice.ts';
import { createRandom } from '../seeded-random.ts';
import { failedShare, judgeFailures, pointsInWords, type RunOutcome } from './failures.ts';
import {
  type CompareOptions,
  conclude,
  confidenceOfEach,
  decidedInWords,
  judgeShift,
  leastRuns,
  moreInWords,
  oldestFirst,
  settingsOf,
  tooFew,
} from './shifts.ts';
import { isUsable, type JudgedRun, latenessUs } from './usable.ts';

/** Response time runs from the plan, service time from the send. */
type Clock = 'response' | 'service';

type Quantiles = { readonly [of in 'p50' | 'p90' | 'p99']: number };

/** Fields of a load run document that a comparison uses. */
export interface RunSample extends JudgedRun {
  readonly startedAt: string;
  readonly reason?: string;
  readonly achieved: RunOutcome['achieved'];
  /** Quantiles, microseconds; files of other tools have no service time. */
  readonly latencyUs: { readonly response: Quantiles; readonly service?: Quantiles };
  /** False for quantiles of another tool that may be of failures too. */
  readonly ofSuccesses?: boolean;
  /** Resolution of the quantiles, microseconds, if they are not of a histogram of ours. */
  readonly stepUs?: number;
}

/** Result of any comparison. */
export type ComparisonFrame = Omit<
  ComparisonDocument,
  | keyof typeof baseFields
  | 'kind'
  | 'runs'
  | 'sides'
  | 'steps'
  | 'notCompared'
  | 'repeatedPairs'
  | 'selfTest'
>;

/** Result of a comparison of runs; a quantile that may be the time of failures only is left out. */
export interface Comparison extends ComparisonFrame {
  readonly notCompared?: never;
}

/** The quantiles that are judged. */
export const QUANTILES = [
  { q: 0.5, of: 'p50' },
  { q: 0.9, of: 'p90' },
  { q: 0.99, of: 'p99' },
] as const;

/** Least number of runs on each side: with fewer their scatter is unknown. */
export const LEAST_RUNS: number = leastRuns(QUANTILES.length);

/**
 * Compares two builds; the run is the sample, since requests of one run share its luck.
 *
 * Runs that cannot be compared leave it open, and the figures of the others are shown.
 *
 * Failures come first: more of them than chance explains is worse, however fast they are. Then, per
 * quantile: the mean shift of the logarithm over runs with a bootstrap-t interval, compared with the
 * margin. An interval wholly beyond it is worse (or better), one wholly within is equivalent.
 * Bonferroni keeps the confidence over the quantiles. Only successful requests are compared by speed.
 *
 * In the open model, service time is judged where response time is not decided and the send lag is below the
 * difference looked for: the margin, or the shift if that is larger. It can show that a build is slower, and not that it is as fast: it leaves out waiting for a connection.
 */
export function compareRuns(options: CompareOptions<RunSample>): Comparison {
  const frame = settingsOf(options, QUANTILES.length, 'quantiles');
  const usable = usableOf(options, frame.paired);
  const { base, candidate } = usable;
  const all = [...options.base, ...options.candidate];
  if (base.length + candidate.length === all.length) return compareUsable(usable, frame);
  const asked = Math.min(options.base.length, options.candidate.length);
  const runsNeeded = Math.max(LEAST_RUNS, asked);
  const more = runsNeeded - Math.min(base.length, candidate.length);
  const isEnough = tooFew(base, candidate, { least: LEAST_RUNS, noun: 'run' }) === null;
  const isThere = all.every(({ invalidBy }) => invalidBy !== 'unreachable');
  const advice = isThere ? ` To decide it, run ${moreInWords(more, frame)}.` : '';
  return {
    ...frame,
    ...(isEnough ? compareUsable(usable, frame) : { quantiles: [] }),
    verdict: 'inconclusive',
    reason: whyNotValid(all) + advice,
    runsNeeded: isThere ? runsNeeded : null,
  };
}

/** The runs that can be compared, of pairs both or none. */
function usableOf(options: CompareOptions<RunSample>, paired: boolean): CompareOptions<RunSample> {
  if (!paired) {
    const [base, candidate] = [options.base, options.candidate].map((side) =>
      side.filter(isUsable),
    );
    return { ...options, base: base ?? [], candidate: candidate ?? [] };
  }
  const [a, b] = [oldestFirst(options.base), oldestFirst(options.candidate)];
  const isWhole = (_: RunSample, at: number): boolean =>
    isUsable(a[at] as RunSample) && isUsable(b[at] as RunSample);
  return { ...options, base: a.filter(isWhole), candidate: b.filter(isWhole) };
}

/** Compares runs all of which can be compared. */
function compareUsable(
  options: CompareOptions<RunSample>,
  frame: ReturnType<typeof settingsOf>,
): Comparison {
  const { base, candidate, seed } = options;
  const { paired, marginPercent } = frame;
  const open = (reason: string, runsNeeded: number | null): Comparison => ({
    ...frame,
    verdict: 'inconclusive',
    reason,
    quantiles: [],
    runsNeeded,
  });
  const few = tooFew(base, candidate, { least: LEAST_RUNS, noun: 'run', paired });
  if (few !== null) return open(few, LEAST_RUNS);

  const all = [...base, ...candidate];
  const clear = QUANTILES.filter(({ q }) =>
    all.every((run) => run.ofSuccesses !== false || failedShare(run) <= round(1 - q)),
  );
  const judge = (clock: Clock, { q, of }: (typeof QUANTILES)[number]) => ({
    q,
    ...judgeShift({
      base: timesOf(base, clock, of),
      candidate: timesOf(candidate, clock, of),
      paired,
      marginPercent,
      commonError: latenessUs(base, candidate, of).between,
      confidence: confidenceOfEach(QUANTILES.length),
      stepOf: (time) => Math.max(stepUs(time), ...all.map((run) => run.stepUs ?? 0)),
      random: createRandom(seed, `bootstrap ${q}`),
    }),
  });
  const quantiles = clear.map((quantile) => judge('response', quantile));
  const failures = judgeFailures(base, candidate, seed);
  if (failures.verdict === 'more') {
    const reason = `${pointsInWords(failures.points)} more of the candidate's requests fail, which chance over the runs does not explain.`;
    return { ...frame, verdict: 'worse', reason, quantiles, runsNeeded: null };
  }
  const silent = whyNothingToCompare(options);
  if (silent !== null) return open(silent, null);
  const doubt = [
    failures.verdict === 'perhaps' &&
      `${pointsInWords(failures.points)} more of the candidate's requests fail, and it may be chance: not enough of the runs show it. Record more runs.`,
    clear.length < QUANTILES.length && whyLeftOut(clear, all),
  ].filter((sentence) => sentence !== false);
  const runs = Math.min(base.length, candidate.length);
  const ofResponse = conclude(quantiles.map(named), frame, { of: 'quantile', runs });
  const isOpen =
    ofResponse.verdict === 'inconclusive' &&
    all.every(({ model, latencyUs }) => model === 'open' && latencyUs.service !== undefined);
  const serviceQuantiles = clear.flatMap((quantile, at) => {
    if (!isOpen || quantiles[at]?.verdict !== 'inconclusive') return [];
    const shift = judge('service', quantile);
    const lookedFor = Math.max(marginPercent, Math.abs(shift.shiftPercent)) / 100;
    return latenessUs(base, candidate, quantile.of).most < lookedFor * shift.base ? [shift] : [];
  });
  const ofTimes = withService(ofResponse, serviceQuantiles.map(named));
  const isDecisive = ofTimes.verdict === 'worse' || ofTimes.verdict === 'inconclusive';
  const isNamed = quantiles.length > 0 && (doubt.length === 0 || isDecisive);
  const reason = [...(isNamed ? [ofTimes.reason] : []), ...doubt].join(' ');
  const verdict = doubt.length > 0 && !isDecisive ? 'inconclusive' : ofTimes.verdict;
  return {
    ...frame,
    ...ofTimes,
    verdict,
    reason,
    quantiles,
    ...(serviceQuantiles.length > 0 && { serviceQuantiles }),
  };
}

/** Adds the name of its quantile to a shift. */
export const named = <T extends { readonly q: number }>(shift: T): T & { name: string } => ({
  ...shift,
  name: `p${shift.q * 100}`,
});

/** Adds what service time shows to a conclusion from response time that decides nothing. */
function withService(
  ofResponse: ReturnType<typeof conclude>,
  service: Parameters<typeof decidedInWords>[0],
): ReturnType<typeof conclude> {
  const shown = decidedInWords(service);
  if (shown === '') return ofResponse;
  const reason = `Service time shows ${shown} Response time is undecided. ${ofResponse.reason}`;
  return service.some(({ verdict }) => verdict === 'worse')
    ? { verdict: 'worse', reason, runsNeeded: null }
    : { ...ofResponse, reason };
}

function whyNotValid(runs: readonly RunSample[]): string {
  const invalid = runs.filter((run) => !isUsable(run));
  const reason = invalid[0]?.reason ?? 'its generator was saturated, or its target was not there.';
  const are = invalid.length === 1 ? 'is' : 'are';
  return `${invalid.length} of ${runs.length} runs ${are} invalid. The first: ${withoutAdvice(reason)}`;
}

function whyNothingToCompare({ base, candidate }: CompareOptions<RunSample>): string | null {
  const [a, b] = [base, candidate].map(
    (runs) => runs.filter(({ achieved }) => achieved.ok === 0).length,
  );
  if (!a && !b) return null;
  return `No request succeeded in ${a} of ${base.length} runs of the base and ${b} of ${candidate.length} of the candidate. The speed of failures says nothing; find out why requests fail, and record the runs again.`;
}

/** In files of other tools, a quantile may be that of a failure if more requests failed than lie beyond it. */
function whyLeftOut(
  clear: readonly (typeof QUANTILES)[number][],
  runs: readonly RunSample[],
): string {
  const names = QUANTILES.filter((quantile) => !clear.includes(quantile)).map(({ of }) => of);
  const most = Math.max(...runs.map(failedShare)) * 100;
  return `Not compared: ${names.join(', ')}, which may be the time of a failure, since up to ${Number(most.toPrecision(2))} % of a run's requests failed.`;
}

/** Times of runs at a quantile, oldest first, microseconds, at least 1. */
export function timesOf(runs: readonly RunSample[], clock: Clock, of: keyof Quantiles): number[] {
  return oldestFirst(runs).map(({ latencyUs }) => Math.max(latencyUs[clock]?.[of] ?? 0, 1));
}

/** 1 - 0.9 as a float is a little less than a tenth. */
const round = (share: number): number => Math.round(share * 1e9) / 1e9;
