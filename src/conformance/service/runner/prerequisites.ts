import { DURATION_WORDS } from '../../../interface/limits.ts';
import { type Judgement, untestable } from '../../verdict.ts';
import { type Check, isFurther, partsOf } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import type { TargetRun } from './target-run.ts';

/** Remedies of a check that ends in a ban: by whether a partner may be banned. */
const ALLOW_BANS = {
  spendable: 'run with bans allowed',
  none: 'mark a partner as "use: spendable" in the profile and run with bans allowed',
} as const;

/** True for a remedy that a run with bans allowed is a part of. */
export const asksForBans = (remedy: string | undefined): boolean =>
  Object.values<string | undefined>(ALLOW_BANS).includes(remedy);

/** Reason why a check cannot be run, and what would make it possible; null if it can. */
export function unmetPrerequisite(
  { needs }: Pick<Check, 'needs'>,
  {
    client,
    allowBan,
  }: {
    readonly client: Pick<TargetRun['client'], 'facts' | 'target'>;
    readonly allowBan: boolean;
  },
): Judgement | null {
  const { facts, target } = client;
  const { partners } = target;
  const reason = needs?.missing?.(facts);
  if (reason !== undefined)
    return untestable(reason, 'correct tokenFields in the profile, if they are wrong');
  if (needs?.control && !facts.hasControl) {
    return untestable(
      "it needs the target's control API (clock, fresh partners, locks)",
      'add the control API to the profile as "control"',
    );
  }
  if (needs?.shape !== undefined && !facts.shapes.includes(needs.shape)) {
    return untestable(
      `the profile has no query for the shape ${needs.shape}`,
      `add estimates.${needs.shape} to the profile`,
    );
  }
  if (facts.hasControl) return null;
  if (partners.length === 0)
    return untestable('the profile has no partner', 'add a partner to the profile');
  if (needs?.otherPartner && partners.length < 2)
    return untestable('the profile has no second partner', 'add a second partner to the profile');
  if (!needs?.ban) return null;
  const spendable = partners.some(({ use }) => use === 'spendable');
  if (allowBan && spendable) return null;
  return untestable(
    `it ends in a ban of ${DURATION_WORDS.ban}, and bans are not allowed`,
    ALLOW_BANS[spendable ? 'spendable' : 'none'],
  );
}

/**
 * Checks for a target of that kind. The first target judges all rules of its environment; its
 * companion in the other environment only those that hold there and nowhere else.
 */
export function applicableChecks(
  checks: readonly Check[],
  facts: Facts,
  isFirst: boolean,
): Check[] {
  const all = checks
    .filter(({ needs: { environment: wanted } = {} }) =>
      wanted === undefined ? isFirst : wanted === facts.environment,
    )
    .flatMap((check) => partsOf(check, facts).map(ranked));
  // Rules that are shown by one request share a check.
  return [...new Map(all.map((check) => [check.id, check])).values()];
}

/** Marks all parts of a check but the first as further ones, in their order. */
function ranked(part: Check, at: number): Check {
  return at === 0 || isFurther(part) ? part : { ...part, priority: { stage: 'further', rank: at } };
}
