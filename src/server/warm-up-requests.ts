import { ESTIMATES_PATH, PRODUCT_TYPES, RIDE_TYPES, sign, TOKEN_PATH } from '../interface/index.ts';
import { SAMPLE_ROUTE } from './estimate/sample-route.ts';
import type { ServiceState } from './service-state.ts';
import type { Partner } from './state/partners.ts';

const HOST = '127.0.0.1';
const KEY = 'signing-key-of-warm-up';
/** Places at which the routes start, for each product and ride type. */
const STARTS = 8;

/** Requests for which V8 compiles what serves those of clients, in HTTP/1.1. */
export interface WarmUpRequests {
  /** An estimate with the platform's token, by its number; with each number, the query is another one. */
  platformEstimate(number: number): string;
  /** The same with a user's token, and signed. */
  userEstimate(number: number): string;
  /** A token request, by its number. A partner is allowed ten of them a day. */
  token(number: number): string;
}

/** Makes requests of a partner of their own, whom a state is given. */
export function warmUpRequests(state: ServiceState, nowMs: number): WarmUpRequests {
  const partner = state.partners.add('warm-up', KEY, false);
  const tokenOf = (userId: string | null): string => {
    const request = { partner, userId, scope: 'public', refreshed: null };
    return state.tokens.admit(request, nowMs).accessToken;
  };
  const [platformToken, userToken] = [tokenOf(null), tokenOf('user')];
  const estimates = routes().map((parameters) => {
    const asUser = `${partner.id}|${sign(parameters, KEY)} openid|${userToken}`;
    return {
      asPlatform: estimate(parameters, `${partner.id}|${platformToken}`),
      asUser: estimate(parameters, asUser),
    };
  });
  const at = (number: number) => estimates[number % estimates.length]!;
  return {
    platformEstimate: (number) => at(number).asPlatform,
    userEstimate: (number) => at(number).asUser,
    token: (number) => tokenRequest(partner, number, nowMs),
  };
}

/** Routes of each product and ride type; mostly, one is of the same types as the one before. */
function routes(): Record<string, string>[] {
  const types = PRODUCT_TYPES.flatMap((product_type) =>
    RIDE_TYPES.map((ride_type) => ({ product_type, ride_type })),
  );
  return types.flatMap((type, at) =>
    Array.from({ length: STARTS }, (_, start) => ({
      ...SAMPLE_ROUTE,
      ...type,
      start_lat: `39.${9087 + start * 10 + at}`,
    })),
  );
}

function estimate(parameters: Readonly<Record<string, string>>, credentials: string): string {
  const query = new URLSearchParams(parameters).toString();
  return `GET ${ESTIMATES_PATH}?${query} HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${credentials}\r\n\r\n`;
}

function tokenRequest(partner: Partner, number: number, nowMs: number): string {
  const nostr = number.toString(36).padStart(6, '0');
  const now = new Date(nowMs).toISOString();
  const fields = { grant_type: 'client_credentials', scope: 'public', _: now, nostr };
  const body = JSON.stringify(fields);
  return [
    `POST ${TOKEN_PATH} HTTP/1.1`,
    `Host: ${HOST}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Authorization: Bearer ${partner.id}|${sign(fields, KEY)}`,
    '',
    body,
  ].join('\r\n');
}
