import { type Judgement, untestable } from '../../verdict.ts';
import type { Needs } from '../contract/check.ts';
import type { Facts, TargetPartner } from '../contract/target.ts';

/** What a run has to offer. */
export interface Offered {
  readonly facts: Facts;
  readonly partners: readonly TargetPartner[];
  readonly allowBan: boolean;
}

/** Why a check cannot be run here, and what would make it possible; null where it can. */
export function lacking(
  needs: Needs | undefined,
  unless: string | undefined,
  { facts, partners, allowBan }: Offered,
): Judgement | null {
  if (unless !== undefined)
    return untestable(unless, 'other tokenFields in the profile, if they are wrong');
  if (needs?.control && !facts.hasControl) {
    return untestable(
      "it needs the target's control API (clock, fresh partners, locks)",
      'name the control API as "control" in the profile',
    );
  }
  if (needs?.shape !== undefined && !facts.shapes.includes(needs.shape)) {
    return untestable(
      `the profile brings no query for the shape ${needs.shape}`,
      `add estimates.${needs.shape} to the profile`,
    );
  }
  if (facts.hasControl) return null;
  if (partners.length === 0)
    return untestable('the profile has no partner', 'add a partner to the profile');
  if (needs?.otherPartner && partners.length < 2) {
    return untestable('the profile has no second partner', 'add a second partner to the profile');
  }
  if (!needs?.ban) return null;
  const spendable = partners.some(({ use }) => use === 'spendable');
  if (allowBan && spendable) return null;
  return untestable(
    'it ends in a ban of 24 hours, which nobody has allowed',
    spendable
      ? 'run with --allow-ban'
      : 'mark a partner as "use: spendable" in the profile and run with --allow-ban',
  );
}
