import type { SignatureDiagnosis } from '../../documents/parsed-request.ts';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  explainSignature,
  type SignaturePairs,
  type SignatureSettings,
} from '../../interface/signature.ts';
import { compositions } from './mistakes/compositions.ts';
import { enumeratedMistakes } from './mistakes/enumerated.ts';
import { fieldMistakes } from './mistakes/fields.ts';
import { FREQUENT_MISTAKES } from './mistakes/frequent.ts';
import { rareMistakes } from './mistakes/rare.ts';
import { DOCUMENTED_RECIPE, type Mistake, type Pairs, type Recipe, signBy } from './recipe.ts';
import {
  ALL_FIELDS,
  type SentSignature,
  type SigningContext,
  signingContext,
} from './signing-context.ts';

type Settings = { readonly [name in keyof SignatureSettings]: readonly SignatureSettings[name][] };

/** Answers to the gaps of the algorithm, the default first; those that concern the pairs. */
function answersFor(pairs: SignaturePairs): Settings {
  const text = JSON.stringify(pairs, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const hasEmpty = /null|\[\]|\{\}/.test(text);
  const hasOddSpace = /\\f|\\u0000|[^\S ]/.test(text);
  return {
    booleans: ['numeric', 'literal'],
    slashInList: ['escaped', 'plain'],
    textZero: ['kept', 'skipped'],
    whitespace: hasOddSpace ? ['ascii', 'unicode', 'php'] : ['ascii'],
    emptyValues: hasEmpty ? ['skipped', 'lists', 'both'] : ['skipped'],
  };
}

/** Every combination of the answers; the defaults first. */
function combinationsOf(answers: Settings): SignatureSettings[] {
  return Object.entries(answers).reduce<Partial<SignatureSettings>[]>(
    (some, [name, values]) =>
      some.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as SignatureSettings[];
}

const GAPS = [
  ['textZero', 'text-zero-signed'],
  ['slashInList', 'slash-in-list'],
  ['booleans', 'signed-booleans-and-objects'],
  ['whitespace', 'whitespace-trimmed'],
  ['emptyValues', 'null-and-empty-list-signed'],
] as const;

/**
 * Checks the signature of a request: it is right under any answer to the gaps of the algorithm; a
 * wrong one is diagnosed. Null if the request has nothing to sign.
 *
 * @see interface.md, "Signature algorithm"
 */
export function checkSignature(
  sent: SentSignature,
  search: MistakeSearch = 'pairs',
  likely: Likely = [],
): SignatureDiagnosis | null {
  const chosen = sent.signedFields[sent.kind];
  const sentPairs = Object.entries(sent.pairs);
  const signed = sentPairs.filter(([name]) => chosen === 'all' || chosen.includes(name.trim()));
  if (signed.length === 0) return null;
  const pairs = Object.fromEntries(signed);
  const { signingKey } = sent.partner;
  const settings = settingsMatching(pairs, signingKey, sent.signature);
  if (settings) {
    const { canonical } = explainSignature(pairs, signingKey, settings);
    return rightSignature(canonical, gapsOf(settings));
  }
  if (sent.encodedPairs) {
    // The query may be encoded twice; the signature of the plain values is right.
    for (const decode of SECOND_DECODINGS) {
      const decoded = signed.map(([name, value]) => [name, decodedAgain(value, decode)] as const);
      const { canonical, signature } = explainSignature(Object.fromEntries(decoded), signingKey);
      if (signature === sent.signature.toLowerCase()) {
        return { ...rightSignature(canonical), encodedTwice: true };
      }
    }
  }
  return diagnoseSignature(
    pairs,
    signingKey,
    sent.signature,
    signingContext(sent, pairs),
    search,
    likely,
  );
}

/** The diagnosis of a signature of given pairs. */
export interface PairsDiagnosis extends SignatureDiagnosis {
  /** Gaps to which a right signature needs another answer than the default. */
  readonly gaps: readonly string[];
}

/**
 * Checks a signature of given pairs, as {@link checkSignature} does that of a request.
 *
 * @param search `singles` takes some milliseconds, `pairs` some hundreds, for a signature that nothing
 * explains
 * @throws FareproofError `SIGNATURE_NO_PAIRS`, `SIGNATURE_KEY_NOT_TEXT` or `SIGNATURE_VALUE_UNSUPPORTED`
 */
export function checkPairs(
  pairs: SignaturePairs,
  signingKey: string,
  signature: string,
  search: MistakeSearch = 'pairs',
): PairsDiagnosis {
  const settings = settingsMatching(pairs, signingKey, signature) ?? DEFAULT_SIGNATURE_SETTINGS;
  const sent: SentSignature = {
    kind: '_' in pairs || 'grant_type' in pairs ? 'token' : 'estimate',
    partner: { id: '', signingKey },
    signature,
    pairs,
    token: null,
    earlier: { _: [], nostr: [] },
    signedFields: ALL_FIELDS,
  };
  return {
    ...(checkSignature(sent, search) ?? diagnoseSignature(pairs, signingKey, signature)),
    gaps: gapsOf(settings),
  };
}

/** The gaps to which some settings give another answer than the default. */
function gapsOf(settings: SignatureSettings): string[] {
  return GAPS.filter(([name]) => settings[name] !== DEFAULT_SIGNATURE_SETTINGS[name]).map(
    ([, gap]) => gap,
  );
}

/** Answers to the gaps under which a signature is right; undefined if there are none. */
function settingsMatching(
  pairs: SignaturePairs,
  signingKey: string,
  signature: string,
): SignatureSettings | undefined {
  const wanted = signature.toLowerCase();
  return combinationsOf(answersFor(pairs)).find(
    (settings) => explainSignature(pairs, signingKey, settings).signature === wanted,
  );
}

/** Decodings of values that `client/estimate-encoding` takes for encoded twice. */
const SECOND_DECODINGS: readonly ((text: string) => string)[] = [
  decodeURIComponent,
  (text) => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1')),
  (text) =>
    text.replace(/&#(x?)([0-9a-f]{2,6});/gi, (_, hex: string, digits: string) =>
      String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10)),
    ),
  (text) =>
    text.replace(/\\u([0-9a-f]{4})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    ),
];

function decodedAgain(value: unknown, decode: (text: string) => string): unknown {
  try {
    return typeof value === 'string' ? decode(value) : value;
  } catch {
    return value;
  }
}

/** Ids of the mistakes, or pairs of mistakes, that explained other signatures of a client. */
export type Likely = readonly (readonly string[])[];

/** The mistakes of some ids; several may have one id. */
function* combinations(
  mistakes: readonly Mistake[],
  likely: Likely,
): Generator<readonly Mistake[]> {
  for (const [first, second] of likely) {
    for (const one of mistakes.filter(({ id }) => id === first)) {
      if (second === undefined) yield [one];
      else for (const other of mistakes.filter(({ id }) => id === second)) yield [one, other];
    }
  }
}

/** Work that a search may do: about 20 million units take a second. */
const MAX_WORK = 28_000_000;

/**
 * Number of candidates that a search may try, by the work that one takes. It covers all pairs of
 * mistakes in requests of some twenty fields; in longer ones the likelier pairs.
 */
export function candidateLimit(pairCount: number, canonical: string): number {
  return Math.ceil(MAX_WORK / (canonical.length + 20 * pairCount + 150));
}

/** Fields of the largest request in which mistakes are looked for: each field may be one. */
export const MOST_SEARCHED_FIELDS = 100;

/** Extent of the search for mistakes: pairs of them take up to a second or two. */
export type MistakeSearch = 'none' | 'singles' | 'pairs';

/**
 * Checks a signature by the documented algorithm and, if it is wrong, searches for the known mistake,
 * or pair of mistakes, that produces it.
 *
 * @param sent the pairs as the request carries them, in their order
 * @throws FareproofError `SIGNATURE_NO_PAIRS` or `SIGNATURE_VALUE_UNSUPPORTED`
 * @see interface.md, "Signature algorithm"
 */
export function diagnoseSignature(
  sent: SignaturePairs,
  signingKey: string,
  signature: string,
  context: SigningContext = {},
  search: MistakeSearch = 'pairs',
  likely: Likely = [],
): SignatureDiagnosis {
  const { canonical, signature: expected } = explainSignature(sent, signingKey);
  if (signature.toLowerCase() === expected) return rightSignature(canonical);
  const pairs = Object.entries(sent);
  let left = candidateLimit(pairs.length, canonical);
  const documented = documentedRecipes(pairs);
  const idle = new Set<Mistake | undefined>();
  for (const mistakes of candidates(pairs, signingKey, context, search, likely, idle)) {
    for (const right of documented) {
      if (left-- === 0) return unexplained(canonical);
      const recipe = mistakes.reduce((changed, { apply }) => apply(changed), right);
      const { signature: produced, signedText } = signBy(recipe, pairs, signingKey);
      if (produced === expected && mistakes.length === 1) idle.add(mistakes[0]);
      if (produced === '') continue;
      // Hex digits match in either case; Base64 is case-sensitive.
      if (produced !== signature && produced !== signature.toLowerCase()) continue;
      const stored = mistakes.map(({ id, statement, advice }) => ({ id, statement, advice }));
      return { verdict: 'explained', mistakes: stored, signedText, canonical };
    }
  }
  return unexplained(canonical);
}

const unexplained = (canonical: string): SignatureDiagnosis => ({
  verdict: 'unexplained',
  mistakes: [],
  signedText: null,
  canonical,
});

/** The diagnosis of a right signature of a text. */
function rightSignature(canonical: string, gaps: readonly string[] = []): SignatureDiagnosis {
  const right = { verdict: 'right', mistakes: [], signedText: canonical, canonical } as const;
  return gaps.length === 0 ? right : { ...right, gaps };
}

/**
 * Single mistakes before pairs: the simpler explanation is the likelier.
 *
 * @param idle those of them that do not show in this request; filled while they are tried
 */
function* candidates(
  pairs: Pairs,
  signingKey: string,
  context: SigningContext,
  search: MistakeSearch,
  likely: Likely,
  idle: ReadonlySet<Mistake | undefined>,
): Generator<readonly Mistake[]> {
  if (search === 'none') return;
  const mistakes = [...FREQUENT_MISTAKES, ...fieldMistakes(pairs, context)];
  const rare = (): Iterable<Mistake> => rareMistakes(signingKey, context);
  if (likely.length > 0) yield* combinations([...mistakes, ...rare()], likely);
  for (const mistake of mistakes) yield [mistake];
  if (search === 'singles') return;
  for (const mistake of rare()) yield [mistake];
  for (const mistake of enumeratedMistakes(pairs, signingKey)) yield [mistake];
  // Pairs of the likelier ones first: a long request does not get to the end.
  const shown = mistakes.filter((one) => !idle.has(one) || ANY_FIELDS.has(one.part));
  for (const [index, second] of shown.entries()) {
    for (const first of shown.slice(0, index)) {
      if (second.part !== first.part || first.part === 'fields') yield [first, second];
    }
  }
  yield* compositions();
}

/** Parts in which a mistake shows beside another one, although it does not show by itself. */
const ANY_FIELDS: ReadonlySet<keyof Recipe> = new Set(['order', 'empties', 'trimmed', 'ends']);

/** The documented algorithm by each answer to the gaps that matters for the pairs; the defaults first. */
function documentedRecipes(pairs: Pairs): Recipe[] {
  const texts = new Set<string>();
  let recipes = [DOCUMENTED_RECIPE];
  for (const answer of OTHER_ANSWERS) {
    recipes = recipes.concat(recipes.map((recipe) => ({ ...recipe, ...answer })));
  }
  return recipes.filter((recipe) => {
    const { signedText } = signBy(recipe, pairs, '');
    return !texts.has(signedText) && texts.add(signedText);
  });
}

/** Answers to the gaps of the algorithm that differ from the default. */
const OTHER_ANSWERS: readonly Partial<Recipe>[] = [
  { slash: '/' },
  { booleans: ['true', 'false'] },
  { zero: 'text-dropped' },
];
