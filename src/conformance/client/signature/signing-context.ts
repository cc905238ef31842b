import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { SignaturePairs } from '../../../interface/signature.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { otherTimes } from './other-times.ts';

/** Fields that are signed (gaps `signed-fields-token`, `signed-fields-estimate`). */
export interface SignedFields {
  readonly token: 'all' | readonly string[];
  readonly estimate: 'all' | readonly string[];
}

/** The documented fields: all that are sent. */
export const ALL_FIELDS: SignedFields = { token: 'all', estimate: 'all' };

/** A signature as sent, with the parts of the request that it may cover. */
export interface SentSignature {
  readonly kind: 'token' | 'estimate';
  readonly partner: PartnerCredentials;
  readonly signature: string;
  readonly pairs: SignaturePairs;
  /** Encoded values of the query of an estimate request. */
  readonly encodedPairs?: Readonly<Record<string, string>>;
  /** Body of a token request, as sent. */
  readonly bodyText?: string | undefined;
  /** The access token of the same request. */
  readonly token: string | null;
  /** Values of earlier requests. */
  readonly earlier: EarlierValues;
  readonly signedFields: SignedFields;
}

/** Values of `_` and nostr in earlier token requests. */
export interface EarlierValues {
  readonly _: readonly unknown[];
  readonly nostr: readonly unknown[];
  /** The pairs of earlier signed requests. */
  readonly pairs?: readonly SignaturePairs[];
}

/** Values that a client may have signed instead of those sent, by name. */
export interface SigningContext {
  /** Fields that may have been signed without being sent. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
  /** Values that a field had in earlier requests, or has in another form. */
  readonly otherValues?: Readonly<Record<string, readonly unknown[]>>;
  /** Values too numerous to be combined with another mistake. */
  readonly manyValues?: Readonly<Record<string, readonly unknown[]>>;
  /** The body of the request as sent. */
  readonly bodyText?: string | undefined;
  /** Pairs of earlier requests, whose signatures a client may have kept. */
  readonly earlierPairs?: readonly (readonly (readonly [name: string, value: unknown])[])[];
  readonly method?: string;
  readonly path?: string;
  /** Texts that a client may have taken for the signing key, by what they are. */
  readonly otherKeys?: Readonly<Record<string, string>>;
  /** Endings of the text that contain the signing key. */
  readonly keyInText?: readonly string[];
}

/** Collects what may have been signed instead of `pairs`, from the rest of the request. */
export function signingContext(sent: SentSignature, pairs: SignaturePairs): SigningContext {
  const { kind, partner, token, earlier } = sent;
  const { id, signingKey } = partner;
  return {
    bodyText: sent.bodyText,
    earlierPairs: (earlier.pairs ?? []).map((one) => Object.entries(one)),
    method: kind === 'token' ? 'POST' : 'GET',
    path: kind === 'token' ? TOKEN_PATH : ESTIMATES_PATH,
    otherKeys: { 'partner-id': id, empty: '', ...(token !== null && { 'access-token': token }) },
    keyInText: ['&key=', '&signing_key=', '&secret=', '&', ''].map((name) => name + signingKey),
    extraFields: extraFields(sent),
    otherValues:
      sent.kind === 'estimate' ? encodedValues(sent, pairs) : otherTokenValues(sent, pairs),
    manyValues: sent.kind === 'token' ? { _: otherTimes(pairs['_']) } : {},
  };
}

function extraFields({ kind, partner, token }: SentSignature): Record<string, unknown> {
  const { id, signingKey: key } = partner;
  const ids = { partner_id: id, partnerId: id, client_id: id, app_id: id, id };
  const keys = { key, signing_key: key, sign_key: key, secret: key, client_secret: key };
  const own =
    kind === 'token'
      ? { scope: 'public' }
      : { map_type: 'soso', access_token: token, openid: token, token };
  return Object.fromEntries(
    Object.entries({ ...ids, ...keys, ...own }).filter(([, value]) => value),
  );
}

function encodedValues(
  { encodedPairs }: SentSignature,
  pairs: SignaturePairs,
): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(encodedPairs ?? {}).flatMap(([name, value]) =>
      pairs[name] === value ? [] : [[name, [value]]],
    ),
  );
}

function otherTokenValues(
  { earlier }: SentSignature,
  { _: time, nostr, scope }: SignaturePairs,
): Record<string, unknown[]> {
  const cases =
    typeof nostr === 'string' ? [nostr.toLowerCase(), nostr.toUpperCase(), nostr.trim()] : [];
  const scopes = typeof scope === 'string' ? scope.split(' ') : [];
  const spellings = [scopes.toSorted().join(' '), scopes.join(','), scopes];
  return {
    _: earlier._.filter((value) => value !== time),
    nostr: [...earlier.nostr, ...cases].filter((value) => value !== nostr),
    scope: typeof scope === 'string' ? spellings.filter((value) => value !== scope) : [],
  };
}
