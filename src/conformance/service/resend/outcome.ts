import type { Exchange } from '../../../documents/exchange.ts';
import type { ReplayDocument } from '../../../documents/replay.ts';
import { isLimitStatus } from '../target/rate-limit.ts';

/** Answer that a request must get, by its purpose; null where it may get any. */
function expectedAnswer(purpose: string): ReplayDocument['expected'] {
  if (purpose.startsWith('negative: ')) return 'refused';
  const mustSucceed = /^(positive|baseline)\b/.test(purpose);
  return mustSucceed && !purpose.endsWith(', which may be refused') ? 'accepted' : null;
}

/** Compares the answer to a request with the one that it must get. */
export function outcomeOf({
  purpose,
  response,
  error,
}: Pick<Exchange, 'purpose' | 'response' | 'error'>): Pick<
  ReplayDocument,
  'verdict' | 'expected' | 'reason'
> {
  const expected = expectedAnswer(purpose);
  if (!response) {
    const why = error ? `${error.message} (${error.code})` : 'no answer came';
    return { verdict: 'inconclusive', expected, reason: why };
  }
  const { status } = response;
  if (isLimitStatus(status)) {
    const reason = `status ${status} shows a limit of the rate or an overload, and nothing else`;
    return { verdict: 'inconclusive', expected, reason };
  }
  const came = `${status === 200 ? 'accepted' : 'refused'} (status ${status})`;
  if (expected === null) return { verdict: 'answered', expected, reason: came };
  const isExpected = (status === 200) === (expected === 'accepted');
  return isExpected
    ? { verdict: 'as-expected', expected, reason: `${came}, as it must be` }
    : { verdict: 'not-as-expected', expected, reason: `${came}, and it must be ${expected}` };
}
