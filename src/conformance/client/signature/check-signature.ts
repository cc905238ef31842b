import type { SignatureDiagnosis } from '../../../documents/parsed-request.ts';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  explainSignature,
  type SignaturePairs,
  type SignatureSettings,
} from '../../../interface/signature.ts';
import { fieldMistakes, rareMistakes } from './field-mistakes.ts';
import { acceptsKey } from './recipe/digest.ts';
import { DOCUMENTED_RECIPE, type Mistake, type Recipe, signBy } from './recipe/recipe.ts';
import type { Pairs } from './recipe/text.ts';
import { RECIPE_MISTAKES } from './recipe-mistakes.ts';
import {
  ALL_FIELDS,
  type SentSignature,
  type SigningContext,
  signingContext,
} from './signing-context.ts';

/** Every combination of answers to the gaps of the algorithm; the defaults first. */
const SETTINGS: readonly SignatureSettings[] = (['numeric', 'literal'] as const).flatMap(
  (booleans) =>
    (['escaped', 'plain'] as const).flatMap((slashInList) =>
      (['kept', 'skipped'] as const).map((textZero) => ({ booleans, slashInList, textZero })),
    ),
);

const GAP_OF: Readonly<Record<keyof SignatureSettings, string>> = {
  textZero: 'text-zero-signed',
  slashInList: 'slash-in-list',
  booleans: 'signed-booleans-and-objects',
};

/**
 * Checks the signature of a request: it is right under any answer to the gaps of the algorithm; a
 * wrong one is diagnosed. Null if the request has nothing to sign.
 *
 * @see interface.md, "Signature algorithm"
 */
export function checkSignature(
  sent: SentSignature,
  search: MistakeSearch = 'pairs',
): SignatureDiagnosis | null {
  const chosen = sent.signedFields[sent.kind];
  const pairs = chosen === 'all' ? sent.pairs : pick(sent.pairs, chosen);
  if (Object.keys(pairs).length === 0) return null;
  const { signingKey } = sent.partner;
  const settings = settingsMatching(pairs, signingKey, sent.signature);
  if (settings) return rightSignature(explainSignature(pairs, signingKey, settings).canonical);
  if (sent.encodedPairs !== null) {
    // The query may be percent-encoded twice; the signature of the plain values is right.
    const { canonical, signature } = explainSignature(decodedAgain(pairs), signingKey);
    if (signature === sent.signature.toLowerCase()) return rightSignature(canonical);
  }
  return diagnoseSignature(pairs, signingKey, sent.signature, signingContext(sent, pairs), search);
}

/** The diagnosis of a signature of given pairs. */
export interface PairsDiagnosis extends SignatureDiagnosis {
  /** Gaps to which a right signature needs another answer than the default. */
  readonly gaps: readonly string[];
}

/**
 * Checks a signature of given pairs, as {@link checkSignature} does that of a request.
 *
 * @throws FareproofError `SIGNATURE_NO_PAIRS`, `SIGNATURE_KEY_NOT_TEXT` or `SIGNATURE_VALUE_UNSUPPORTED`
 */
export function checkPairs(
  pairs: SignaturePairs,
  signingKey: string,
  signature: string,
): PairsDiagnosis {
  const settings = settingsMatching(pairs, signingKey, signature) ?? DEFAULT_SIGNATURE_SETTINGS;
  const names = Object.keys(GAP_OF) as (keyof SignatureSettings)[];
  const gaps = names
    .filter((name) => settings[name] !== DEFAULT_SIGNATURE_SETTINGS[name])
    .map((name) => GAP_OF[name]);
  const diagnosis = checkSignature({
    kind: '_' in pairs || 'grant_type' in pairs ? 'token' : 'estimate',
    partner: { id: '', signingKey },
    signature,
    pairs,
    encodedPairs: null,
    token: null,
    earlier: { _: [], nostr: [] },
    signedFields: ALL_FIELDS,
  });
  return { ...(diagnosis ?? diagnoseSignature(pairs, signingKey, signature)), gaps };
}

/** Answers to the gaps under which a signature is right; undefined if there are none. */
function settingsMatching(
  pairs: SignaturePairs,
  signingKey: string,
  signature: string,
): SignatureSettings | undefined {
  const wanted = signature.toLowerCase();
  return SETTINGS.find(
    (settings) => explainSignature(pairs, signingKey, settings).signature === wanted,
  );
}

function decodedAgain(pairs: SignaturePairs): SignaturePairs {
  const decode = (value: unknown): unknown => {
    try {
      return typeof value === 'string' ? decodeURIComponent(value) : value;
    } catch {
      return value;
    }
  };
  return Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, decode(value)]));
}

function pick(pairs: SignaturePairs, names: readonly string[]): SignaturePairs {
  return Object.fromEntries(Object.entries(pairs).filter(([name]) => names.includes(name.trim())));
}

/** Extent of the search for mistakes: pairs of them take a fraction of a second. */
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
): SignatureDiagnosis {
  const { canonical, signature: expected } = explainSignature(sent, signingKey);
  if (signature.toLowerCase() === expected) return rightSignature(canonical);
  const pairs = Object.entries(sent);
  for (const mistakes of candidates(pairs, context, search)) {
    const signedText = textProducing(signature, recipeWith(mistakes), pairs, signingKey);
    if (signedText !== null) {
      return { verdict: 'explained', mistakes: mistakes.map(stored), signedText, canonical };
    }
  }
  return { verdict: 'unexplained', mistakes: [], signedText: null, canonical };
}

/** The diagnosis of a right signature of a text. */
function rightSignature(canonical: string): SignatureDiagnosis {
  return { verdict: 'right', mistakes: [], signedText: canonical, canonical };
}

/** Single mistakes before pairs: the simpler explanation is the likelier. */
function* candidates(
  pairs: Pairs,
  context: SigningContext,
  search: MistakeSearch,
): Generator<readonly Mistake[]> {
  if (search === 'none') return;
  const mistakes = [...RECIPE_MISTAKES, ...fieldMistakes(pairs, context)];
  for (const mistake of [...mistakes, ...rareMistakes(context)]) yield [mistake];
  if (search === 'pairs') yield* combinations(mistakes);
}

function* combinations(mistakes: readonly Mistake[]): Generator<readonly Mistake[]> {
  for (const [index, first] of mistakes.entries()) {
    for (const second of mistakes.slice(index + 1)) {
      if (second.part !== first.part || first.part === 'fields') yield [first, second];
    }
  }
}

function recipeWith(mistakes: readonly Mistake[]): Recipe {
  return mistakes.reduce((recipe, mistake) => mistake.apply(recipe), DOCUMENTED_RECIPE);
}

/** Hex digits match in either case; Base64 is case-sensitive. */
function textProducing(wanted: string, recipe: Recipe, pairs: Pairs, key: string): string | null {
  if (!acceptsKey(recipe, key)) return null;
  const { signature, signedText } = signBy(recipe, pairs, key);
  return signature === wanted || signature === wanted.toLowerCase() ? signedText : null;
}

function stored({ id, statement, advice }: Mistake): SignatureDiagnosis['mistakes'][number] {
  return { id, statement, advice };
}
