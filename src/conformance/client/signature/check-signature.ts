import {
  DEFAULT_SIGNATURE_SETTINGS,
  explainSignature,
  type SignaturePairs,
  type SignatureSettings,
} from '../../../interface/signature.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { SignatureFinding } from '../traffic/parsed-request.ts';
import { diagnoseSignature } from './diagnosis.ts';
import { otherTimes } from './times.ts';

/** Which fields enter a signature (gaps `signed-fields-token`, `signed-fields-estimate`). */
export interface SignedFields {
  readonly token: 'all' | readonly string[];
  readonly estimate: 'all' | readonly string[];
}

/** A signature that was sent, and what it may cover. */
export interface SentSignature {
  readonly kind: 'token' | 'estimate';
  readonly partner: PartnerCredentials;
  readonly signature: string;
  readonly pairs: SignaturePairs;
  /** Of an estimate: the values as they stand in the query. */
  readonly encodedPairs: Readonly<Record<string, string>> | null;
  /** Of a token request: its body as it was sent. */
  readonly bodyText: string | undefined;
  /** The access token beside it. */
  readonly token: string | null;
  /** Of the requests before. */
  readonly sentBefore: { readonly _: readonly unknown[]; readonly nostr: readonly unknown[] };
  readonly signedFields: SignedFields;
  /** Whether pairs of mistakes, which take long to try, are left out. */
  readonly singlesOnly: boolean;
}

/** Every combination of answers to the gaps of the algorithm; the defaults first. */
const SETTINGS: readonly SignatureSettings[] = (['numeric', 'literal'] as const).flatMap(
  (booleans) =>
    (['escaped', 'plain'] as const).flatMap((slashInList) =>
      (['kept', 'skipped'] as const).map((textZero) => ({ booleans, slashInList, textZero })),
    ),
);

/**
 * Says whether a signature is right, under any answer to the gaps of the algorithm, and if not,
 * which mistake explains it; null where nothing could have been signed.
 *
 * @see interface.md, "Signature algorithm"
 */
export function findSignature(sent: SentSignature): SignatureFinding | null {
  const chosen = sent.signedFields[sent.kind];
  const pairs = chosen === 'all' ? sent.pairs : pick(sent.pairs, chosen);
  if (Object.keys(pairs).length === 0) return null;
  const { signingKey } = sent.partner;
  const wanted = sent.signature.toLowerCase();
  const settings = settingsGiving(pairs, signingKey, wanted);
  if (settings !== null) {
    const { canonical } = explainSignature(pairs, signingKey, settings);
    return { verdict: 'right', mistakes: [], signedText: canonical, canonical };
  }
  const again = sent.encodedPairs === null ? pairs : decodedAgain(pairs);
  if (explainSignature(again, signingKey).signature === wanted) {
    // The signature is right, and the query says it in a wrong encoding.
    const { canonical } = explainSignature(again, signingKey);
    return { verdict: 'right', mistakes: [], signedText: canonical, canonical };
  }
  return diagnoseSignature(pairs, signingKey, sent.signature, {
    singlesOnly: sent.singlesOnly,
    bodyText: sent.bodyText,
    extraFields: extraFieldsOf(sent),
    otherValues: otherValuesOf(sent, pairs),
    manyValues: sent.kind === 'token' ? { _: otherTimes(pairs['_']) } : {},
  });
}

/** Answers to the gaps of the algorithm under which a signature is right; null for none. */
function settingsGiving(
  pairs: SignaturePairs,
  signingKey: string,
  wanted: string,
): SignatureSettings | null {
  return (
    SETTINGS.find(
      (settings) => explainSignature(pairs, signingKey, settings).signature === wanted,
    ) ?? null
  );
}

const GAP_OF: Readonly<Record<keyof SignatureSettings, string>> = {
  textZero: 'text-zero-signed',
  slashInList: 'slash-in-list',
  booleans: 'signed-booleans-and-objects',
};

/** What a signature of given pairs turned out to be. */
export interface SignatureJudgement extends SignatureFinding {
  /** Where it is right under other answers to gaps than the defaults: the ids of those gaps. */
  readonly gaps: readonly string[];
}

/**
 * Says whether a signature of pairs is right, as {@link findSignature} says it of a request.
 *
 * @throws FareproofError `SIGNATURE_NO_PAIRS`, `SIGNATURE_KEY_NOT_TEXT` or `SIGNATURE_VALUE_UNSUPPORTED`
 */
export function judgeSignature(
  pairs: SignaturePairs,
  signingKey: string,
  signature: string,
): SignatureJudgement {
  const settings = settingsGiving(pairs, signingKey, signature.toLowerCase());
  const names = Object.keys(GAP_OF) as (keyof SignatureSettings)[];
  const gaps = names
    .filter((name) => settings !== null && settings[name] !== DEFAULT_SIGNATURE_SETTINGS[name])
    .map((name) => GAP_OF[name]);
  const finding = findSignature({
    kind: '_' in pairs || 'grant_type' in pairs ? 'token' : 'estimate',
    partner: { id: '', signingKey },
    signature,
    pairs,
    encodedPairs: null,
    bodyText: undefined,
    token: null,
    sentBefore: { _: [], nostr: [] },
    signedFields: { token: 'all', estimate: 'all' },
    singlesOnly: false,
  });
  return { ...(finding ?? diagnoseSignature(pairs, signingKey, signature)), gaps };
}

/** The values of a query that was percent-encoded twice. */
function decodedAgain(pairs: SignaturePairs): SignaturePairs {
  const decode = (value: unknown): unknown => {
    try {
      return typeof value === 'string' && /%[0-9A-Fa-f]{2}/.test(value)
        ? decodeURIComponent(value)
        : value;
    } catch {
      return value;
    }
  };
  return Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, decode(value)]));
}

function pick(pairs: SignaturePairs, names: readonly string[]): SignaturePairs {
  return Object.fromEntries(Object.entries(pairs).filter(([name]) => names.includes(name.trim())));
}

/** What clients are known to sign without sending it. */
function extraFieldsOf({ kind, partner, token }: SentSignature): Record<string, unknown> {
  const { id, signingKey } = partner;
  const common = {
    partner_id: id,
    partnerId: id,
    client_id: id,
    app_id: id,
    id,
    key: signingKey,
    signing_key: signingKey,
    sign_key: signingKey,
    secret: signingKey,
    client_secret: signingKey,
  };
  const own =
    kind === 'token'
      ? { scope: 'public' }
      : { map_type: 'soso', access_token: token, openid: token, token };
  const known = Object.entries({ ...common, ...own }).filter(([, value]) => value);
  return Object.fromEntries(known);
}

function otherValuesOf(
  { kind, encodedPairs, sentBefore }: SentSignature,
  pairs: SignaturePairs,
): Record<string, unknown[]> {
  if (kind === 'estimate') {
    const encoded = Object.entries(encodedPairs ?? {}).filter(
      ([name, value]) => pairs[name] !== value,
    );
    return Object.fromEntries(encoded.map(([name, value]) => [name, [value]]));
  }
  const { _: time, nostr } = pairs;
  const others: Record<string, unknown[]> = {
    _: sentBefore._.filter((value) => value !== time),
    nostr: sentBefore.nostr.filter((value) => value !== nostr),
  };
  if (typeof nostr === 'string') {
    others['nostr']?.push(
      ...[nostr.toLowerCase(), nostr.toUpperCase(), nostr.trim()].filter((text) => text !== nostr),
    );
  }
  if (typeof pairs['scope'] === 'string') {
    others['scope'] = [
      pairs['scope'].split(' ').sort().join(' '),
      pairs['scope'].replaceAll(' ', ','),
      pairs['scope'].split(' '),
    ].filter((value) => value !== pairs['scope']);
  }
  return others;
}
