import type { ThresholdResult, ThresholdTerms } from '../../documents/load.ts';
import { formatIn, type Unit } from './quantities.ts';

const UNITS: Readonly<Record<ThresholdTerms['unit'], Unit>> = {
  us: 'us',
  'requests/s': 'rate',
  share: 'share',
};

/** A threshold in a reader's units. */
export interface ThresholdWords {
  observed: string;
  /** Distance to the bound, percent of it; below 0 where the bound was passed. Null if unknown. */
  marginPercent: number | null;
}

/** Formats the observed value of a threshold, and its distance to the bound. */
export function thresholdWords(threshold: ThresholdResult): ThresholdWords {
  const { observed, unit, bound, comparison } = threshold;
  if (observed === null) return { observed: 'nothing observed', marginPercent: null };
  if (unit === undefined) return { observed: String(observed), marginPercent: null };
  const words = formatIn(UNITS[unit], observed);
  if (!bound || !comparison) return { observed: words, marginPercent: null };
  const distance = comparison.startsWith('<') ? bound - observed : observed - bound;
  return { observed: words, marginPercent: (distance / bound) * 100 };
}
