import { type Judgement, untestable } from '../../verdict.ts';
import type { Check } from '../contract/check.ts';
import { furtherParts } from '../contract/further.ts';
import type { Facts } from '../contract/target.ts';
import type { TargetRun } from './target-run.ts';

/** Reason why a check cannot be run, and what would make it possible; null if it can. */
export function unmetPrerequisite(
  { needs, unless }: Pick<Check, 'needs' | 'unless'>,
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
  const reason = unless?.(facts);
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
    'it ends in a ban of 24 hours, and bans are not allowed',
    spendable
      ? 'run with bans allowed'
      : 'mark a partner as "use: spendable" in the profile and run with bans allowed',
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
  const { environment, hasControl, metered } = facts;
  const kind = hasControl ? 'controlled' : 'metered';
  const applicable = checks.filter(({ needs, only }) => {
    const wanted = needs?.environment;
    const isHere = wanted === environment || (isFirst && wanted === undefined);
    return isHere && (only === undefined || only === kind);
  });
  const all = applicable.flatMap((one) => {
    const own = (metered ? one.whereMetered : one.whereFree)?.(facts) ?? [one];
    return metered ? [...own, ...furtherParts(one, facts)] : ranked(own, one.id);
  });
  // Rules that are shown by one request share a check.
  return metered ? [...new Map(all.map((check) => [check.id, check])).values()] : all;
}

/** The parts of a check where allowances are free: all but its own may be left out. */
function ranked(parts: readonly Check[], id: string): Check[] {
  return parts.map((part, at) => (part.id === id ? part : { ...part, rank: part.rank ?? at }));
}
