import type { Trial } from '../../../documents/find-max.ts';
import { formatRate, formatShare, formatUs } from '../quantities.ts';
import type { Outcome } from '../tones.ts';
import type { Column } from './column.ts';

/** Columns of the table of trials. */
export const TRIAL_COLUMNS = {
  trial: { name: 'trial', cell: (_, index) => `${index + 1}` },
  outcome: { name: 'outcome', cell: trialOutcome },
  rate: { name: 'rate', numeric: true, cell: ({ rate }) => formatRate(rate) },
  achieved: {
    name: 'achieved',
    numeric: true,
    cell: ({ achievedRate }) => known(achievedRate, formatRate),
  },
  p50: {
    name: 'p50',
    numeric: true,
    cell: ({ latencyUs }) => known(latencyUs?.response.p50, formatUs),
  },
  p99: {
    name: 'p99',
    numeric: true,
    cell: ({ latencyUs }) => known(latencyUs?.response.p99, formatUs),
  },
  failed: { name: 'failed', numeric: true, cell: ({ errors }) => known(errors, formatShare) },
  reason: { name: 'reason', cell: ({ reason = '' }) => reason },
} satisfies Record<string, Column<Trial>>;

/** Verdict on a trial. */
export function trialOutcome({ held, valid }: Trial): Outcome {
  if (!valid) return { tone: 'unknown', words: 'invalid' };
  return held ? { tone: 'good', words: 'held' } : { tone: 'bad', words: 'fell short' };
}

function known(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? '–' : format(value);
}
