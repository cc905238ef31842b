import type { Exchange } from '../../../documents/sealed.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import { sentMs } from '../../model/asked.ts';

/** Right requests that were all refused, and their partners, from which on a target accepts nothing any more. */
const MANY = 10;
const MANY_PARTNERS = 3;

/** Time after an acceptance in which a target that accepts nothing any more has not changed by a day, ms. */
const SOON_MS = 600_000;

type Seen = Pick<
  Exchange,
  'id' | 'at' | 'targetAt' | 'request' | 'response' | 'expects' | 'partnerId'
>;

/**
 * Reason why a refusal proves nothing: soon after it had accepted others, the target refused all right requests, for
 * tokens and for estimates, whoever sent them, to the end of the checks. Null if it did not.
 *
 * @param exchanges those of the checks of a run, in order of sending
 */
export function refusedSince(
  id: string,
  exchanges: readonly Seen[],
  baseUrl: string,
): string | null {
  const isOf = (path: string, url: string): boolean => url.startsWith(`${baseUrl}${path}`);
  const own = exchanges.filter(
    ({ request: { url }, response }) =>
      response && (isOf(TOKEN_PATH, url) || isOf(ESTIMATES_PATH, url)),
  );
  const at = own.findIndex((one) => one.id === id);
  const last = own.findLastIndex(({ response }) => response?.status === 200);
  const accused = own[at];
  const accepted = own[last];
  if (!accused || !accepted || at < last || sentMs(accused) - sentMs(accepted) > SOON_MS)
    return null;
  const refused = own.slice(last + 1).filter(({ expects }) => expects === 'accepted');
  const partners = new Set(refused.map(({ partnerId }) => partnerId)).size;
  const isAnyKind = [TOKEN_PATH, ESTIMATES_PATH].every((path) =>
    refused.some(({ request }) => isOf(path, request.url)),
  );
  if (!isAnyKind || refused.length < MANY || partners < MANY_PARTNERS) return null;
  return `from then on the target refused all ${refused.length} right requests of ${partners} partners: that is how a limit refuses that all share, or an outage`;
}
