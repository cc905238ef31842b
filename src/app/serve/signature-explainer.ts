import type { checkPairs } from '../../conformance/signature/check-signature.ts';
import type { ServerOptions } from '../../server/index.ts';

/** A whole search is followed by this many times its own duration without another. */
const REST_BY_DURATION = 19;

/**
 * Names the mistake behind a wrong signature, for the server's refusal; nothing of the key is in it. A
 * search through rare mistakes and pairs of mistakes takes the server a few hundred milliseconds, so these
 * get one twentieth of its time: a client that sends one wrong signature after another hears of single
 * mistakes only.
 *
 * @param nowMs a clock, in milliseconds
 */
export function signatureExplainer(
  check: typeof checkPairs,
  nowMs: () => number,
): NonNullable<ServerOptions['explainSignature']> {
  let restsUntilMs = 0;
  return (pairs, key, signature) => {
    const startMs = nowMs();
    const isWhole = startMs >= restsUntilMs;
    const { verdict, mistakes } = check(pairs, key, signature, isWhole ? 'pairs' : 'singles');
    if (isWhole) {
      const endMs = nowMs();
      restsUntilMs = endMs + (endMs - startMs) * REST_BY_DURATION;
    }
    if (verdict !== 'explained') return null;
    return mistakes.map(({ id, statement }) => `${statement} (${id})`).join(', and ');
  };
}
