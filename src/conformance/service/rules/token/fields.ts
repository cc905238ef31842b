import { likeness } from '../../contract/altered-text.ts';
import { type Check, type CheckContext, spendingOf } from '../../contract/check.ts';
import { accepts, Inconclusive, refused } from '../../contract/judge.ts';
import type { Fields, TokenAnswer, TokenAttempt } from '../../contract/messages.ts';
import { acceptance, checkOf, refusals, type Variant } from '../../contract/templates.ts';

/** A request that names no grant type counts, at worst, for each allowance. */
export const ANY_KIND = { platform: 1, user: 1, refresh: 1 } as const;

/** A request without one of its fields, its signature right for the fields that are left. */
export const withoutField = (rule: string, field: string, kinds?: typeof ANY_KIND): Check =>
  refusals({
    rule,
    baseRequest: 'platform',
    alsoOn: kinds ? [] : ['refresh'],
    refusedAs: 'field-missing',
    each: kinds,
    variants: [[`no ${field}`, (ctx) => ({ fields: ctx.base({ [field]: undefined }) })]],
  });

const withTimestamp = (
  what: string,
  textOf: (ctx: CheckContext) => string,
): Variant<TokenAttempt> => [`${what} for _`, (ctx) => ({ fields: ctx.base({ _: textOf(ctx) }) })];

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

/** Checks of the field `_` (interface.md, "Token request body"). */
export const timestampChecks: readonly Check[] = [
  withoutField('token/timestamp-required', '_'),
  refusals({
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
  }),
  checkOf({
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
  }),
  checkOf({
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
  }),
  acceptance({
    rule: 'token/timestamp-unchecked-in-test',
    baseRequest: 'platform',
    needs: { environment: 'test' },
    right: 'a _ that is a day old, in the test environment',
    send: (ctx, purpose) => ctx.token({ purpose, fields: ctx.base({ _: ctx.timestamp(86_400) }) }),
  }),
];

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

/** Checks of the field `nostr` (interface.md, "Token request body"). */
export const nostrChecks: readonly Check[] = [
  withoutField('token/nostr-required', 'nostr'),
  refusals({
    rule: 'token/nostr-length',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    refusedAs: 'field-invalid',
    variants: [5, 7].map((length) => [
      `a nostr of ${length} characters`,
      (ctx) => ({ fields: ctx.base({ nostr: ctx.random.nostr(length) }) }),
    ]),
  }),
  refusals({
    rule: 'token/nostr-alphabet',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    refusedAs: 'field-invalid',
    metered: 3,
    variants: ['-', 'é', '_', '１', ' ', '中'].map((strange) => [
      `a nostr of 6 characters, one of them ${JSON.stringify(strange)}`,
      (ctx) => {
        const text = ctx.random.nostr(5);
        return { fields: ctx.base({ nostr: text.slice(0, 3) + strange + text.slice(3) }) };
      },
    ]),
  }),
  refusals({
    rule: 'token/nostr-case',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    unless: ({ tokenFields }) =>
      tokenFields === 'all' || tokenFields.includes('nostr')
        ? undefined
        : 'the profile leaves nostr out of the signed fields, so its change of case does not show',
    variants: [
      [
        'a nostr whose letters changed their case after signing',
        (ctx) => {
          const fields = ctx.base();
          return { fields, signed: { ...fields, nostr: swapCase(String(fields['nostr'])) } };
        },
      ],
    ],
  }),
];

/** An exchange that must be refused; without an auth code, a platform request is its base request. */
const authCodeRefused = (
  rule: string,
  refusedAs: Check['refusedAs'],
  wrong: string,
  fieldsOf: (ctx: CheckContext) => Fields,
): Check =>
  refusals({
    rule,
    baseRequest: 'user',
    alsoOn: ['platform'],
    refusedAs,
    each: { user: 1 },
    variants: [[wrong, (ctx) => ({ fields: fieldsOf(ctx) })]],
  });

const refreshWith = (
  wrong: string,
  tokenOf: (ctx: CheckContext) => string | undefined,
): Variant<TokenAttempt> => [
  wrong,
  (ctx) => ({ fields: ctx.base({ refresh_token: tokenOf(ctx) }) }),
];

/** Checks of `refresh_token` and `auth_code` in a request (interface.md, "Token request body"). */
export const credentialChecks: readonly Check[] = [
  refusals({
    rule: 'token/refresh-token-required',
    baseRequest: 'refresh',
    refusedAs: 'field-missing',
    variants: [refreshWith('a refresh without refresh_token', () => undefined)],
  }),
  refusals({
    rule: 'token/refresh-token-unknown',
    baseRequest: 'refresh',
    refusedAs: 'refresh-token-invalid',
    metered: 1,
    variants: [
      refreshWith('a refresh_token that was never issued', (ctx) =>
        likeness(String(ctx.base()['refresh_token']), ctx.random),
      ),
      refreshWith(
        'a refresh_token of other form, never issued',
        ({ random }) => `never-issued-${random.text(12)}`,
      ),
    ],
  }),
  authCodeRefused(
    'token/auth-code-required',
    'field-missing',
    'an exchange without auth_code',
    (ctx) => ctx.exchange('', { auth_code: undefined }),
  ),
  authCodeRefused(
    'token/auth-code-unknown',
    'auth-code-invalid',
    'an auth_code that was never issued',
    (ctx) => ctx.exchange(`never-issued-${ctx.random.text(12)}`),
  ),
];
