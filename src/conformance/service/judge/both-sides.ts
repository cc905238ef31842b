import { inconclusive, type Judgement } from '../../verdict.ts';
import { type Acceptance, type Check, isFurther } from '../contract/check.ts';

/** Kind of a request that carries a signature, and the rule that wrong ones of it are refused. */
interface SignedKind {
  readonly words: string;
  readonly refusedBy: string;
}

const TOKEN: SignedKind = { words: 'a token request', refusedBy: 'signature/invalid-refused' };
const ESTIMATE: SignedKind = { words: "a user's estimate", refusedBy: 'auth/user-signature' };

const kindOf = ({ places: [{ baseRequest }] }: Check): SignedKind =>
  baseRequest === 'user-estimate' ? ESTIMATE : TOKEN;

/** Meaning of an acceptance for a rule of a check; undefined for a rule that passes by a refusal. */
export function acceptanceOf({ acceptance }: Check, rule: string): Acceptance | undefined {
  return typeof acceptance === 'object' ? acceptance[rule] : acceptance;
}

/** Rule without whose pass an acceptance proves nothing of a rule; null for one that stands alone. */
export function provenBy(check: Check, rule: string): string | null {
  return acceptanceOf(check, rule) === 'shows-signature' ? kindOf(check).refusedBy : null;
}

/**
 * Adds the checks without whose pass an acceptance proves nothing of a selected rule, where their own rule
 * is not selected: none of the further parts, which would cost more.
 *
 * @param all checks of every rule
 */
export function withProofs(
  checks: readonly Check[],
  selected: ReadonlySet<string>,
  all: readonly Check[],
): Check[] {
  const asked = checks.flatMap((check) =>
    check.rules.filter((rule) => selected.has(rule)).map((rule) => provenBy(check, rule)),
  );
  const proofs = all.filter(
    (check) => !isFurther(check) && check.rules.some((rule) => asked.includes(rule)),
  );
  return [...new Map([...checks, ...proofs].map((check) => [check.id, check])).values()];
}

/**
 * Takes back each pass by an acceptance that shows something only if the target refuses the same kind of
 * request that is spoiled in that.
 */
export function onBothSides<
  J extends { readonly rule: string; readonly check: Check; readonly judgement: Judgement },
>(judged: readonly J[]): J[] {
  const rulesWith = (verdict: Judgement['verdict']): Set<string> =>
    new Set(judged.filter((one) => one.judgement.verdict === verdict).map(({ rule }) => rule));
  const passing = rulesWith('pass');
  // One wrong signature that is refused, beside others that are accepted, may have been so for another reason.
  for (const rule of rulesWith('violated')) passing.delete(rule);
  return judged.map((one) => {
    const { rule, check, judgement } = one;
    const refusedBy = provenBy(check, rule);
    if (judgement.verdict !== 'pass' || refusedBy === null || passing.has(refusedBy)) return one;
    const reason = `${judgement.reason}; whether the target checks the signature of ${kindOf(check).words} is not verified: none was refused for a wrong one (see ${refusedBy})`;
    return { ...one, judgement: inconclusive(reason, judgement.exchanges) };
  });
}
