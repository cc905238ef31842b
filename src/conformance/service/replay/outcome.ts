import type { ReplayDocument } from '../../../documents/replay.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import { isLimitStatus } from '../wire/rate-limit.ts';

/** Compares the answer to a request with the one that it must get. */
export function outcomeOf({
  expects = 'either',
  response,
  error,
}: Pick<Exchange, 'expects' | 'response' | 'error'>): Pick<
  ReplayDocument,
  'verdict' | 'expected' | 'reason'
> {
  const expected = expects === 'either' ? null : expects;
  if (!response) {
    const why = error ? `${error.message} (${error.code})` : 'no response came';
    return { verdict: 'inconclusive', expected, reason: why };
  }
  const { status } = response;
  if (isLimitStatus(status)) {
    const reason = `status ${status} shows a rate limit or an overload, and nothing else`;
    return { verdict: 'inconclusive', expected, reason };
  }
  const came = `${status === 200 ? 'accepted' : 'refused'} (status ${status})`;
  if (expected === null) return { verdict: 'answered', expected, reason: came };
  const isExpected = (status === 200) === (expected === 'accepted');
  return isExpected
    ? { verdict: 'as-expected', expected, reason: `${came}, as it must be` }
    : { verdict: 'not-as-expected', expected, reason: `${came}, and it must be ${expected}` };
}
