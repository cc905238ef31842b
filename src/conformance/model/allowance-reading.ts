import type { AllowanceKind } from '../../interface/limits.ts';
import type { Asked } from './asked.ts';
import type { Day } from './days.ts';

/** Token request. */
export type Request = Asked & { readonly kind: AllowanceKind };

/** One answer to each gap of the interface about allowances, for a whole log. */
export interface Reading {
  /** Requests that are surely, or possibly, counted on the day of another. */
  readonly day: Day;
  readonly countsRefused: boolean;
  readonly banReach: 'kind' | 'tokens';
}

/** A request that no reading explains, before a rule is found for it. */
export interface Odd {
  readonly asked: Request;
  readonly how: 'accepted beyond' | 'accepted while banned' | 'refused within';
  /** Requests of its kind, partner and day that were surely accepted before it. */
  readonly counted: readonly Request[];
  /** Refused request that began the ban. */
  readonly ban?: Request;
}
