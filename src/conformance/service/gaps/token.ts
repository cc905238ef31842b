import { type CheckContext, type Needs } from '../contract/check.ts';
import { accepted, Inconclusive } from '../contract/judge.ts';
import { show, type TokenAnswer } from '../contract/messages.ts';
import { fieldOf } from '../rules/token/response.ts';
import { TIMES_NOW } from '../rules/token/time-forms.ts';
import { byOutcome, type GapProbe, type GapProbes } from './probe.ts';

const timestampIsUnchecked: Needs['missing'] = ({ environment }) =>
  environment === 'test' ? 'the test environment does not check _' : undefined;

/** The likeliest zone in which a time without an offset is read, if not in UTC. */
const LOCAL_HOURS = 8;

/** Forms of a time that the target refuses although ISO 8601 has them, in words; fresh partners need a control API. */
async function refusedForms(ctx: CheckContext): Promise<string> {
  if (!ctx.facts.hasControl) return '';
  const refused: string[] = [];
  const fresh = await ctx.freshPartner();
  for (const [words, form, secondsAgo] of TIMES_NOW) {
    const fields = fresh.platform({ _: ctx.timestamp(secondsAgo, form) });
    const { outcome } = await fresh.token({ purpose: `gap: a current _ with ${words}`, fields });
    if (outcome === 'refused') refused.push(words);
  }
  return refused.length === 0 ? '' : `; refused too: ${refused.join(', ')}`;
}

/** A timestamp without an offset: as UTC, then as local time; and other forms of it. */
const withoutOffset: GapProbe = {
  baseRequest: 'platform',
  needs: { missing: timestampIsUnchecked },
  spends: { platform: 2 },
  look: async (ctx) => {
    const send = (hours: number, zone: string): Promise<TokenAnswer> =>
      ctx.token({
        purpose: `gap: a _ without an offset, the time in ${zone}`,
        fields: ctx.platform({ _: ctx.timestamp(-hours * 3600, 'without an offset') }),
      });
    const utc = await send(0, 'UTC');
    const also = await refusedForms(ctx);
    if (utc.outcome !== 'refused')
      return byOutcome(utc, { value: 'utc', words: `accepted, read as UTC${also}` });
    const zone = `UTC+0${LOCAL_HOURS}:00`;
    const local = await send(LOCAL_HOURS, zone);
    const exchanges = [utc.exchange, local.exchange];
    return local.outcome === 'accepted'
      ? { words: `accepted, read as ${zone}${also}`, exchanges }
      : { value: 'refused', words: `refused with status ${utc.status}${also}`, exchanges };
  },
};

/** A timestamp in the future. */
const future: GapProbe = {
  baseRequest: 'platform',
  needs: { missing: timestampIsUnchecked },
  spends: { platform: 2 },
  look: async (ctx) => {
    const send = (minutes: number): Promise<TokenAnswer> =>
      ctx.token({
        purpose: `gap: a _ that lies ${minutes} minutes ahead`,
        fields: ctx.platform({ _: ctx.timestamp(-minutes * 60) }),
      });
    const near = await send(5);
    if (near.outcome !== 'accepted')
      return byOutcome(
        near,
        { words: '' },
        { value: 'refused', words: '5 minutes ahead is refused' },
      );
    return byOutcome(
      await send(20),
      { value: 'accepted', words: '20 minutes ahead is accepted' },
      { value: 'within-validity', words: '5 minutes ahead is accepted, 20 minutes refused' },
    );
  },
};

const FIRST_FAILED = 'a preparatory request failed';

/** A nostr sent twice; all other fields differ in the two requests. */
const nostrReplay: GapProbe = {
  baseRequest: 'platform',
  spends: { platform: 2 },
  look: async (ctx, met) => {
    const nostr = ctx.random.nostr();
    const send = (purpose: string, secondsAgo: number): Promise<TokenAnswer> =>
      ctx.token({ purpose, fields: ctx.platform({ nostr, _: ctx.timestamp(secondsAgo) }) });
    accepted(await send('gap: a nostr for the first time', 2), FIRST_FAILED);
    const second = await send('gap: the same nostr again', 0);
    met('nostr-replayed', second);
    return byOutcome(
      second,
      { value: 'accepted', words: 'accepted a second time' },
      { value: 'refused', words: 'refused a second time' },
    );
  },
};

const UNKNOWN_SCOPE = 'no.such.scope';

/** A scope that the interface does not name. */
const unknownScope: GapProbe = {
  baseRequest: 'platform',
  spends: { platform: 1 },
  look: async (ctx, met) => {
    const fields = ctx.platform({ scope: `public ${UNKNOWN_SCOPE}` });
    const answer = await ctx.token({ purpose: 'gap: an unknown scope beside public', fields });
    met('scope-unknown', answer);
    const granted = fieldOf(answer, 'scope');
    const isGranted = typeof granted === 'string' && granted.includes(UNKNOWN_SCOPE);
    return byOutcome(
      answer,
      isGranted
        ? { value: 'granted', words: 'granted as requested' }
        : { value: 'dropped', words: `dropped: the scope is ${show(granted)}` },
      { value: 'refused' },
    );
  },
};

/** Other tokens that end when a used refresh_token is sent again. */
const replayConsequence: GapProbe = {
  baseRequest: 'standalone',
  spends: { platform: 2, refresh: 4 },
  look: async (ctx) => {
    const issue = (purpose: string): Promise<TokenAnswer> =>
      ctx.token({ purpose: `gap: ${purpose}`, fields: ctx.platform() });
    const refresh = (
      purpose: string,
      token: string | null,
      expects?: 'refused',
    ): Promise<TokenAnswer> =>
      ctx.token({ purpose: `gap: ${purpose}`, fields: ctx.refresh(token ?? ''), expects });
    const first = accepted(await issue('a token to refresh'), FIRST_FAILED).refreshToken;
    if (first === null) throw new Inconclusive(`${FIRST_FAILED}: no refresh_token came`);
    const newest = accepted(await refresh('the first use of a refresh_token', first), FIRST_FAILED);
    if (newest.refreshToken === null || newest.refreshToken === first)
      throw new Inconclusive(`${FIRST_FAILED}: the refresh returned no new refresh_token`);
    const replay = await refresh('the same refresh_token again', first, 'refused');
    if (replay.outcome !== 'refused')
      throw new Inconclusive(`${FIRST_FAILED}: the used one was not refused`);
    const estimate = await ctx.estimate({
      purpose: 'gap: an estimate with the newest access_token of that family',
      query: ctx.query(),
      accessToken: newest.accessToken ?? '',
    });
    const after = await refresh('the newest refresh_token of that family', newest.refreshToken);
    const exchanges = [replay.exchange, estimate.exchange, after.exchange];
    if (after.outcome === 'accepted') {
      const words = `refused with status ${replay.status} and nothing else: the newest refresh_token works`;
      return { value: 'refused', words, exchanges };
    }
    const other = await issue('a token of another family');
    accepted(
      await refresh('a refresh_token of another family', other.refreshToken),
      'other refreshes were refused too',
    );
    const access = estimate.outcome === 'accepted' ? 'still works' : 'does not work any more';
    const words = `the whole family has ended: its newest refresh_token is refused, its access_token ${access}`;
    return { value: 'family-ended', words, exchanges };
  },
};

/** A body of JSON without a Content-Type, and with that of plain text. */
const contentTypeRequired: GapProbe = {
  baseRequest: 'platform',
  spends: { platform: 2 },
  look: async (ctx) => {
    const send = (what: string, contentType: string | false): Promise<TokenAnswer> =>
      ctx.token({ purpose: `gap: a token request ${what}`, fields: ctx.platform(), contentType });
    const without = await send('without a Content-Type', false);
    const plain = await send('as text/plain', 'text/plain');
    if (without.outcome === 'broken' || plain.outcome === 'broken')
      throw new Inconclusive(`no response: ${without.failure || plain.failure}`);
    const words = `${describe(without)} without it, ${describe(plain)} as text/plain`;
    const exchanges = [without.exchange, plain.exchange];
    if (without.outcome !== plain.outcome) return { words, exchanges };
    return { value: without.outcome === 'accepted' ? 'no' : 'yes', words, exchanges };
  },
};

function describe({ outcome, status }: TokenAnswer): string {
  return outcome === 'accepted' ? 'accepted' : `refused with status ${status}`;
}

/** Probes of token requests. */
export const tokenProbes = {
  'timestamp-without-offset': withoutOffset,
  'timestamp-future': future,
  'nostr-replay': nostrReplay,
  'unknown-scope': unknownScope,
  'refresh-replay-consequence': replayConsequence,
  'token-content-type-required': contentTypeRequired,
} satisfies GapProbes;
