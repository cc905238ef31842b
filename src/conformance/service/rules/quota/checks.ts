import { pass, violated } from '../../../verdict.ts';
import type { Check } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import { checkOf } from '../../contract/templates.ts';
import { allowanceChecks, meteredAllowanceChecks } from './allowances.ts';
import { banChecks } from './ban.ts';
import { dailyReset, meteredDailyReset } from './daily-reset.ts';
import { CROSSED, clearOfMidnight, crossedMidnight, SEQUENCE_MS } from './day.ts';
import { isUsedUp, useAll, useUp } from './use.ts';

/** Uses up all three allowances of one partner; if one falls short, tries it by itself. */
const countersIndependent = checkOf({
  rule: 'quota/counters-independent',
  baseRequest: 'standalone',
  needs: { control: true },
  spends: { platform: 10, user: 5, refresh: 10, codes: 5 },
  run: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const startMs = ctx.now();
    const used = await useAll(ctx);
    if (isUsedUp(used)) {
      return pass(
        'ten platform tokens, five user tokens and ten refreshes of one partner in one day succeeded',
      );
    }
    if (crossedMidnight(startMs, ctx.now())) throw new Inconclusive(CROSSED);
    const { kind, accepted } = used;
    const { status, exchange } = answered(used.last);
    const byItself = await useUp(await ctx.freshPartner(), kind);
    if (kind === 'platform' || byItself.accepted <= accepted)
      throw new Inconclusive(`the allowance of ${kind} token requests falls short by itself`);
    return violated(
      'the three allowances are counted apart',
      `${kind} token request ${accepted + 1} was refused with status ${status} after the other allowances were used, accepted without`,
      exchange,
    );
  },
});

/** Checks of the area `quota` (interface.md, "Limits"). */
export const quotaChecks: readonly Check[] = [
  ...allowanceChecks,
  countersIndependent,
  ...banChecks,
  dailyReset,
  meteredDailyReset,
  ...meteredAllowanceChecks,
];
