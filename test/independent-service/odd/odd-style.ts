import type { Form } from '../form.ts';
import type { Style } from '../style.ts';

/** A style with differences that take the place of parts of the service. */
export interface OddStyle extends Style {
  readonly oddities?: Form | undefined;
}

/** Differences from a style. */
export type Difference = Partial<OddStyle>;
