import { hash } from 'node:crypto';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import { sign } from '../../../interface/signature.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import {
  type EstimateAttempt,
  type Fields,
  type OptionalParameter,
  optionalParameters,
  type TokenAttempt,
} from '../contract/messages.ts';
import type { Facts, Shape, SignedFields, Target } from '../contract/target.ts';
import type { WireRequest } from '../http/message.ts';

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
  readonly #signingKey: string;
  readonly #signed: Pick<Facts, 'tokenFields' | 'estimateFields'>;

  constructor(
    { signingKey }: PartnerCredentials,
    signed: Pick<Facts, 'tokenFields' | 'estimateFields'>,
  ) {
    this.#signingKey = signingKey;
    this.#signed = signed;
  }

  /** Pairs of a token request that the target signs. */
  signedPairs(fields: Fields): Fields {
    return pairsOf(fields, this.#signed.tokenFields);
  }

  /** Signature of a token request. */
  sign(fields: Fields, signingKey: string = this.#signingKey): string {
    return signPairs(this.signedPairs(fields), signingKey);
  }

  /** Signature of a user's estimate request. */
  signEstimate(query: Fields, signingKey: string = this.#signingKey): string {
    return signPairs(pairsOf(query, this.#signed.estimateFields), signingKey);
  }

  /** Signature of the text S as it is, by step 6 only. */
  signText(text: string, signingKey: string = this.#signingKey): string {
    return signText(text, signingKey);
  }
}

/** Those of the fields that enter the signature. */
function pairsOf(fields: Fields, signedFields: SignedFields): Fields {
  if (signedFields === 'all') return fields;
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => signedFields.includes(name.trim())),
  );
}

/** Signature of pairs; where there are none, that of an empty text, so that a request can be sent. */
function signPairs(pairs: Fields, signingKey: string): string {
  return Object.keys(pairs).length === 0 ? signText('', signingKey) : sign(pairs, signingKey);
}

function signText(text: string, signingKey: string): string {
  return hash('md5', hash('md5', text) + signingKey);
}

/** Attempt of an estimate, its access token chosen. */
export type AuthorizedEstimate = EstimateAttempt & { readonly accessToken: string };

/** Builds a token request, signed by the rules where the attempt does not say otherwise. */
export function buildTokenRequest(
  attempt: TokenAttempt,
  partnerId: string,
  signer: Signer,
  baseUrl: string,
): { readonly request: WireRequest; readonly signature: string } {
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
  return { request, signature };
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
): { readonly request: WireRequest; readonly signature: string | null } {
  const { accessToken, authorization, contentType } = attempt;
  const signature =
    attempt.as === 'user'
      ? (attempt.signature ?? signer.signEstimate(attempt.query, attempt.signingKey))
      : null;
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
  };
  return { request, signature };
}

function queryOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
}

function bearer(partnerId: string, second: string): string {
  return `Bearer ${partnerId}|${second}`;
}
