/** Key and value pairs in the order sent. */
export type Pairs = readonly (readonly [key: string, value: unknown])[];

/** An order of pairs by their keys. */
export const byKey =
  (compare: (a: string, b: string) => number) =>
  (pairs: Pairs): Pairs =>
    [...pairs].sort(([a], [b]) => compare(a, b));

/** Orders that clients sign pairs in. */
export const ORDERS = {
  bytes: byKey((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  locale: byKey((a, b) => a.localeCompare(b, 'en')),
  'ignoring-case': byKey((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  'ignoring-case-upper': byKey((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1)),
  descending: byKey((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a))),
  'by-value': (pairs) => [...pairs].sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1)),
  'as-sent': (pairs) => pairs,
  'as-sent-reversed': (pairs) => pairs.toReversed(),
  'hash-map': byJavaHash,
} satisfies Record<string, (pairs: Pairs) => Pairs>;

/** The order in which a HashMap of Java lists its keys. */
function byJavaHash(pairs: Pairs): Pairs {
  let buckets = 16;
  while (pairs.length > 0.75 * buckets) buckets *= 2;
  const bucketOf = (name: string): number => {
    let code = 0;
    for (let at = 0; at < name.length; at++) {
      code = (Math.imul(31, code) + name.charCodeAt(at)) | 0;
    }
    return (code ^ (code >>> 16)) & (buckets - 1);
  };
  return [...pairs].sort(([a], [b]) => bucketOf(a) - bucketOf(b));
}
