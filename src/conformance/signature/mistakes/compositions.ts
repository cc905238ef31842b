import { DOCUMENTED_RECIPE, type Mistake, PARTS, type Recipe } from '../recipe.ts';

type Mistakes = readonly Mistake[];

/** Mistakes in the text, each tried with every one of some mistakes in what is made of it. */
export type Candidates = readonly [texts: Mistakes, digests: readonly Mistakes[]];

/** Steps that make the signature of the text, which is made once for all of them. */
const isOfDigest = ({ part }: Mistake): boolean => PARTS.indexOf(part) >= PARTS.indexOf('charset');

/** Mistakes that are often made with others, by id, the likeliest first: the n-th has the rank n + 1. */
const LIKELY = (
  'order-unsorted single-md5 missing-field form-encoded empty-kept key-first inner-upper-case url-encoded ' +
  'url-encoded-marks-kept key-separator-name hmac-md5 other-value key-with-line-feed order-descending ' +
  'text-with-line-feed extra-field terms-run-together key-both-ends hmac-sha256 sha256 sha1 json-body ' +
  'base64 key-from-base64 key-missing inner-raw order-by-value order-hash-map json-sorted joint-missing ' +
  'joint-comma values-only equals-missing json-spaced json-escaped booleans-python trailing-ampersand ' +
  'renamed-field key-is-partner-id key-hashed'
).split(' ');
const FREQUENT_RANK = 50;
const RARE_RANK = 80;
/** Greatest product of the ranks of two mistakes that are tried together, and of more. */
const MOST_OF_TWO = FREQUENT_RANK ** 2;
const MOST_OF_MORE = 1200;

interface Ranked {
  readonly mistakes: Mistakes;
  readonly rank: number;
}

/**
 * Several mistakes at once, of different steps of the algorithm, or all in the fields: many that are
 * likely, or a rare one and a frequent one. Pairs come before more.
 */
export function* compositions(
  shown: Mistakes,
  frequent: ReadonlySet<Mistake>,
): Generator<Candidates> {
  const rankOf = (one: Mistake): number => {
    const likely = LIKELY.indexOf(one.id.replace(/:.*/, ''));
    if (!frequent.has(one)) return RARE_RANK;
    return likely === -1 ? FREQUENT_RANK : likely + 2;
  };
  const ranked = byRank(shown.map((one) => ({ one, rank: rankOf(one) })));
  const combined = (isDigest: boolean): Ranked[] =>
    byRank([...together(ranked.filter(({ one }) => isOfDigest(one) === isDigest))]);
  const [texts, digests] = [combined(false), combined(true)];
  for (const most of [MOST_OF_TWO, MOST_OF_MORE]) {
    for (const { mistakes, rank } of texts) {
      const some: Mistakes[] = [];
      for (const digest of digests) {
        if (digest.rank * rank > most) break;
        const count = mistakes.length + digest.mistakes.length;
        if (most === MOST_OF_TWO ? count === 2 : count > 2) some.push(digest.mistakes);
      }
      if (some.length > 0) yield [mistakes, some];
    }
  }
}

const byRank = <One extends { readonly rank: number }>(all: readonly One[]): One[] =>
  all.toSorted((a, b) => a.rank - b.rank);

/** Every set of mistakes in different parts whose ranks have a product within the bound. */
function* together(
  all: readonly { readonly one: Mistake; readonly rank: number }[],
  { mistakes, rank }: Ranked = { mistakes: [], rank: 1 },
): Generator<Ranked> {
  yield { mistakes, rank };
  const most = (mistakes.length < 2 ? MOST_OF_TWO : MOST_OF_MORE) / rank;
  for (const [at, { one, rank: own }] of all.entries()) {
    if (own > most) break;
    if (one.part !== 'fields' && mistakes.some(({ part }) => part === one.part)) continue;
    yield* together(all.slice(at + 1), { mistakes: [...mistakes, one], rank: rank * own });
  }
}

/** Mistakes that show in a request, each text or signature once, the likelier mistake first. */
export function shownIn(mistakes: Mistakes, sign: (recipe: Recipe) => string): Mistake[] {
  const kept: Recipe = { ...DOCUMENTED_RECIPE, empties: '' };
  const seen = new Set([`${sign(DOCUMENTED_RECIPE)} ${sign(kept)}`]);
  return mistakes.filter(({ apply }) => {
    const made = `${sign(apply(DOCUMENTED_RECIPE))} ${sign(apply(kept))}`;
    return !seen.has(made) && seen.add(made);
  });
}
