import type { GapFinding } from '../../../documents/sealed.ts';
import { BAN_MS, DURATION_WORDS, LIMITS } from '../../../interface/limits.ts';
import type { CheckContext } from '../contract/check.ts';
import { accepted, Inconclusive } from '../contract/judge.ts';
import { type Answer, describeAnswer, type TokenAnswer } from '../contract/messages.ts';
import {
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  MARGIN_MS,
  PAUSE_MS,
  SEQUENCE_MS,
} from '../rules/days.ts';
import { dayBoundary } from './day-boundary.ts';
import { askPlatform, type GapProbe, type GapProbes, ON_FRESH_PARTNER } from './probe.ts';
import { exceed, isUsedUp, requireUsedUp, use, useUp } from './used-up.ts';

/** Sends two requests that must be refused, and counts the rest of the allowance. */
const failedRequestsCount: GapProbe = {
  ...ON_FRESH_PARTNER,
  look: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const startMs = ctx.now();
    const wrong = await ctx.token({
      purpose: 'gap: a request with a wrong signature',
      fields: ctx.platform(),
      signature: ctx.random.hex(32),
    });
    const short = await ctx.token({
      purpose: 'gap: a request with a nostr of 5 characters',
      fields: ctx.platform({ nostr: ctx.random.nostr(5) }),
    });
    if (wrong.outcome !== 'refused' || short.outcome !== 'refused')
      throw new Inconclusive('a request that is wrong was not refused');
    const used = await use(ctx, 'platform', LIMITS.platformTokensPerDay);
    const whole = await useUp(await ctx.freshPartner(), 'platform');
    if (crossedMidnight(startMs, ctx.now())) throw new Inconclusive(CROSSED);
    if (!isUsedUp(whole))
      throw new Inconclusive('a partner without failed requests got fewer than ten tokens');
    const counted = whole.accepted - used.accepted;
    const exchanges = [wrong.exchange, short.exchange, used.last.exchange];
    const words = `of two refused requests ${['none', 'one', 'both'][counted] ?? counted} counted`;
    if (counted === 1) return { words, exchanges };
    return { value: counted === 0 ? 'no' : 'yes', words, exchanges };
  },
};

/** Exceeds one allowance, and sends requests that were accepted before. */
const banReach: GapProbe = {
  ...ON_FRESH_PARTNER,
  look: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const purpose = 'gap: a token before the ban';
    const first = await ctx.token({ purpose, fields: ctx.platform() });
    const before = await askAll(ctx, 'before the ban', first.accessToken, first.refreshToken);
    for (const answer of Object.values(before)) accepted(answer, 'refused before any ban');
    const used = await use(ctx, 'platform', LIMITS.platformTokensPerDay - 1);
    const beyond = await exceed(ctx, used);
    if (used.accepted < LIMITS.platformTokensPerDay - 1 || beyond.outcome !== 'refused')
      throw new Inconclusive('no ban to observe: it was not the eleventh request that was refused');
    const { refreshToken } = before.refresh;
    const after = await askAll(ctx, 'during the ban', first.accessToken, refreshToken);
    return reachOf(after);
  },
};

type Asked = Readonly<Record<'estimate' | 'refresh' | 'exchange', Answer>>;

const REACHED = [
  ['estimate', 'estimates'],
  ['refresh', 'refreshes'],
  ['exchange', 'user tokens'],
] as const;

function reachOf(during: Asked): GapFinding {
  const isRefused = (kind: keyof Asked): boolean => during[kind].outcome === 'refused';
  const names = REACHED.filter(([kind]) => isRefused(kind)).map(([, name]) => name);
  const words = names.length === 0 ? 'only platform token requests' : `${names.join(', ')} too`;
  const exchanges = Object.values(during).map((answer) => answer.exchange);
  if (names.length === 0) return { value: 'kind', words, exchanges };
  if (!isRefused('refresh') || !isRefused('exchange')) return { words, exchanges };
  return { value: isRefused('estimate') ? 'everything' : 'tokens', words, exchanges };
}

async function askAll(
  ctx: CheckContext,
  when: string,
  accessToken: string | null,
  refreshToken: string | null,
): Promise<Asked & { readonly refresh: TokenAnswer }> {
  const code = await ctx.authCode();
  return {
    estimate: await ctx.estimate({
      purpose: `gap: an estimate ${when}`,
      query: ctx.query(),
      accessToken: accessToken ?? '',
    }),
    refresh: await ctx.token({
      purpose: `gap: a refresh ${when}`,
      fields: ctx.refresh(refreshToken ?? ''),
    }),
    exchange: await ctx.token({
      purpose: `gap: an exchange of an auth code ${when}`,
      fields: ctx.exchange(code),
    }),
  };
}

/** Uses up one user's allowance, and requests a token for another user of the same partner. */
const userQuotaReach: GapProbe = {
  ...ON_FRESH_PARTNER,
  look: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    requireUsedUp(await useUp(ctx, 'user'));
    const answer = await ctx.token({
      purpose: "gap: another user's token once one user's five are used",
      fields: ctx.exchange(await ctx.authCode('user-2')),
    });
    const exchanges = [answer.exchange];
    if (answer.outcome === 'accepted')
      return { value: 'user', words: 'counted per user: another user got a sixth', exchanges };
    const words = `counted per partner: another user's sixth was refused (${describeAnswer(answer)})`;
    return { value: 'partner', words, exchanges };
  },
};

/** Bans two partners at once, and sends a request of one of them during the ban. */
const extendsBan: GapProbe = {
  ...ON_FRESH_PARTNER,
  look: async (ctx) => {
    await clearOfMidnight(ctx, PAUSE_MS + 2 * SEQUENCE_MS);
    const silent = await ctx.freshPartner();
    const used = [await useUp(ctx, 'platform'), await useUp(silent, 'platform')];
    await ctx.reach(ctx.now() + PAUSE_MS);
    const bans = [await askPlatform(ctx, 'which bans'), await askPlatform(silent, 'which bans')];
    if (!used.every(isUsedUp) || bans.some(({ outcome }) => outcome !== 'refused'))
      throw new Inconclusive('no two partners could be banned');
    const endMs = Math.max(...bans.map(({ answeredAtMs }) => answeredAtMs)) + BAN_MS + MARGIN_MS;
    await ctx.reach(endMs - BAN_MS / 2);
    const middle = await askPlatform(ctx, 'in the middle of the ban');
    if (middle.outcome !== 'refused') throw new Inconclusive('the ban had ended early');
    await ctx.reach(endMs);
    const after = await askPlatform(ctx, 'after the ban, having asked during it');
    const baseline = await askPlatform(silent, 'after the ban, having been silent');
    accepted(baseline, 'the ban did not end in time');
    const exchanges = [middle.exchange, after.exchange, baseline.exchange];
    return after.outcome === 'accepted'
      ? { value: 'no', words: 'a request during the ban does not extend it', exchanges }
      : {
          value: 'yes',
          words: `a request during the ban starts its ${DURATION_WORDS.ban} anew`,
          exchanges,
        };
  },
};

/** Probes of limits and bans; those that wait for the clock come first. */
export const quotaProbes = {
  'refused-request-extends-ban': extendsBan,
  'day-boundary': dayBoundary,
  'failed-requests-count': failedRequestsCount,
  'ban-reach': banReach,
  'user-quota-reach': userQuotaReach,
} satisfies GapProbes;
