import { LIMITS } from '../../../interface/limits.ts';
import { pass, violated } from '../../verdict.ts';
import type { Caller, Check } from '../contract/check.ts';
import { Inconclusive } from '../contract/judge.ts';
import { describeAnswer } from '../contract/messages.ts';
import { checkOf } from '../contract/templates.ts';

const MARGIN_SECONDS = 10;

/** Looks an estimate up through the control API just before and just after the end of its lock. */
const lock = (rule: string, lockSeconds: number, longLock: boolean): Check =>
  checkOf({
    rule,
    baseRequest: 'standalone',
    needs: { control: true },
    clock: true,
    spends: { platform: 1 },
    run: async (ctx) => {
      const caller: Caller = longLock ? await ctx.freshPartner({ longLock }) : ctx;
      const { accessToken } = await caller.issued('a token');
      const estimate = await caller.sendEstimate(accessToken, 'the estimate whose lock is watched');
      const id = estimate.records[0]?.['estimate_id'];
      if (typeof id !== 'string')
        throw new Inconclusive(`no estimate_id was returned (${describeAnswer(estimate)})`);
      const expected = `locked for ${lockSeconds / 60} minutes, and no longer`;
      await ctx.reach(estimate.answeredAtMs + (lockSeconds - MARGIN_SECONDS) * 1000);
      const before = await ctx.readLock(id);
      if (!before)
        throw new Inconclusive('the control API knows no such estimate before its lock should end');
      if (before.partnerId !== null && before.partnerId !== caller.id) {
        throw new Inconclusive(
          "the control API knows this estimate_id as another partner's (see record/estimate-id-unique)",
        );
      }
      if (before.readAtMs >= estimate.sentAtMs + lockSeconds * 1000) {
        throw new Inconclusive(
          "the probe came too late: the target's clock had passed the end of the lock",
        );
      }
      if (!before.locked) {
        const got = `not locked any more ${MARGIN_SECONDS} s before that`;
        return violated(expected, got, estimate.exchange);
      }
      await ctx.reach(estimate.answeredAtMs + (lockSeconds + MARGIN_SECONDS) * 1000);
      const after = await ctx.readLock(id);
      // An estimate that the target has forgotten counts as not locked.
      if (after?.locked)
        return violated(expected, `still locked ${MARGIN_SECONDS} s after that`, estimate.exchange);
      return pass(
        `locked ${MARGIN_SECONDS} s before ${lockSeconds / 60} minutes, not locked ${MARGIN_SECONDS} s after`,
      );
    },
  });

/** Checks of the area `lock` (interface.md, "Limits"). */
export const lockChecks: readonly Check[] = [
  lock('lock/default-10-minutes', LIMITS.estimateLockSeconds, false),
  lock('lock/partner-60-minutes', LIMITS.longEstimateLockSeconds, true),
];
