import { type Check, type CheckContext, spendingOf } from '../../contract/check.ts';
import { accepts, Inconclusive, refused } from '../../contract/judge.ts';
import type { TokenAnswer, TokenAttempt } from '../../contract/messages.ts';
import { acceptance, checkOf, refusals, type Variant } from '../../contract/templates.ts';
import { withoutField } from './without-field.ts';

const withTimestamp = (
  what: string,
  textOf: (ctx: CheckContext) => string,
): Variant<TokenAttempt> => [`${what} for _`, (ctx) => ({ fields: ctx.base({ _: textOf(ctx) }) })];

const timestampIso8601 = refusals({
  rule: 'token/timestamp-iso8601',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'field-invalid',
  needs: { environment: 'production' },
  metered: 2,
  variants: [
    withTimestamp('the current time in Unix seconds', (ctx) =>
      String(Math.floor(ctx.now() / 1000)),
    ),
    withTimestamp('the current time as an HTTP date', (ctx) => new Date(ctx.now()).toUTCString()),
    withTimestamp('the current time as YYYY/MM/DD hh:mm:ss', (ctx) =>
      ctx.timestamp().replaceAll('-', '/').replace('T', ' ').replace('Z', ''),
    ),
    withTimestamp('the text "now"', () => 'now'),
  ],
});

const MAX_CLOCK_SKEW_MS = 3_000;

/**
 * Compares the target's Date header with this machine's clock, where the target's clock cannot be
 * read by a control API.
 *
 * @throws Inconclusive if they differ too much for a limit that is probed within 10 s
 */
function requireSameClock(ctx: CheckContext, answer: TokenAnswer): void {
  const date = Date.parse(answer.headers['date'] ?? '');
  if (ctx.facts.hasControl || Number.isNaN(date)) return;
  const skewMs = date - answer.sentAtMs;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return;
  throw new Inconclusive(
    `the target's Date header is ${Math.round(skewMs / 1000)} s off this machine's clock, too far for a limit that is probed within 10 s`,
  );
}

const timestampFresh = checkOf({
  rule: 'token/timestamp-fresh',
  baseRequest: 'platform',
  spends: { platform: 1 },
  run: async (ctx) => {
    const right = 'a _ that is 9 min 50 s old';
    const fields = ctx.base({ _: ctx.timestamp(9 * 60 + 50) });
    const answer = await ctx.token({ purpose: `positive: ${right}`, fields });
    if (answer.outcome === 'refused') requireSameClock(ctx, answer);
    return (baseline) => accepts(right, answer, baseline);
  },
});

const timestampExpired = checkOf({
  rule: 'token/timestamp-expired',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'timestamp-expired',
  needs: { environment: 'production' },
  spends: (_facts, baseRequest) => spendingOf(baseRequest),
  run: async (ctx) => {
    const wrong = 'a _ that is 10 min 10 s old';
    const fields = ctx.base({ _: ctx.timestamp(10 * 60 + 10) });
    const answer = await ctx.token({ purpose: `negative: ${wrong}`, fields });
    if (answer.outcome === 'accepted') requireSameClock(ctx, answer);
    return (baseline) => refused(wrong, answer, baseline);
  },
});

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
