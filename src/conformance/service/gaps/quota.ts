import { ALLOWANCE_PER_DAY, LIMITS } from '../../../interface/limits.ts';
import { describeAnswer } from '../contract/answer.ts';
import type { Caller, CheckContext } from '../contract/context.ts';
import {
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  exceed,
  SEQUENCE_MS,
  use,
  useUp,
} from '../rules/quota/use.ts';
import { dayBoundary } from './day.ts';
import type { GapProbe, Looks, Sighting, Unseen } from './probe.ts';

const MARGIN_MS = 10_000;
const BAN_MS = LIMITS.banSeconds * 1000;

/** Two requests are refused for what they are; how many of the allowance are left then? */
const failedRequestsCount: GapProbe = {
  gaps: ['failed-requests-count'],
  baseRequest: 'standalone',
  needs: { control: true },
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
    if (wrong.outcome !== 'refused' || short.outcome !== 'refused') {
      return failedCount({ unseen: 'a request that is wrong was not refused' });
    }
    const used = await use(ctx, 'platform', LIMITS.platformTokensPerDay);
    const whole = await useUp(await ctx.freshPartner(), 'platform');
    if (crossedMidnight(startMs, ctx.now())) return failedCount({ unseen: CROSSED });
    if (whole.accepted < LIMITS.platformTokensPerDay) {
      return failedCount({ unseen: 'a partner without failed requests got fewer than ten tokens' });
    }
    const counted = whole.accepted - used.accepted;
    const exchanges = [wrong.exchange, short.exchange, used.last.exchange];
    const words = `of two refused requests ${['none', 'one', 'both'][counted] ?? counted} counted`;
    if (counted === 0) return failedCount({ value: 'no', words, exchanges });
    return failedCount(counted === 1 ? { words, exchanges } : { value: 'yes', words, exchanges });
  },
};

const failedCount = (seen: Sighting | Unseen): Looks => ({
  seen: { 'failed-requests-count': seen },
});

/** One allowance exceeded: what else is refused that was accepted just before? */
const banReach: GapProbe = {
  gaps: ['ban-reach'],
  baseRequest: 'standalone',
  needs: { control: true },
  look: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const first = await ctx.token({
      purpose: 'gap: a token before the ban',
      fields: ctx.platform(),
    });
    const before = await askAll(ctx, 'before the ban', first.accessToken, first.refreshToken);
    const failed = Object.values(before).find(({ outcome }) => outcome !== 'accepted');
    if (failed) return banSeen({ unseen: `refused before any ban (${describeAnswer(failed)})` });
    const used = await use(ctx, 'platform', LIMITS.platformTokensPerDay - 1);
    const beyond = await exceed(ctx, used);
    if (used.accepted < LIMITS.platformTokensPerDay - 1 || beyond.outcome !== 'refused') {
      return banSeen({
        unseen: 'no ban to look at: the eleventh request was not what was refused',
      });
    }
    const after = await askAll(
      ctx,
      'during the ban',
      first.accessToken,
      before.refresh.refreshToken,
    );
    const refused = (['estimate', 'refresh', 'exchange'] as const).filter(
      (kind) => after[kind].outcome === 'refused',
    );
    const exchanges = Object.values(after).map(({ exchange }) => exchange);
    return banSeen({ ...reachOf(refused), exchanges });
  },
};

function reachOf(refused: readonly ('estimate' | 'refresh' | 'exchange')[]): Sighting {
  const names = { estimate: 'estimates', refresh: 'refreshes', exchange: 'user tokens' };
  const words =
    refused.length === 0
      ? 'platform token requests alone'
      : `${refused.map((kind) => names[kind]).join(', ')} too`;
  if (refused.length === 0) return { value: 'kind', words };
  if (refused.length === 3) return { value: 'everything', words };
  return refused.length === 2 && !refused.includes('estimate')
    ? { value: 'tokens', words }
    : { words };
}

async function askAll(
  ctx: CheckContext,
  when: string,
  accessToken: string | null,
  refreshToken: string | null,
) {
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

const banSeen = (seen: Sighting | Unseen): Looks => ({ seen: { 'ban-reach': seen } });

/** One user's allowance is used up; another user of the same partner asks. */
const userQuotaReach: GapProbe = {
  gaps: ['user-quota-reach'],
  baseRequest: 'standalone',
  needs: { control: true },
  look: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const used = await useUp(ctx, 'user');
    if (used.accepted < ALLOWANCE_PER_DAY.user) {
      return {
        seen: {
          'user-quota-reach': { unseen: `the allowance fell short (${describeAnswer(used.last)})` },
        },
      };
    }
    const answer = await ctx.token({
      purpose: "gap: another user's token once one user's five are used",
      fields: ctx.exchange(await ctx.authCode('user-2')),
    });
    const exchanges = [answer.exchange];
    const seen =
      answer.outcome === 'accepted'
        ? { value: 'user', words: 'counted per user: another user got a sixth', exchanges }
        : {
            value: 'partner',
            words: `counted per partner: another user's sixth was refused with status ${answer.status}`,
            exchanges,
          };
    return { seen: { 'user-quota-reach': seen } };
  },
};

/** Two partners are banned at once; one of them asks again in the middle. */
const extendsBan: GapProbe = {
  gaps: ['refused-request-extends-ban'],
  baseRequest: 'standalone',
  needs: { control: true },
  look: async (ctx) => {
    await clearOfMidnight(ctx, 6 * 60_000 + SEQUENCE_MS);
    const silent = await ctx.freshPartner();
    const used = [await useUp(ctx, 'platform'), await useUp(silent, 'platform')];
    // Where allowances are counted over 24 hours, these are over before the ban is.
    await ctx.reach(ctx.now() + 5 * 60_000);
    const bans = [await ask(ctx, 'which bans'), await ask(silent, 'which bans')];
    const short = used.some(({ accepted }) => accepted < LIMITS.platformTokensPerDay);
    if (short || bans.some(({ outcome }) => outcome !== 'refused')) {
      return extension({ unseen: 'no two partners could be banned' });
    }
    const endMs = Math.max(...bans.map(({ answeredAtMs }) => answeredAtMs)) + BAN_MS + MARGIN_MS;
    await ctx.reach(endMs - BAN_MS / 2);
    const middle = await ask(ctx, 'in the middle of the ban');
    if (middle.outcome !== 'refused') return extension({ unseen: 'the ban had ended early' });
    await ctx.reach(endMs);
    const [after, control] = [
      await ask(ctx, 'after the ban, having asked during it'),
      await ask(silent, 'after the ban, having been silent'),
    ];
    if (control.outcome !== 'accepted') return extension({ unseen: 'the ban did not end in time' });
    const exchanges = [middle.exchange, after.exchange, control.exchange];
    return extension(
      after.outcome === 'accepted'
        ? { value: 'no', words: 'a request during the ban does not extend it', exchanges }
        : { value: 'yes', words: 'a request during the ban starts its 24 hours anew', exchanges },
    );
  },
};

const ask = (caller: Caller, when: string) =>
  caller.token({ purpose: `gap: a request ${when}`, fields: caller.platform() });

const extension = (seen: Sighting | Unseen): Looks => ({
  seen: { 'refused-request-extends-ban': seen },
});

/** Gaps of the allowances (interface.md, "Limits"); each on fresh partners, which it may ban. */
export const quotaProbes: readonly GapProbe[] = [
  extendsBan,
  dayBoundary,
  failedRequestsCount,
  banReach,
  userQuotaReach,
];
