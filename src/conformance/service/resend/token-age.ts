import type { Exchange } from '../../../documents/sealed.ts';
import { isTokenRequest, pseudonymsIn, requestText, sentMs } from './former-run.ts';

/** Refresh tokens do not expire: one this old is sent to show that. */
const MOST_REFRESH_AGE_MS = 86_400_000;

/** Share of an access token's life beyond which the exchange may be about its age. */
const MOST_SHARE_OF_LIFE = 0.5;

/** Life of the access token that a token request brought, in ms; null if its answer does not say. */
export function lifeMsOf({ response }: Exchange): number | null {
  const seconds = /"expires_in_second": *"?(\d+)/.exec(response?.body ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

/** True for an exchange that may be about the age of a token that it has from an earlier one. */
export function isAged(exchange: Exchange, origin: Exchange): boolean {
  const ageMs = sentMs(exchange) - sentMs(origin);
  const isRefresh =
    isTokenRequest(exchange) &&
    pseudonymsIn(requestText(exchange)).some((one) => one.startsWith('[refresh_token '));
  if (isRefresh) return ageMs > MOST_REFRESH_AGE_MS;
  const lifeMs = lifeMsOf(origin);
  return lifeMs !== null && ageMs > lifeMs * MOST_SHARE_OF_LIFE;
}
