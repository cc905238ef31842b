import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../../interface/limits.ts';
import { type Judgement, pass, violated } from '../../../verdict.ts';
import type { Caller, Check, CheckContext } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import type { TokenAnswer } from '../../contract/messages.ts';
import { partOf } from '../../contract/templates.ts';
import { clearOfMidnight, SEQUENCE_MS, startOfChain, use } from './use.ts';

const HOUR_MS = 3_600_000;

/** Time from one use of the allowance to the next, in ms: a shorter window is full again by then. */
const STEP_MS = 16 * HOUR_MS + 300_000;

/** Uses of the allowance within what are at most three days. */
const BATCHES = 4;

/**
 * Time between two partners, in ms. Four uses in 48 h and 15 min lie on four days only if the first is
 * sent within a quarter of an hour before midnight (an hour more when clocks are set forward); of both
 * partners that cannot be so.
 */
const APART_MS = 4 * HOUR_MS;

/**
 * Uses the allowance of two partners up every 16 hours, four times. Whenever a day begins, and also if
 * it is the last 24 hours, one of them is refused.
 */
async function judgeWindow(ctx: CheckContext, kind: AllowanceKind): Promise<Judgement> {
  await clearOfMidnight(ctx, SEQUENCE_MS);
  const startMs = ctx.now();
  const count = ALLOWANCE_PER_DAY[kind];
  const partners: readonly Caller[] = [ctx, await ctx.freshPartner()];
  const chains = new Map<Caller, string | null>();
  for (const caller of partners)
    chains.set(caller, kind === 'refresh' ? await startOfChain(caller) : null);
  let last: TokenAnswer | null = null;
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const [at, caller] of partners.entries()) {
      await ctx.reach(startMs + at * APART_MS + batch * STEP_MS);
      // Of the last use one request is enough: it is more than the allowance of three days.
      const wanted = batch === BATCHES - 1 ? 1 : count;
      const used = await use(caller, kind, wanted, {
        startFrom: chains.get(caller) ?? null,
        mayBeRefused: batch > 0,
      });
      chains.set(caller, used.refreshToken);
      last = answered(used.last);
      if (used.accepted < wanted) {
        if (batch === 0) throw new Inconclusive('the allowance falls short by itself');
        return pass(
          `number ${batch * count + used.accepted + 1} was refused (status ${last.status}), ${count} being used every 16 hours`,
        );
      }
    }
  }
  return violated(
    `a refusal of ${kind} token request ${count + 1} of a day`,
    `two partners each got ${(BATCHES - 1) * count + 1} within 49 hours, ${count} every 16 hours`,
    last?.exchange,
  );
}

/** Judges if an allowance is counted by the day, and not by a shorter time. */
export const windowOf = (rule: string, kind: AllowanceKind): Check =>
  partOf({
    rule,
    name: 'window',
    circumstance: 'used up every 16 hours',
    refusedAs: 'quota-exceeded',
    clock: true,
    bansFresh: true,
    run: (ctx) => judgeWindow(ctx, kind),
  });
