import type { Exchange } from '../../../documents/sealed.ts';
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
 * Reason why a refusal proves nothing: soon after it had accepted others, the target refused all requests, whoever
 * sent them, to the end of the run. Null if it did not.
 *
 * @param exchanges those of a run, in order of sending
 */
export function refusedSince(
  id: string,
  exchanges: readonly Seen[],
  baseUrl: string,
): string | null {
  const own = exchanges.filter(
    ({ request, response }) => response && request.url.startsWith(baseUrl),
  );
  const at = own.findIndex((one) => one.id === id);
  const last = own.findLastIndex(({ response }) => response?.status === 200);
  const accused = own[at];
  const accepted = own[last];
  if (!accused || !accepted || at < last || sentMs(accused) - sentMs(accepted) > SOON_MS)
    return null;
  const refused = own.slice(last + 1).filter(({ expects }) => expects === 'accepted');
  const partners = new Set(refused.map(({ partnerId }) => partnerId)).size;
  if (refused.length < MANY || partners < MANY_PARTNERS) return null;
  return `from then on the target refused all ${refused.length} right requests of ${partners} partners: that is how a limit refuses that all share, or an outage`;
}
