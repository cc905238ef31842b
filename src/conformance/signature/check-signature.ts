import type { SignatureDiagnosis } from '../../documents/parsed-request.ts';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  explainSignature,
  type SignaturePairs,
  type SignatureSettings,
} from '../../interface/signature.ts';
import { type Candidates, compositions, shownIn } from './mistakes/compositions.ts';
import { enumeratedMistakes } from './mistakes/enumerated.ts';
import { fieldMistakes } from './mistakes/fields.ts';
import { FREQUENT_MISTAKES } from './mistakes/frequent.ts';
import { rareMistakes } from './mistakes/rare.ts';
import {
  DOCUMENTED_RECIPE,
  digestBy,
  type Mistake,
  PARTS,
  type Pairs,
  type Recipe,
  signBy,
  textBy,
} from './recipe.ts';
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
  search: MistakeSearch = 'combined',
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
 * @param search `singles` takes some milliseconds, `pairs` a second or two, for a signature that nothing
 * explains
 * @param partnerId empty if it is not known
 * @throws FareproofError `SIGNATURE_NO_PAIRS`, `SIGNATURE_KEY_NOT_TEXT` or `SIGNATURE_VALUE_UNSUPPORTED`
 */
export function checkPairs(
  pairs: SignaturePairs,
  signingKey: string,
  signature: string,
  search: MistakeSearch = 'combined',
  partnerId: string = '',
): PairsDiagnosis {
  const settings = settingsMatching(pairs, signingKey, signature) ?? DEFAULT_SIGNATURE_SETTINGS;
  const sent: SentSignature = {
    kind: '_' in pairs || 'grant_type' in pairs ? 'token' : 'estimate',
    partner: { id: partnerId, signingKey },
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

/** Ids of the mistakes, one or more at once, that explained other signatures of a client. */
export type Likely = readonly (readonly string[])[];

/** The mistakes of some ids; several may have one id. */
function ofIds(mistakes: readonly Mistake[], ids: readonly string[]): (readonly Mistake[])[] {
  return ids.reduce<(readonly Mistake[])[]>(
    (some, wanted) =>
      mistakes.flatMap((one) => (one.id === wanted ? some.map((all) => [...all, one]) : [])),
    [[]],
  );
}

/** Work that a search may do: about 40 million units take a second. */
const MAX_WORK = 60_000_000;
/** Work of another digest of a text that is made, as a share of that of the first one. */
const SHARE_OF_DIGEST = 0.4;

/**
 * Number of candidates that a search may try, by the work that one takes. It covers all compositions
 * of mistakes in requests of some ten fields; in longer ones the likelier.
 */
export function candidateLimit(pairCount: number, canonical: string): number {
  return Math.ceil(MAX_WORK / (2 * canonical.length + 40 * pairCount + 150));
}

/** Fields of the largest request in which mistakes are looked for: each field may be one. */
export const MOST_SEARCHED_FIELDS = 100;

/** Extent of the search: a single mistake, or several at once as well, which takes up to a second or two. */
export type MistakeSearch = 'none' | 'single' | 'combined';

/**
 * Checks a signature by the documented algorithm and, if it is wrong, searches for the known mistake,
 * or several at once, that produces it.
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
  search: MistakeSearch = 'combined',
  likely: Likely = [],
): SignatureDiagnosis {
  const { canonical, signature: expected } = explainSignature(sent, signingKey);
  if (signature.toLowerCase() === expected) return rightSignature(canonical);
  const pairs = Object.entries(sent);
  let left = candidateLimit(pairs.length, canonical);
  const documented = documentedRecipes(pairs);
  for (const [texts, digests] of candidates(pairs, signingKey, context, search, likely)) {
    const tried: string[] = [];
    for (const right of documented) {
      const recipe = changed(right, texts);
      const signedText = textBy(recipe, pairs);
      if (tried.includes(signedText)) continue;
      tried.push(signedText);
      for (const digest of digests) {
        left -= digest === digests[0] ? 1 : SHARE_OF_DIGEST;
        if (left < 0) return unexplained(canonical);
        const produced = digestBy(changed(recipe, digest), signedText, signingKey);
        // Hex digits match in either case; Base64 is case-sensitive.
        if (produced === '' || (produced !== signature && produced !== signature.toLowerCase()))
          continue;
        const made = (some: readonly Mistake[]): string =>
          signBy(changed(right, some), pairs, signingKey).signature;
        const mistakes = needed([...texts, ...digest], made)
          .toSorted((a, b) => PARTS.indexOf(a.part) - PARTS.indexOf(b.part))
          .map(({ id, statement, advice }) => ({ id, statement, advice }));
        return { verdict: 'explained', mistakes, signedText, canonical };
      }
    }
  }
  return unexplained(canonical);
}

/** A recipe with some mistakes. */
const changed = (recipe: Recipe, mistakes: readonly Mistake[]): Recipe =>
  mistakes.reduce((before, { apply }) => apply(before), recipe);

/** Mistakes without those that change nothing beside the others. */
function needed(
  mistakes: readonly Mistake[],
  made: (some: readonly Mistake[]) => string,
): readonly Mistake[] {
  for (const one of mistakes) {
    const others = mistakes.filter((other) => other !== one);
    if (made(others) === made(mistakes)) return needed(others, made);
  }
  return mistakes;
}

const unexplained = (canonical: string): SignatureDiagnosis => {
  return { verdict: 'unexplained', mistakes: [], signedText: null, canonical };
};

/** The diagnosis of a right signature of a text. */
function rightSignature(canonical: string, gaps: readonly string[] = []): SignatureDiagnosis {
  const right = { verdict: 'right', mistakes: [], signedText: canonical, canonical } as const;
  return gaps.length === 0 ? right : { ...right, gaps };
}

/** Single mistakes before pairs, and these before more: the simpler explanation is the likelier. */
function* candidates(
  pairs: Pairs,
  signingKey: string,
  context: SigningContext,
  search: MistakeSearch,
  likely: Likely,
): Generator<Candidates> {
  if (search === 'none') return;
  const frequent = [...FREQUENT_MISTAKES, ...fieldMistakes(pairs, context)];
  const rare = (): Iterable<Mistake> => rareMistakes(signingKey, context);
  const together = (mistakes: readonly Mistake[]): Candidates => [mistakes, [[]]];
  const all = likely.length === 0 ? [] : [...frequent, ...rare()];
  for (const ids of likely) yield* ofIds(all, ids).map(together);
  for (const mistake of frequent) yield together([mistake]);
  if (search === 'single') return;
  for (const mistake of rare()) yield together([mistake]);
  for (const mistake of enumeratedMistakes(pairs, signingKey)) yield together([mistake]);
  const sign = (recipe: Recipe): string => signBy(recipe, pairs, signingKey).signature;
  const shown = shownIn([...frequent, ...rareMistakes(signingKey, context, false)], sign);
  yield* compositions(shown, new Set(frequent));
}

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
