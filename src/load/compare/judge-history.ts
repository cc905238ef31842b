import type { ComparisonVerdict, QuantileShift } from '../../documents/comparison.ts';
import { stepUs } from '../record/histogram.ts';
import { createRandom } from '../seeded-random.ts';
import { type Comparison, QUANTILES, type RunSample, timesOf } from './compare-runs.ts';
import { judgeFailures, pointsInWords, type RunOutcome } from './failures.ts';
import { pooledDifference } from './pooled.ts';
import { confidenceOfEach, judgeShift, overall, type Shift, signed } from './shifts.ts';
import { latenessUs } from './usable.ts';

/** A document of a history: the runs of one command, which share the luck of its moment, at least one. */
export interface HistorySample {
  readonly label?: string | undefined;
  readonly runs: readonly RunSample[];
}

/** Number of samples at the end of a history that are judged, and of those before them. */
interface Sides {
  readonly before: number;
  readonly newest: number;
}

/** Result of a judgement of a history, and what it compares. */
export interface HistoryJudgement {
  readonly comparison: Comparison;
  readonly sides: Sides;
}

/** With fewer samples before the newest ones their scatter is unknown. */
const LEAST_BEFORE = 4;
/** Of all intervals together: 5 % lies beyond each end. */
const CONFIDENCE = 0.9;
/** Looks at the newest samples, and the part of the error probability that each may spend. */
const LOOKS = [
  { newest: 1, spends: 0.1 },
  { newest: 2, spends: 0.9 },
];
/** Most samples that are advised: more of them mean that the machine does not suit the margin. */
const MOST_ADVISED = 50;
const SEED = 1;

/**
 * Compares the newest samples of a history with those before them. The document is the sample: its value is the mean
 * of the logarithm over its runs.
 *
 * The newest are those of the last label, where there are several of it. Otherwise the newest one is looked at by
 * itself, which finds what is far off, and together with the one before it, which finds less; the looks share
 * the error probability. A shift of both counts only if the newest by itself goes that way.
 *
 * One or two values show no scatter of their own: both sides are taken to scatter alike. Worse is a shift that is
 * beyond the margin by its estimate and beyond chance by its interval; equivalent is one whose interval lies
 * within the margin.
 *
 * @param samples oldest first, at least one, all of the same plan and machine
 * @param last most samples before the newest that count
 */
export function judgeHistory(
  samples: readonly HistorySample[],
  { last, marginPercent }: { readonly last: number; readonly marginPercent: number },
): HistoryJudgement {
  const looks = looksAt(samples).map(({ newest, spends }) => {
    const before = Math.min(last, samples.length - newest);
    const confidence = confidenceOfEach(QUANTILES.length, 1 - (1 - CONFIDENCE) * spends);
    return { sides: { before, newest }, confidence };
  });
  const frame = {
    marginPercent,
    confidence: CONFIDENCE,
    correction: `Bonferroni over ${QUANTILES.length} quantiles${looks.length > 1 ? ` and ${looks.length} looks` : ''}`,
    paired: false,
  };
  const judged = looks.map(({ sides, confidence }) => ({
    sides,
    comparison: { ...frame, ...lookAt(samples, sides, { marginPercent, confidence }) },
  }));
  const worse = judged.find(({ comparison }) => comparison.verdict === 'worse');
  return worse ?? (judged.at(-1) as HistoryJudgement);
}

/** The second look needs enough samples before it. */
function looksAt(samples: readonly HistorySample[]): typeof LOOKS {
  const label = samples.at(-1)?.label;
  const other = samples.findLastIndex((sample) => sample.label !== label);
  const ofBuild = label === undefined ? 1 : samples.length - 1 - other;
  if (ofBuild > 1) return [{ newest: ofBuild, spends: 1 }];
  return samples.length >= LEAST_BEFORE + 2 ? LOOKS : [{ newest: 1, spends: 1 }];
}

interface LookSettings {
  readonly marginPercent: number;
  readonly confidence: number;
}

type LookResult = Pick<Comparison, 'verdict' | 'reason' | 'quantiles' | 'runsNeeded'>;

function lookAt(
  samples: readonly HistorySample[],
  sides: Sides,
  settings: LookSettings,
): LookResult {
  const at = samples.length - sides.newest;
  const [before, newest] = [samples.slice(at - sides.before, at), samples.slice(at)];
  const open = { verdict: 'inconclusive', quantiles: [], runsNeeded: null } as const;
  if (before.length < LEAST_BEFORE) {
    const runs = before.length === 1 ? 'is 1 run' : `are ${before.length} runs`;
    const reason = `There ${runs} like the newest before it, and with fewer than ${LEAST_BEFORE} their scatter is unknown: ${LEAST_BEFORE - before.length} more needed.`;
    return { ...open, reason, runsNeeded: LEAST_BEFORE };
  }
  const failures = judgeFailures(
    before.map(outcomeOf),
    newest.map(outcomeOf),
    SEED,
    pooledDifference,
  );
  const answered = newest.every((sample) => outcomeOf(sample).achieved.ok > 0);
  const quantiles = answered
    ? QUANTILES.map((quantile) => shiftOf(before, newest, quantile, settings))
    : [];
  if (failures.verdict === 'more') {
    const reason = `${pointsInWords(failures.points)} more requests fail in ${newestWords(sides)}, which chance over the runs does not explain.`;
    return { verdict: 'worse', reason, quantiles, runsNeeded: null };
  }
  if (!answered) return { ...open, reason: `No request succeeded in ${newestWords(sides)}.` };
  const verdict = overall(quantiles);
  const runsNeeded = verdict === 'inconclusive' ? needed(quantiles, sides, settings) : null;
  return {
    verdict,
    reason: reasonOf(verdict, quantiles, sides, settings, runsNeeded),
    quantiles,
    runsNeeded,
  };
}

/** Requests of a document: those of its runs together. */
function outcomeOf({ runs }: HistorySample): RunOutcome {
  const sum = (of: 'planned' | 'ok' | 'failed'): number =>
    runs.reduce((total, { achieved }) => total + achieved[of], 0);
  return { achieved: { planned: sum('planned'), ok: sum('ok'), failed: sum('failed') } };
}

type Quantile = (typeof QUANTILES)[number];

function shiftOf(
  before: readonly HistorySample[],
  newest: readonly HistorySample[],
  quantile: Quantile,
  settings: LookSettings,
): QuantileShift {
  const { q, of } = quantile;
  const runsOf = (side: readonly HistorySample[]) => side.flatMap(({ runs }) => runs);
  const base = before.map((sample) => timeOf(sample, of));
  const candidate = newest.map((sample) => timeOf(sample, of));
  const shift = judgeShift({
    ...settings,
    base,
    candidate,
    paired: false,
    commonError: latenessUs(runsOf(before), runsOf(newest), of).between,
    stepOf: stepUs,
    random: createRandom(SEED),
    difference: pooledDifference,
  });
  const meanLog = base.reduce((sum, time) => sum + Math.log(time), 0) / base.length;
  const lastPercent = (Math.exp(Math.log(candidate.at(-1) as number) - meanLog) - 1) * 100;
  return { q, ...shift, verdict: verdictOf(shift, lastPercent, settings) };
}

function timeOf({ runs }: HistorySample, of: Quantile['of']): number {
  const times = timesOf(runs, 'response', of);
  return Math.exp(times.reduce((sum, time) => sum + Math.log(time), 0) / times.length);
}

/** @param lastPercent shift of the newest sample by itself */
function verdictOf(
  { shiftPercent, low, high, marginPercent: widened }: Shift,
  lastPercent: number,
  { marginPercent }: LookSettings,
): ComparisonVerdict {
  const lateness = (widened ?? marginPercent) - marginPercent;
  const goesOn = lastPercent * Math.sign(shiftPercent) > marginPercent / 2;
  if (shiftPercent > marginPercent && low > lateness && goesOn) return 'worse';
  if (shiftPercent < -marginPercent && high < -lateness && goesOn) return 'better';
  return low >= -marginPercent && high <= marginPercent ? 'equivalent' : 'inconclusive';
}

const newestWords = ({ newest }: Sides): string =>
  newest === 1 ? 'the newest run' : `the ${newest} newest runs`;

function reasonOf(
  verdict: ComparisonVerdict,
  quantiles: readonly QuantileShift[],
  sides: Sides,
  { marginPercent }: LookSettings,
  runsNeeded: number | null,
): string {
  const { newest, before } = sides;
  const sidesWords = `${newestWords(sides)} against the ${before} before ${newest === 1 ? 'it' : 'them'}`;
  const shifts = quantiles
    .filter((shift) => shift.verdict === verdict)
    .map(
      ({ q, shiftPercent, low, high }) =>
        `p${q * 100} ${signed(shiftPercent)} % (${signed(low)} to ${signed(high)} %)`,
    )
    .join(', ');
  const margin = `margin of ${marginPercent} %`;
  switch (verdict) {
    case 'worse':
      return `Slower, by more than the ${margin} and than chance explains: ${shifts}, ${sidesWords}.`;
    case 'better':
      return `Faster, by more than the ${margin} and than chance explains: ${shifts}, ${sidesWords}.`;
    case 'equivalent':
      return `Every quantile lies within the ${margin}: ${sidesWords}.`;
    case 'inconclusive':
      return `Too few runs for a ${margin}: ${shifts}, ${sidesWords}. ${advice(sides, runsNeeded)}`;
  }
}

function advice({ newest, before }: Sides, runsNeeded: number | null): string {
  if (runsNeeded === null || runsNeeded > MOST_ADVISED) {
    return `It would take more than ${MOST_ADVISED} runs: make them longer, the machine quieter, or the margin wider.`;
  }
  const more = `About ${runsNeeded} runs of the newest build would do, ${runsNeeded - newest} more`;
  return runsNeeded > before ? `${more}, and as many before them.` : `${more}.`;
}

/**
 * Estimates the runs of the newest build that would decide it, against as many as there are before it, or against
 * their own number where no number would do: an interval narrows with the root of both.
 */
function needed(
  quantiles: readonly QuantileShift[],
  { before, newest }: Sides,
  { marginPercent }: LookSettings,
): number {
  const each = quantiles.map(({ verdict, shiftPercent, low, high }) => {
    if (verdict !== 'inconclusive') return newest + 1;
    const size = Math.abs(shiftPercent);
    const room = size > marginPercent ? size : Math.max(marginPercent - size, marginPercent / 4);
    const ofOne = ((high - low) / 2) ** 2 / (1 / newest + 1 / before) / room ** 2;
    const alone = 1 / (1 / ofOne - 1 / before);
    return alone > 0 && alone <= before ? alone : 2 * ofOne;
  });
  return Math.max(newest + 1, Math.ceil(Math.max(...each)));
}
