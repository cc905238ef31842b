import type { LoadDocument } from '../../documents/load.ts';
import { formatRate } from './quantities.ts';

/** ` of 5,000/s planned`; empty in the closed model. */
export function plannedWords({ intended }: LoadDocument): string {
  return intended.rate === null ? '' : ` of ${formatRate(intended.rate)} planned`;
}

/** Failed share of the planned requests, 0 to 1. */
export function failedShare({ achieved }: LoadDocument): number {
  return achieved.planned === 0 ? 0 : achieved.failed / achieved.planned;
}
