import { stepUs } from '../record/histogram.ts';
import { createRandom } from '../seeded-random.ts';
import { type Comparison, named, QUANTILES, type RunSample, timesOf } from './compare-runs.ts';
import { judgeFailures, pointsInWords } from './failures.ts';
import { pooledDifference } from './pooled.ts';
import { conclude, confidenceOfEach, judgeShift, type Shift } from './shifts.ts';
import { latenessUs } from './usable.ts';

/** A run of a history. */
export interface HistorySample extends RunSample {
  /** Its build. */
  readonly label?: string | undefined;
}

/** Result of a judgement of a history, and the number of samples on its sides. */
export interface HistoryJudgement extends Comparison {
  readonly sides: { readonly before: number; readonly newest: number };
}

/** Terms by which a history is judged. */
interface Terms {
  /** Most samples before the newest that count. */
  readonly last: number;
  readonly marginPercent: number;
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
const SEED = 1;

/**
 * Compares the newest samples of a history with those before them.
 *
 * The newest are those of the last label, where there are several of it. Otherwise the newest one is looked at by
 * itself, which finds what is far off, and together with the one before it, which finds less; the looks share
 * the error probability. A shift of both counts only if the newest by itself goes that way.
 *
 * One or two values show no scatter of their own: both sides are taken to scatter alike. Worse is a shift that is
 * beyond the margin by its estimate and beyond chance by its interval; equivalent is one whose interval lies
 * within the margin.
 *
 * @param samples oldest first, all of the same plan and machine
 */
export function judgeHistory(samples: readonly HistorySample[], terms: Terms): HistoryJudgement {
  const label = samples.at(-1)?.label;
  const other = samples.findLastIndex((sample) => sample.label !== label);
  const ofBuild = label === undefined ? 1 : samples.length - 1 - other;
  const isOne = ofBuild > 1 || samples.length < LEAST_BEFORE + 2;
  const looks = isOne ? [{ newest: ofBuild, spends: 1 }] : LOOKS;
  const judged = looks.map((look) => lookAt(samples, look, terms));
  const worse = judged.find(({ verdict }) => verdict === 'worse');
  return worse ?? (judged.at(-1) as HistoryJudgement);
}

function lookAt(
  samples: readonly HistorySample[],
  { newest, spends }: (typeof LOOKS)[number],
  { last, marginPercent }: Terms,
): HistoryJudgement {
  const at = samples.length - newest;
  const [base, candidate] = [samples.slice(Math.max(0, at - last), at), samples.slice(at)];
  const frame = {
    sides: { before: base.length, newest: candidate.length },
    marginPercent,
    confidence: CONFIDENCE,
    correction: `Bonferroni over ${QUANTILES.length} quantiles${spends < 1 ? ' and two looks' : ''}`,
    paired: false,
    quantiles: [],
    runsNeeded: null,
  };
  const missing = LEAST_BEFORE - base.length;
  if (missing > 0) {
    const reason = `Runs like the newest before it: ${base.length}. With fewer than ${LEAST_BEFORE} their scatter is unknown: ${missing} more needed.`;
    return { ...frame, verdict: 'inconclusive', reason, runsNeeded: LEAST_BEFORE };
  }
  const failures = judgeFailures(base, candidate, SEED, pooledDifference);
  const isSilent = candidate.some(({ achieved }) => achieved.ok === 0);
  const quantiles = QUANTILES.slice(isSilent ? QUANTILES.length : 0).map(({ q, of }) => {
    const [before, after] = [timesOf(base, 'response', of), timesOf(candidate, 'response', of)];
    const shift = judgeShift({
      base: before,
      candidate: after,
      paired: false,
      marginPercent,
      commonError: latenessUs(base, candidate, of).between,
      confidence: confidenceOfEach(QUANTILES.length, 1 - (1 - CONFIDENCE) * spends),
      stepOf: stepUs,
      random: createRandom(SEED),
      difference: pooledDifference,
    });
    const { estimate } = pooledDifference({
      a: before.map(Math.log),
      b: after.slice(-1).map(Math.log),
      confidence: CONFIDENCE,
    });
    return { q, ...shift, verdict: verdictOf(shift, Math.expm1(estimate) * 100, marginPercent) };
  });
  if (failures.verdict === 'more') {
    const reason = `${pointsInWords(failures.points)} more requests fail in the newest than before, which chance over the runs does not explain.`;
    return { ...frame, verdict: 'worse', reason, quantiles };
  }
  if (isSilent) {
    return { ...frame, verdict: 'inconclusive', reason: 'No request of the newest succeeded.' };
  }
  const needed = neededOf(quantiles, { before: base.length, newest }, marginPercent);
  const counts = { of: 'quantile', runs: newest, needed };
  return { ...frame, quantiles, ...conclude(quantiles.map(named), frame, counts) };
}

/** @param lastPercent shift of the newest sample by itself */
function verdictOf(
  { shiftPercent, low, high, marginPercent: widened }: Shift,
  lastPercent: number,
  marginPercent: number,
): Shift['verdict'] {
  const lateness = (widened ?? marginPercent) - marginPercent;
  const goesOn = lastPercent * Math.sign(shiftPercent) > marginPercent / 2;
  if (shiftPercent > marginPercent && low > lateness && goesOn) return 'worse';
  if (shiftPercent < -marginPercent && high < -lateness && goesOn) return 'better';
  return low >= -marginPercent && high <= marginPercent ? 'equivalent' : 'inconclusive';
}

/**
 * Estimates the runs of the newest build that would decide all shifts, against as many as are before it, or against
 * their own number where none would do: an interval narrows with the root of both.
 */
function neededOf(
  shifts: readonly Shift[],
  { before, newest }: HistoryJudgement['sides'],
  marginPercent: number,
): number {
  const each = shifts.map(({ verdict, shiftPercent, low, high }) => {
    if (verdict !== 'inconclusive') return 0;
    const size = Math.abs(shiftPercent);
    const room = size > marginPercent ? size : Math.max(marginPercent - size, marginPercent / 4);
    const ofOne = ((high - low) / 2 / room) ** 2 / (1 / newest + 1 / before);
    const alone = 1 / (1 / ofOne - 1 / before);
    return alone > 0 && alone <= before ? alone : 2 * ofOne;
  });
  return Math.max(newest + 1, Math.ceil(Math.max(...each)));
}
