import { describeAnswer } from '../contract/answer.ts';
import type { CheckContext } from '../contract/context.ts';
import type { Facts } from '../contract/target.ts';
import { fieldOf, show } from '../rules/token/answer.ts';
import { eitherWay, type GapProbe, type Looks } from './probe.ts';

const checksTime = (facts: Facts): string | undefined =>
  facts.environment === 'test' ? 'the test environment does not check _' : undefined;

/** The hour east of UTC in which a time without an offset is likeliest to be read, if not in UTC. */
const LOCAL_HOURS = 8;

const withoutOffset: GapProbe = {
  gaps: ['timestamp-without-offset'],
  baseRequest: 'platform',
  unless: checksTime,
  spends: () => ({ platform: 2 }),
  look: async (ctx) => {
    const send = (hours: number, zone: string) =>
      ctx.token({
        purpose: `gap: a _ without an offset, the time in ${zone}`,
        fields: ctx.platform({ _: ctx.timestamp(-hours * 3600).replace('Z', '') }),
      });
    const utc = await send(0, 'UTC');
    if (utc.outcome !== 'refused') {
      const accepted = { value: 'utc', words: 'accepted, read as UTC' };
      return { seen: { 'timestamp-without-offset': eitherWay(utc, accepted, { value: null }) } };
    }
    const local = await send(LOCAL_HOURS, `UTC+0${LOCAL_HOURS}:00`);
    const exchanges = [utc.exchange, local.exchange];
    const seen =
      local.outcome === 'accepted'
        ? { words: `accepted, read as UTC+0${LOCAL_HOURS}:00`, exchanges }
        : { value: 'refused', words: `refused with status ${utc.status}`, exchanges };
    return { seen: { 'timestamp-without-offset': seen } };
  },
};

const future: GapProbe = {
  gaps: ['timestamp-future'],
  baseRequest: 'platform',
  unless: checksTime,
  spends: () => ({ platform: 2 }),
  look: async (ctx) => {
    const send = (minutes: number) =>
      ctx.token({
        purpose: `gap: a _ that lies ${minutes} minutes ahead`,
        fields: ctx.platform({ _: ctx.timestamp(-minutes * 60) }),
      });
    const near = await send(5);
    if (near.outcome !== 'accepted') {
      const words = `5 minutes ahead is refused with status ${near.status}`;
      const seen = eitherWay(near, { value: null, words: '' }, { value: 'refused', words });
      return { seen: { 'timestamp-future': seen } };
    }
    const far = await send(20);
    const within = {
      value: 'within-validity',
      words: `5 minutes ahead is accepted, 20 minutes refused with status ${far.status}`,
    };
    const any = { value: 'accepted', words: '20 minutes ahead is accepted' };
    return { seen: { 'timestamp-future': eitherWay(far, any, within) } };
  },
};

/** Nothing but the nostr is the same in both requests. */
const nostrReplay: GapProbe = {
  gaps: ['nostr-replay'],
  baseRequest: 'platform',
  spends: () => ({ platform: 2 }),
  look: async (ctx) => {
    const nostr = ctx.random.nostr();
    const send = (purpose: string, secondsAgo: number) =>
      ctx.token({ purpose, fields: ctx.platform({ nostr, _: ctx.timestamp(secondsAgo) }) });
    const first = await send('gap: a nostr for the first time', 2);
    if (first.outcome !== 'accepted') return unseenFirst('nostr-replay', describeAnswer(first));
    const second = await send('gap: the same nostr again', 0);
    const accepted = { value: 'accepted', words: 'accepted a second time' };
    const words = `refused a second time with status ${second.status}`;
    return {
      seen: { 'nostr-replay': eitherWay(second, accepted, { value: 'refused', words }) },
      refusals: [['nostr-replayed', second]],
    };
  },
};

const UNKNOWN_SCOPE = 'no.such.scope';

const unknownScope: GapProbe = {
  gaps: ['unknown-scope'],
  baseRequest: 'platform',
  spends: () => ({ platform: 1 }),
  look: async (ctx) => {
    const fields = ctx.platform({ scope: `public ${UNKNOWN_SCOPE}` });
    const answer = await ctx.token({ purpose: 'gap: an unknown scope beside public', fields });
    const granted = fieldOf(answer, 'scope');
    const accepted =
      typeof granted === 'string' && granted.includes(UNKNOWN_SCOPE)
        ? { value: 'granted', words: 'granted as it was asked for' }
        : { value: 'dropped', words: `dropped: the scope is ${show(granted)}` };
    return {
      seen: { 'unknown-scope': eitherWay(answer, accepted, { value: 'refused' }) },
      refusals: [['scope-unknown', answer]],
    };
  },
};

const replayConsequence: GapProbe = {
  gaps: ['refresh-replay-consequence'],
  baseRequest: 'standalone',
  spends: () => ({ platform: 2, refresh: 4 }),
  look: async (ctx) => {
    const first = await ctx.token({ purpose: 'gap: a token to refresh', fields: ctx.platform() });
    const used = first.refreshToken;
    if (used === null) return unseenFirst('refresh-replay-consequence', describeAnswer(first));
    const refresh = (purpose: string, token: string) =>
      ctx.token({ purpose: `gap: ${purpose}`, fields: ctx.refresh(token) });
    const newest = await refresh('the first use of a refresh_token', used);
    if (newest.refreshToken === null || newest.refreshToken === used) {
      return unseenFirst('refresh-replay-consequence', describeAnswer(newest));
    }
    const replay = await refresh('the same refresh_token again', used);
    if (replay.outcome !== 'refused') {
      return unseenFirst('refresh-replay-consequence', 'the used one was not refused');
    }
    const estimate = await estimateWith(ctx, newest.accessToken ?? '');
    const after = await refresh('the newest refresh_token of that family', newest.refreshToken);
    const exchanges = [replay.exchange, estimate.exchange, after.exchange];
    const access = estimate.outcome === 'accepted' ? 'still works' : 'does not work any more';
    if (after.outcome === 'accepted') {
      const words = `refused with status ${replay.status} and nothing else: the newest refresh_token works`;
      return seenReplay('refused', words, exchanges);
    }
    const other = await ctx.token({
      purpose: 'gap: a token of another family',
      fields: ctx.platform(),
    });
    const control = await refresh('a refresh_token of another family', other.refreshToken ?? '');
    if (control.outcome !== 'accepted') {
      return unseenFirst('refresh-replay-consequence', 'other refreshes were refused too');
    }
    const words = `the whole family has ended: its newest refresh_token is refused, its access_token ${access}`;
    return seenReplay('family-ended', words, exchanges);
  },
};

function seenReplay(value: string, words: string, exchanges: readonly string[]): Looks {
  return { seen: { 'refresh-replay-consequence': { value, words, exchanges } } };
}

function estimateWith(ctx: CheckContext, accessToken: string) {
  const purpose = 'gap: an estimate with the newest access_token of that family';
  return ctx.estimate({ purpose, query: ctx.query(), accessToken });
}

/** What has to come first did not. */
function unseenFirst(gap: 'nostr-replay' | 'refresh-replay-consequence', why: string): Looks {
  return { seen: { [gap]: { unseen: `what has to come first failed: ${why}` } } };
}

/** Gaps of the token endpoint (interface.md, "1. Request, refresh or exchange a token"). */
export const tokenProbes: readonly GapProbe[] = [
  withoutOffset,
  future,
  nostrReplay,
  unknownScope,
  replayConsequence,
];
