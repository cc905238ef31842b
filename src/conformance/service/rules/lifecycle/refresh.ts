import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { Caller, Check, CheckContext } from '../../contract/check.ts';
import { accepted, answered, Inconclusive } from '../../contract/judge.ts';
import type { TokenAnswer } from '../../contract/messages.ts';
import { exchangesOf, observation } from '../../contract/observation.ts';
import { type Facts, isRoomy } from '../../contract/target.ts';
import { checkOf, partOf, withParts } from '../../contract/templates.ts';
import { atOnce } from '../at-once.ts';
import { expiryOf, type Lineage, obtain, WIDE_SCOPE } from './lineage.ts';
import { refreshSingleUse, SAME_TOKEN } from './replays.ts';

const DAY_MS = 86_400_000;

/** Compares each refresh that was seen with the tokens that were issued before it. */
export const refreshRotates = observation(
  'lifecycle/refresh-rotates',
  ['refresh'],
  ({ tokens }) => {
    const expected = 'a new access_token and a new refresh_token from each refresh';
    const refreshes = tokens.filter(({ fields }) => fields['grant_type'] === 'refresh_token');
    const byToken = (name: 'refreshToken' | 'accessToken'): Map<unknown, TokenAnswer[]> => {
      const answers = new Map<unknown, TokenAnswer[]>();
      for (const { answer } of tokens) {
        const alike = answers.get(answer[name]);
        if (alike) alike.push(answer);
        else answers.set(answer[name], [answer]);
      }
      return answers;
    };
    const byValue = { refreshToken: byToken('refreshToken'), accessToken: byToken('accessToken') };
    for (const { answer, fields } of refreshes) {
      const { refresh_token: sent } = fields;
      const [replaced] = byValue.refreshToken.get(sent) ?? [];
      const isKnown = (one: TokenAnswer): boolean =>
        one !== answer && (one.answeredAtMs <= answer.sentAtMs || one === replaced);
      const old = (['refreshToken', 'accessToken'] as const).filter(
        (name) => answer[name] !== null && byValue[name].get(answer[name])?.some(isKnown),
      );
      const same = [
        ...(answer.refreshToken === sent || old.includes('refreshToken') ? ['refresh_token'] : []),
        ...(old.includes('accessToken') ? ['access_token'] : []),
      ];
      if (same.length > 0) {
        const got = `the refresh answered an old ${same.join(' and ')}`;
        return violated(expected, got, answer.exchange, [answer.exchange]);
      }
    }
    if (refreshes.length === 0) return inconclusive('no successful refresh was seen');
    return pass(`${expected}: ${refreshes.length} seen`, exchangesOf(refreshes));
  },
);

/** Refreshes sent at once: with those before them no more than the allowance. */
const AT_ONCE = 8;
const AT_ONCE_METERED = 6;
/** The same with two lineages that share the allowance. */
const AT_ONCE_OF_EACH = 3;

const manyOf = (facts: Facts): number => {
  if (!facts.metered) return AT_ONCE;
  return isRoomy(facts) ? AT_ONCE_OF_EACH : AT_ONCE_METERED;
};

/** Rounds where requests are free: which requests meet at the target is a matter of chance. */
const ROUNDS = 2;
const MANY_ROUNDS = 4;

/** Sends one refresh_token many times at once, in several rounds, each as a fresh partner. */
async function judgeRace(ctx: CheckContext, lineage: Lineage, rounds: number): Promise<Judgement> {
  const { metered } = ctx.facts;
  const many = manyOf(ctx.facts);
  const expected = `exactly one success of ${many} refreshes sent at once with one refresh_token`;
  for (let round = 0; round < rounds; round++) {
    const answers = await race(metered ? ctx : await ctx.freshPartner(), many, lineage);
    const [, second, ...more] = answers.filter(({ outcome }) => outcome === 'accepted');
    if (second) return violated(expected, `${2 + more.length} succeeded`, second.exchange);
    for (const answer of answers) answered(answer, `one of ${many}`);
    if (answers.some(({ outcome }) => outcome === 'accepted')) continue;
    await requireRefreshes(ctx, lineage);
    return violated(expected, 'none succeeded', answers[0]?.exchange);
  }
  return pass(
    `of ${many} refreshes sent at once with one refresh_token exactly one succeeded, in ${rounds} round(s)`,
  );
}

const refreshSingleUseConcurrent = checkOf({
  rule: 'lifecycle/refresh-single-use-concurrent',
  baseRequest: 'standalone',
  priority: 4,
  spends: (facts) => (facts.metered ? { platform: 1, refresh: manyOf(facts) } : {}),
  run: (ctx) => judgeRace(ctx, {}, ctx.facts.metered ? 1 : ROUNDS),
});

const raceOf = (name: string, circumstance: string, lineage: Lineage, rounds: number = 1): Check =>
  partOf({
    rule: refreshSingleUseConcurrent.id,
    name,
    circumstance,
    run: (ctx) => judgeRace(ctx, lineage, ctx.facts.metered ? 1 : rounds),
  });

const raceOfUser = raceOf('user', "a user's token", { ofUser: true });

/** Answers to refreshes with one refresh_token whose last byte leaves at the same moment. */
async function race(caller: Caller, many: number, lineage: Lineage): Promise<TokenAnswer[]> {
  const first = await obtain(caller, lineage, 'a token to refresh many times at once');
  const answers = await atOnce(
    caller,
    Array.from({ length: many }, (_, at) => ({
      purpose: `refresh ${at + 1} of ${many} sent at once`,
      fields: caller.refresh(first.refreshToken),
    })),
    first,
  );
  const succeeded = answers.filter(({ outcome }) => outcome === 'accepted');
  if (succeeded.length > 1 && succeeded.every((one) => one.refreshToken === first.refreshToken))
    throw new Inconclusive(SAME_TOKEN);
  return answers;
}

/** If none of several succeeds, a single one must: otherwise refreshes are refused anyway. */
async function requireRefreshes(ctx: CheckContext, lineage: Lineage): Promise<void> {
  if (ctx.facts.metered)
    throw new Inconclusive('none succeeded, and no refresh is left to compare with');
  const caller = await ctx.freshPartner();
  const { refreshToken } = await obtain(caller, lineage, 'a token to refresh once');
  accepted(
    await caller.sendRefresh(refreshToken, 'baseline: a single refresh'),
    'none succeeded, but neither did a single refresh',
  );
}

/** Longer than any period that a service is likely to set. */
const LONG_AFTER_MS = 400 * DAY_MS;

/** Time after which the same is probed again: some services keep a year or two. */
const LONGER_AFTER_MS = 1_100 * DAY_MS;

const refreshNeverExpires = checkOf({
  rule: 'lifecycle/refresh-never-expires',
  acceptance: 'demanded',
  baseRequest: 'standalone',
  needs: { control: true },
  clock: true,
  spends: { platform: 2, refresh: 2 },
  run: async (ctx) => {
    const issued = await ctx.refreshable('a token whose refresh_token is kept');
    await ctx.reach(issued.answeredAtMs + (issued.expiresInSeconds ?? 0) * 1000 + LONG_AFTER_MS);
    return judgeKept(ctx, issued.refreshToken, {}, LONG_AFTER_MS);
  },
});

async function judgeKept(
  ctx: CheckContext,
  refreshToken: string,
  lineage: Lineage,
  afterMs: number,
): Promise<Judgement> {
  const days = `${afterMs / DAY_MS} days after its access_token expired`;
  const purpose = `a refresh ${days.replace('its', 'the')}`;
  const kept = answered(await ctx.sendRefresh(refreshToken, purpose));
  if (kept.outcome === 'accepted') return pass(`an unused refresh_token works ${days}`);
  const renewed = await obtain(ctx, lineage, 'a new token at that time');
  accepted(
    await ctx.sendRefresh(renewed.refreshToken, 'baseline: a new refresh_token at that time'),
    'refused, but so is a new refresh_token',
  );
  return violated(
    'status 200 for an unused refresh_token, whenever it is sent',
    `status ${kept.status} ${days}, while a new one is accepted`,
    kept.exchange,
  );
}

/** Newer platform tokens beside a refresh_token that is kept: a service may keep a few only. */
const NEWER = 5;

/** A refresh_token that is kept for long, in further circumstances. */
const keptLong = (
  name: string,
  circumstance: string,
  lineage: Lineage,
  more: { readonly afterMs?: number; readonly isNewest?: false } = {},
): Check =>
  partOf({
    rule: refreshNeverExpires.id,
    name,
    circumstance,
    clock: true,
    run: async (ctx) => {
      const { afterMs = LONG_AFTER_MS, isNewest = true } = more;
      const issued = await obtain(ctx, lineage, 'a token whose refresh_token is kept');
      if (!isNewest) {
        for (let number = 1; number <= NEWER; number++)
          await obtain(ctx, { refreshes: number === 1 ? 1 : 0 }, `newer token ${number}`);
        await obtain(ctx, { ofUser: true }, "a user's newer token");
      }
      await ctx.reach(expiryOf(issued) + afterMs);
      return judgeKept(ctx, issued.refreshToken, lineage, afterMs);
    },
  });

const REFRESHED: Lineage = { refreshes: 1 };
const USER: Lineage = { ofUser: true };

/** Checks of refresh_tokens (interface.md, "States and transitions"). */
export const refreshChecks: readonly Check[] = [
  refreshSingleUse,
  withParts(
    refreshSingleUseConcurrent,
    [
      raceOf('often', 'in further rounds', {}, MANY_ROUNDS),
      raceOf('second', 'a refreshed token', REFRESHED),
      raceOfUser,
      raceOf('user-second', "a user's refreshed token", { ofUser: true, refreshes: 1 }),
    ],
    [{ ...raceOfUser, spends: (facts) => ({ user: 1, codes: 1, refresh: manyOf(facts) }) }],
  ),
  withParts(refreshNeverExpires, [
    keptLong('three-years', 'after three years', {}, { afterMs: LONGER_AFTER_MS }),
    keptLong('second', 'of a refreshed token', REFRESHED),
    keptLong('third', 'of a token refreshed twice', { refreshes: 2 }),
    keptLong('wide-scope', 'of a token of several scopes', { scope: WIDE_SCOPE }),
    keptLong('newer', 'with newer tokens', {}, { isNewest: false }),
    keptLong('user', "of a user's token", USER),
    keptLong('user-second', "of a user's refreshed token", { ofUser: true, refreshes: 1 }),
  ]),
];
