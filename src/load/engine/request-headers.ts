import type { LoadPlan } from '../plan/plan.ts';

/** Headers of every estimate request of a run, Authorization apart (interface.md, "2. Estimate prices"). */
export function commonHeaders(
  plan: Pick<LoadPlan, 'headers' | 'newConnections'>,
): Record<string, string> {
  return {
    'Content-Type': 'application/x-www-form-urlencoded',
    'User-Agent': 'fareproof',
    ...(plan.newConnections && { Connection: 'close' }),
    ...plan.headers,
  };
}
