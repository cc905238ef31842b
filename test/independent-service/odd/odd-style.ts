import type { Form } from '../form.ts';
import type { Limit, Style } from '../style.ts';

/** A style with differences that take the place of parts of the service. */
export interface OddStyle extends Style {
  readonly oddities?: Form | undefined;
}

/** Differences from a style. */
export type Difference = Partial<OddStyle>;

/** A limit of the requests in a second. */
export const perSecond = (status: number, most: number, more: Partial<Limit> = {}): Difference => ({
  limit: { status, isOver: (_number, recentMs) => recentMs.length >= most, ...more },
});
