import type { Mistake } from '../recipe.ts';
import { DIGEST_MISTAKES } from './digests.ts';
import { FREQUENT_MISTAKES } from './frequent.ts';
import { NOTATION_MISTAKES } from './texts.ts';
import { WRITING_MISTAKES } from './writings.ts';

type Mistakes = readonly Mistake[];

const byId = (...ids: readonly string[]): readonly Mistakes[] =>
  FREQUENT_MISTAKES.filter(({ id }) => ids.includes(id)).map((mistake) => [mistake]);

const ofPart = (...parts: readonly Mistake['part'][]): readonly Mistakes[] =>
  FREQUENT_MISTAKES.filter(({ part }) => parts.includes(part)).map((mistake) => [mistake]);

/** Every choice of one from each list, or of none. */
function choices(...lists: readonly (readonly Mistakes[])[]): readonly Mistakes[] {
  let all: readonly Mistakes[] = [[]];
  for (const list of lists) {
    all = all.concat(all.flatMap((some) => list.map((one) => [...some, ...one])));
  }
  return all;
}

const SINGLE = byId('single-md5');

/** Ways to make a digest that are common in other interfaces. */
const DIGESTS: readonly Mistakes[] = [
  ...ofPart('inner', 'outer', 'hash', 'keyPlace', 'notation', 'separator'),
  ...DIGEST_MISTAKES.map((mistake) => [mistake]),
  ...choices(SINGLE, ofPart('separator', 'keyPlace'), byId('base64')).filter(
    ([first, second]) => first === SINGLE[0]?.[0] && second !== undefined,
  ),
];

const COMMON_DIGESTS: readonly Mistakes[] = [
  ...SINGLE,
  ...byId('hmac-md5', 'hmac-sha1', 'hmac-sha256', 'sha1', 'sha256', 'key-missing', 'key-first'),
  ...byId('inner-upper-case'),
  ...choices(SINGLE, byId('key-first', 'key-both-ends', 'key-separator-name')).filter(
    ({ length }) => length === 2,
  ),
];

const ORDERS = byId('order-unsorted', 'order-hash-map');
const EMPTIES = byId('empty-kept');
const ENCODINGS = FREQUENT_MISTAKES.filter(({ id }) => /^(url|form)-encoded/.test(id)).map(
  (mistake) => [mistake],
);
const OTHER_TEXTS: readonly Mistakes[] = [
  ...ofPart('terms', 'written'),
  ...[...NOTATION_MISTAKES, ...WRITING_MISTAKES].map((mistake) => [mistake]),
];

/**
 * Three or four mistakes at once, as the idioms of languages and the rules of other interfaces make
 * them: `http_build_query` encodes, keeps empty values and does not sort.
 */
export function* compositions(): Generator<Mistakes> {
  yield* choices(ORDERS, EMPTIES, ENCODINGS);
  yield* choices(ORDERS, EMPTIES, OTHER_TEXTS);
  yield* choices(ORDERS, EMPTIES, ENCODINGS, DIGESTS);
  yield* choices(ORDERS, EMPTIES, OTHER_TEXTS, COMMON_DIGESTS);
  yield* choices(
    byId('order-by-value', 'order-descending', 'order-reversed'),
    EMPTIES,
    OTHER_TEXTS,
  );
}
