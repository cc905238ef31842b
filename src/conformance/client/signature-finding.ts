import {
  explainSignature,
  type SignaturePairs,
  type SignatureSettings,
} from '../../interface/signature.ts';
import type { SignatureFinding } from './observed.ts';
import { diagnoseSignature } from './signature-diagnosis.ts';
import { otherTimes } from './signature-times.ts';

/** A partner whose key is known. */
export interface KnownPartner {
  readonly id: string;
  readonly signingKey: string;
}

/** Which fields enter a signature (gaps `signed-fields-token`, `signed-fields-estimate`). */
export interface SignedFields {
  readonly token: 'all' | readonly string[];
  readonly estimate: 'all' | readonly string[];
}

/** A signature that was sent, and what it may cover. */
export interface SentSignature {
  readonly kind: 'token' | 'estimate';
  readonly partner: KnownPartner;
  readonly signature: string;
  readonly pairs: SignaturePairs;
  /** Of an estimate: the values as they stand in the query. */
  readonly encodedPairs: Readonly<Record<string, string>> | null;
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
  for (const settings of SETTINGS) {
    const { canonical, signature } = explainSignature(pairs, signingKey, settings);
    if (signature === wanted) {
      return { verdict: 'right', mistakes: [], signedText: canonical, canonical };
    }
  }
  const again = sent.kind === 'estimate' ? decodedAgain(pairs) : pairs;
  if (explainSignature(again, signingKey).signature === wanted) {
    // The signature is right, and the query says it in a wrong encoding.
    const { canonical } = explainSignature(again, signingKey);
    return { verdict: 'right', mistakes: [], signedText: canonical, canonical };
  }
  return diagnoseSignature(pairs, signingKey, sent.signature, {
    singlesOnly: sent.singlesOnly,
    extraFields: extraFieldsOf(sent),
    otherValues: otherValuesOf(sent, pairs),
    manyValues: sent.kind === 'token' ? { _: otherTimes(pairs['_']) } : {},
  });
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
  if (kind === 'token') return { ...common, scope: 'public' };
  return { ...common, map_type: 'soso', access_token: token, openid: token, token };
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
