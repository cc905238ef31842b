import { randomBytes } from 'node:crypto';
import {
  ESTIMATES_PATH,
  type ProfilePartner,
  type SignaturePairs,
  sign,
  signatureSettingsOf,
  TOKEN_PATH,
} from '../../interface/index.ts';
import { type RunningServer, SHAPE_QUERIES } from '../../server/index.ts';

const ROUTE = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: 'Tiananmen',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: 'Summer-Palace',
};

/** Request for a platform token, which a server accepts. */
export interface TokenRequest {
  readonly url: string;
  readonly authorization: string;
  /** JSON. */
  readonly body: string;
}

/** Makes a request for a token of a partner, signed as the server wants it, at the server's time. */
export function sampleTokenRequest(
  { baseUrl, behaviour, clock }: RunningServer,
  { id, signingKey }: ProfilePartner,
): TokenRequest {
  const fields: SignaturePairs = {
    grant_type: 'client_credentials',
    _: new Date(clock.now()).toISOString(),
    nostr: randomBytes(3).toString('hex'),
  };
  const signed = behaviour['signed-fields-token'];
  const pairs = Object.entries(fields).filter(
    ([name]) => signed === 'all' || signed.includes(name),
  );
  const signature =
    pairs.length === 0
      ? ''
      : sign(Object.fromEntries(pairs), signingKey, signatureSettingsOf(behaviour));
  return {
    url: baseUrl + TOKEN_PATH,
    authorization: `Bearer ${id}|${signature}`,
    body: JSON.stringify(fields),
  };
}

/** The address of an estimate for a route. */
export function sampleEstimateUrl({ baseUrl }: RunningServer): string {
  const query = new URLSearchParams({ ...ROUTE, ...SHAPE_QUERIES.plain }).toString();
  return `${baseUrl}${ESTIMATES_PATH}?${query}`;
}
