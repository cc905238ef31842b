import type { Breach } from '../../model/breach.ts';
import type { Judgement } from '../../verdict.ts';

/** The violation that a breach shows; `sent` are the requests that it was looked for in. */
export const violationByBreach = (
  { reason, key: keyExchange, exchanges, place, isOfAll, sinceMs }: Breach,
  wasAccepted: boolean,
  sent: readonly string[] = [],
): Judgement => ({
  verdict: 'violated',
  expected: wasAccepted ? 'a refusal (any status but 200)' : 'status 200',
  isOfAll,
  sinceMs,
  reason,
  keyExchange,
  exchanges: [...exchanges, ...sent],
  place,
});
