/** Key and value pairs in the order sent. */
export type Pairs = readonly (readonly [key: string, value: unknown])[];

/** Choices of steps 1 to 3: which pairs are signed, and in which order. */
export interface PairChoices {
  /** Changes the pairs before they are signed. */
  readonly fields: (pairs: Pairs) => Pairs;
  readonly order: keyof typeof ORDERS;
  readonly empties: 'skipped' | 'kept' | 'kept-as-null' | 'kept-as-none';
  readonly zero: 'kept' | 'dropped';
  readonly trimmed: 'both' | 'none' | 'keys-only' | 'before-skipping';
}

const byKey =
  (compare: (a: string, b: string) => number) =>
  (pairs: Pairs): Pairs =>
    [...pairs].sort(([a], [b]) => compare(a, b));

const ORDERS = {
  bytes: byKey((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  locale: byKey((a, b) => a.localeCompare(b, 'en')),
  'ignoring-case': byKey((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  'ignoring-case-upper': byKey((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1)),
  descending: byKey((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a))),
  'by-value': (pairs) => [...pairs].sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1)),
  'as-sent': (pairs) => pairs,
} satisfies Record<string, (pairs: Pairs) => Pairs>;

/** Sorts pairs. */
export function sorted({ order }: PairChoices, pairs: Pairs): Pairs {
  return ORDERS[order](pairs);
}

/** Drops the pairs whose value is empty. */
export function withoutEmpties(choices: PairChoices, pairs: Pairs): Pairs {
  return pairs.filter(([, value]) => isSigned(choices, value));
}

function isSigned({ trimmed, zero, empties }: PairChoices, given: unknown): boolean {
  const value = trimmed === 'before-skipping' && typeof given === 'string' ? trim(given) : given;
  if (value === 0 || value === '0') return zero === 'kept';
  return empties !== 'skipped' || !isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Strips ASCII whitespace at both ends. */
export function trim(text: string): string {
  return text.replace(/^[ \t-\r]+/, '').replace(/[ \t-\r]+$/, '');
}
