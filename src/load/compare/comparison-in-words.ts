import type { Comparison } from './compare-runs.ts';

/** No more are named: so many say that the machine is not fit for the margin. */
export const MOST_RUNS_NAMED = 1000;

/** Why a comparison came out so, with the intervals that decided it and how sure they are. */
export function comparisonInWords({
  verdict,
  quantiles,
  marginPercent,
  confidence,
  correction,
  runsNeeded,
}: Omit<Comparison, 'reason'>): string {
  const sure = `${confidence * 100} % confidence, ${correction}`;
  const named = quantiles
    .filter((quantile) => quantile.verdict === verdict)
    .map(({ q, low, high }) => `p${q * 100} ${signed(low)} to ${signed(high)} %`)
    .join(', ');
  switch (verdict) {
    case 'worse':
      return `Slower beyond the margin of ${marginPercent} % (${sure}): ${named}.`;
    case 'better':
      return `Faster beyond the margin of ${marginPercent} % (${sure}): ${named}.`;
    case 'equivalent':
      return `Every quantile lies within the margin of ${marginPercent} % (${sure}).`;
    case 'inconclusive':
      return `The runs scatter too much for a margin of ${marginPercent} % (${sure}): ${named}. ${howMany(runsNeeded)}`;
  }
}

function howMany(runsNeeded: number | null): string {
  if (runsNeeded === null) return 'Record more runs.';
  return runsNeeded >= MOST_RUNS_NAMED
    ? `It would take ${MOST_RUNS_NAMED} runs a side or more: rather make the runs longer, or the machine quieter.`
    : `About ${runsNeeded} runs a side would do.`;
}

const signed = (percent: number): string => `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;
