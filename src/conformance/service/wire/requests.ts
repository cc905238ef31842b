import { hash } from 'node:crypto';
import { ESTIMATES_PATH, type OptionalParameter, TOKEN_PATH } from '../../../interface/limits.ts';
import { explainSignature } from '../../../interface/signature.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import {
  type EstimateAttempt,
  type Fields,
  optionalParameters,
  type TokenAttempt,
} from '../contract/messages.ts';
import type { Facts, Shape, SignedFields, Target } from '../contract/target.ts';
import type { WireRequest } from '../http/message.ts';
import { alterationOf, keyName, type SignedText } from './signed-text.ts';

/**
 * Ride within one city, which a profile's shapes are merged into. Its texts need no percent-encoding,
 * so that a user's signature is the same over decoded and encoded values.
 */
const DEFAULT_ROUTE = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: 'Tiananmen',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: 'Summer-Palace',
  product_type: 'private-car',
  ride_type: 'compact',
} as const;

/**
 * Decoded query of a well-formed estimate, with the optional parameters that the target demands; a
 * change to undefined leaves a parameter out.
 *
 * @param shape null for the default route
 */
export function estimateQuery(
  request: {
    readonly target: Target;
    /** The target's time. */
    readonly nowMs: number;
    readonly demanded: readonly OptionalParameter[];
  },
  changes: Readonly<Record<string, string | undefined>>,
  shape: Shape | null,
): Record<string, string> {
  const optional = optionalParameters(request.nowMs);
  const all: Record<string, string | undefined> = {
    ...DEFAULT_ROUTE,
    ...Object.fromEntries(request.demanded.map((name) => [name, optional[name]])),
    ...(shape && request.target.estimates[shape]),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * Body of a well-formed token request with a nostr of its own. Its fields are sorted: a service that
 * signs them in the order of the body must fail only the rule about order. A change to undefined
 * leaves a field out.
 */
export function tokenFields(
  grant: Fields,
  changes: Fields | undefined,
  timestamp: string,
  random: SeededRandom,
): Fields {
  const fields = { ...grant, _: timestamp, nostr: random.nostr(), ...changes };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Signs for one partner, over the fields that its target signs (interface.md, "Authentication"). */
export class Signer {
  readonly #partner: PartnerCredentials;
  readonly #signed: Pick<Facts, 'tokenFields' | 'estimateFields'>;
  readonly #made = new Map<string, SignedText & { readonly text: string }>();

  constructor(partner: PartnerCredentials, signed: Pick<Facts, 'tokenFields' | 'estimateFields'>) {
    this.#partner = partner;
    this.#signed = signed;
  }

  /** Pairs of a token request that the target signs. */
  signedPairs(fields: Fields): Fields {
    return pairsOf(fields, this.#signed.tokenFields);
  }

  /** Signature of a token request. */
  sign(fields: Fields, signingKey?: string): string {
    return this.signText(textOf(this.signedPairs(fields)), signingKey);
  }

  /** Signature of a user's estimate request. */
  signEstimate(query: Fields, signingKey?: string): string {
    return this.signText(textOf(pairsOf(query, this.#signed.estimateFields)), signingKey);
  }

  /** Signature of the text S as it is, by step 6 only. */
  signText(text: string, signingKey: string = this.#partner.signingKey): string {
    const signature = hash('md5', hash('md5', text) + signingKey);
    this.#made.set(signature, { text, key: keyName(signingKey, this.#partner) });
    return signature;
  }

  /**
   * Describes what was signed for a request.
   *
   * @param right makes the signature that the request has by the rules
   */
  signedFor(sent: string, right: () => string): SignedText {
    const made = this.#made.get(sent);
    if (made) return made;
    const signature = right();
    const text = this.#made.get(signature)?.text ?? '';
    const { signingKey } = this.#partner;
    const alteration = alterationOf({ signature, text, signingKey }, sent);
    return alteration === null ? { text: null, key: 'other' } : { text, key: 'own', alteration };
  }
}

/** Those of the fields that enter the signature. */
function pairsOf(fields: Fields, signedFields: SignedFields): Fields {
  if (signedFields === 'all') return fields;
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => signedFields.includes(name.trim())),
  );
}

/** The text S of pairs; empty where there are none, so that a request can be sent. */
function textOf(pairs: Fields): string {
  return Object.keys(pairs).length === 0 ? '' : explainSignature(pairs, '').canonical;
}

/** Attempt of an estimate, its access token chosen. */
export type AuthorizedEstimate = EstimateAttempt & { readonly accessToken: string };

/** A request, its signature and what that was made of; null and undefined without one. */
interface BuiltRequest<S extends string | null> {
  readonly request: WireRequest;
  readonly signature: S;
  readonly signed: SignedText | undefined;
}

/** Builds a token request, signed by the rules where the attempt does not say otherwise. */
export function buildTokenRequest(
  attempt: TokenAttempt,
  partnerId: string,
  signer: Signer,
  baseUrl: string,
): BuiltRequest<string> {
  const { signature = signatureOf(attempt, signer), authorization = bearer } = attempt;
  const { contentType = 'application/json' } = attempt;
  const header = authorization?.(partnerId, signature);
  const request = {
    method: 'POST',
    url: baseUrl + TOKEN_PATH + (attempt.inQuery ? `?${queryOf(attempt.fields)}` : ''),
    headers: {
      ...(contentType === false ? {} : { 'content-type': contentType }),
      ...(header === undefined ? {} : { authorization: header }),
    },
    body: attempt.body ?? JSON.stringify(attempt.fields),
    gate: attempt.gate,
    ownConnection: true,
    connection: attempt.connection,
  };
  const isSent = header !== '' && header?.includes(signature) === true;
  const right = (): string => signer.sign(attempt.fields);
  return { request, signature, signed: isSent ? signer.signedFor(signature, right) : undefined };
}

function signatureOf(
  { signedText, signed, fields, signingKey }: TokenAttempt,
  signer: Signer,
): string {
  return signedText === undefined
    ? signer.sign(signed ?? fields, signingKey)
    : signer.signText(signedText, signingKey);
}

/** Builds an estimate request with the header of a platform's or a user's estimate. */
export function buildEstimateRequest(
  attempt: AuthorizedEstimate,
  partnerId: string,
  signer: Signer,
  baseUrl: string,
): BuiltRequest<string | null> {
  const { accessToken, authorization, contentType, signedText, signingKey } = attempt;
  const sign = (): string =>
    signedText === undefined
      ? signer.signEstimate(attempt.query, signingKey)
      : signer.signText(signedText, signingKey);
  const signature = attempt.as === 'user' ? (attempt.signature ?? sign()) : null;
  const credentials = signature === null ? accessToken : `${signature} openid|${accessToken}`;
  const header = (authorization === undefined ? bearer : authorization)?.(partnerId, credentials);
  const query = queryOf(attempt.query);
  const request = {
    method: attempt.method ?? 'GET',
    url: `${baseUrl}${attempt.path ?? ESTIMATES_PATH}?${query}`,
    headers: {
      ...(contentType === false ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(header === undefined ? {} : { authorization: header }),
    },
    body: null,
    connection: attempt.connection,
  };
  const isSigned = signature !== null && header?.includes(signature) === true;
  const right = (): string => signer.signEstimate(attempt.query);
  return { request, signature, signed: isSigned ? signer.signedFor(signature, right) : undefined };
}

function queryOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
}

function bearer(partnerId: string, second: string): string {
  return `Bearer ${partnerId}|${second}`;
}
