import type { ComparisonVerdict } from '../../documents/comparison.ts';
import { MOST_RUNS_NAMED, type Shift } from './shifts.ts';

/** A comparison, for its sentence. */
export interface WordedComparison {
  verdict: ComparisonVerdict;
  shifts: readonly (Shift & { name: string })[];
  /** Noun for one of them: `quantile`, `step`. */
  of: string;
  marginPercent: number;
  confidence: number;
  correction: string;
  runsNeeded: number | null;
}

/** Most shifts named in a sentence; the rest is counted. */
const MOST_NAMED = 5;

/** Reason of a verdict: the intervals that decided it, and their confidence. */
export function comparisonInWords(comparison: WordedComparison): string {
  const { verdict, shifts, of, marginPercent, confidence, correction, runsNeeded } = comparison;
  const sure = `${confidence * 100} % confidence, ${correction}`;
  const deciding = shifts.filter((shift) => shift.verdict === verdict);
  const named = [
    ...deciding
      .slice(0, MOST_NAMED)
      .map(({ name, low, high }) => `${name} ${signed(low)} to ${signed(high)} %`),
    ...(deciding.length > MOST_NAMED ? [`${deciding.length - MOST_NAMED} more`] : []),
  ].join(', ');
  switch (verdict) {
    case 'worse':
      return `Slower beyond the margin of ${marginPercent} % (${sure}): ${named}.`;
    case 'better':
      return `Faster beyond the margin of ${marginPercent} % (${sure}): ${named}.`;
    case 'equivalent':
      return `Every ${of} lies within the margin of ${marginPercent} % (${sure}).`;
    case 'inconclusive':
      return `The runs scatter too much for a margin of ${marginPercent} % (${sure}): ${named}. ${howMany(runsNeeded)}`;
  }
}

/** `5.0 percentage points`, with at least two digits. */
export function pointsInWords(points: number): string {
  return `${points >= 10 ? points.toFixed(1) : points.toPrecision(2)} percentage points`;
}

function howMany(runsNeeded: number | null): string {
  if (runsNeeded === null) return 'Record more runs.';
  return runsNeeded >= MOST_RUNS_NAMED
    ? `It would take ${MOST_RUNS_NAMED} runs a side or more: make the runs longer instead, or the machine quieter.`
    : `About ${runsNeeded} runs a side would do.`;
}

const signed = (percent: number): string => `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;
