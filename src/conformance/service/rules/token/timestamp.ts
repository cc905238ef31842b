import { inconclusive } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import { spendingOf } from '../../contract/spending.ts';
import { acceptance, judgeAcceptance, judgeRefusals, refusals } from '../../contract/templates.ts';
import { withoutField } from './without-field.ts';

const timestampIso8601 = refusals({
  rule: 'token/timestamp-iso8601',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  needs: { environment: 'production' },
  count: 4,
  metered: 2,
  variants: (ctx) => {
    const now = new Date(ctx.now());
    const slashes = ctx.timestamp().replaceAll('-', '/').replace('T', ' ').replace('Z', '');
    const times = [
      ['the current time in Unix seconds', String(Math.floor(now.getTime() / 1000))],
      ['the current time as an HTTP date', now.toUTCString()],
      ['the current time as YYYY/MM/DD hh:mm:ss', slashes],
      ['the text "now"', 'now'],
    ] as const;
    return times.map(([what, time]) => ({ wrong: `${what} for _`, fields: ctx.base({ _: time }) }));
  },
});

const MAX_CLOCK_SKEW_MS = 3_000;

/**
 * Why the target's clock cannot be trusted to be ours, by its Date header; null where nothing says
 * so. Only without a control API: with one its clock is read.
 */
function doubtClock(ctx: CheckContext, answer: TokenAnswer): string | null {
  const date = Date.parse(answer.headers['date'] ?? '');
  if (ctx.facts.hasControl || Number.isNaN(date)) return null;
  const skewMs = date - answer.sentAtMs;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return null;
  return `the target's Date header is ${Math.round(skewMs / 1000)} s off this machine's clock, too far for a limit that is probed within 10 s`;
}

const timestampFresh: Check = {
  id: 'token/timestamp-fresh',
  rules: ['token/timestamp-fresh'],
  baseRequest: 'platform',
  spends: () => ({ platform: 1 }),
  run: async (ctx) => {
    const what = 'a _ that is 9 min 50 s old';
    const fields = ctx.base({ _: ctx.timestamp(9 * 60 + 50) });
    const answer = await ctx.token({ purpose: `positive: ${what}`, fields });
    const doubt = answer.outcome === 'refused' ? doubtClock(ctx, answer) : null;
    if (doubt !== null) return inconclusive(doubt);
    return (controls) => judgeAcceptance(what, answer, controls);
  },
};

const timestampExpired: Check = {
  id: 'token/timestamp-expired',
  rules: ['token/timestamp-expired'],
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  needs: { environment: 'production' },
  spends: (_facts, baseRequest) => spendingOf(baseRequest),
  run: async (ctx) => {
    const wrong = 'a _ that is 10 min 10 s old';
    const fields = ctx.base({ _: ctx.timestamp(10 * 60 + 10) });
    const answer = await ctx.token({ purpose: `negative: ${wrong}`, fields });
    const doubt = answer.outcome === 'accepted' ? doubtClock(ctx, answer) : null;
    if (doubt !== null) return inconclusive(doubt);
    return (controls) => judgeRefusals([{ wrong, answer }], controls);
  },
};

const timestampUncheckedInTest = acceptance({
  rule: 'token/timestamp-unchecked-in-test',
  baseRequest: 'platform',
  needs: { environment: 'test' },
  right: 'a _ that is a day old, in the test environment',
  send: (ctx, purpose) => ctx.token({ purpose, fields: ctx.base({ _: ctx.timestamp(86_400) }) }),
});

/** Checks of the field `_` (interface.md, "Token request body"). */
export const timestampChecks: readonly Check[] = [
  withoutField('token/timestamp-required', '_'),
  timestampIso8601,
  timestampFresh,
  timestampExpired,
  timestampUncheckedInTest,
];
