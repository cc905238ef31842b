import type { ThresholdResult } from '../../documents/load.ts';
import { formatIn } from './quantities.ts';

/** What a threshold is about: microseconds, requests a second, or a share from 0 to 1. */
export type ThresholdUnit = 'us' | 'rate' | 'share';

/** A threshold's expression, read. */
export interface ThresholdLimit {
  /** Such as `p99`, `service.p99`, `rate`, `errors`. */
  metric: string;
  /** Held below the limit, or above it. */
  side: 'below' | 'above';
  /** In the unit. */
  limit: number;
  unit: ThresholdUnit;
}

const EXPRESSION = /^\s*([\w.]+)\s*(<=?|>=?)\s*([\d_.,]+)\s*(us|µs|ms|s|%|\/s|rps)?\s*$/;

const US_PER_UNIT: Readonly<Record<string, number>> = { us: 1, µs: 1, ms: 1000, s: 1_000_000 };

/** Reads an expression such as `p99<20ms`; null where it is written in another way. */
export function readThreshold(expression: string): ThresholdLimit | null {
  const match = EXPRESSION.exec(expression);
  if (!match) return null;
  const [, metric = '', operator = '', digits = '', suffix] = match;
  const unit = unitOf(metric);
  const value = Number(digits.replaceAll(/[_,]/g, ''));
  const limit = inUnit(unit, value, suffix);
  return Number.isFinite(limit)
    ? { metric, side: operator.startsWith('<') ? 'below' : 'above', limit, unit }
    : null;
}

/** A threshold in a reader's units. */
export interface ThresholdWords {
  observed: string;
  /** What was left to the limit, in percent of it; below 0 where it was passed. Null if unknown. */
  marginPercent: number | null;
}

/** What was observed, and how much of the limit was left as far as the expression can be read. */
export function thresholdWords({ expression, observed }: ThresholdResult): ThresholdWords {
  const read = readThreshold(expression);
  if (observed === null) return { observed: 'nothing observed', marginPercent: null };
  const words = formatIn(read?.unit ?? 'us', observed);
  if (read === null || read.limit <= 0) return { observed: words, marginPercent: null };
  const margin = read.side === 'below' ? read.limit - observed : observed - read.limit;
  return { observed: words, marginPercent: (margin / read.limit) * 100 };
}

function unitOf(metric: string): ThresholdUnit {
  if (/(^|\.)rate$/.test(metric)) return 'rate';
  return /(^|\.)errors$/.test(metric) ? 'share' : 'us';
}

function inUnit(unit: ThresholdUnit, value: number, suffix: string | undefined): number {
  if (unit === 'share') return suffix === '%' ? value / 100 : value;
  return unit === 'us' ? value * (US_PER_UNIT[suffix ?? 'us'] ?? 1) : value;
}
