import { type Pairs, percent } from '../habits.ts';

/** Pairs with other values. */
export const changed = (pairs: Pairs, values: Readonly<Record<string, string>>): Pairs =>
  pairs.map(([name, value]) => [name, values[name] ?? value]);

/** A query of pairs, percent-encoded. */
export const encode = (pairs: Pairs): string =>
  pairs.map((pair) => pair.map(percent).join('=')).join('&');
