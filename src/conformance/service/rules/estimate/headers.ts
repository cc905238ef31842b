import { type Judgement, pass, violated } from '../../../verdict.ts';
import {
  type Caller,
  type Check,
  type CheckContext,
  type Place,
  partsOf,
} from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import type { Answer, EstimateAttempt } from '../../contract/messages.ts';
import { type Facts, isRoomy } from '../../contract/target.ts';
import { checkOnEach, withParts } from '../../contract/templates.ts';
import { compareRefusals } from './compare-refusals.ts';
import { zeroCoordinate } from './zero-coordinate.ts';

type Header = 'platform' | 'user';

/** Requests of each kind of estimate beside the baseline, where requests are free. */
const SAMPLES = 3;

/** Judges whether estimates with the tokens of one grant succeed and return a list. */
const answersList = (rule: string, as: Header): Check => {
  const own = as === 'user' ? 'user-estimate' : 'estimate';
  const each = checkOnEach({
    rule,
    acceptance: 'demanded',
    baseRequest: own,
    isMeant: ({ baseRequest }) => baseRequest === own,
    priority: { rank: 1 },
    run: async (ctx, on) => {
      const what = `an estimate with a ${as} token`;
      const isPlainest = Object.keys(on.setting).length === 0;
      if (!isPlainest) return judgeSetting(ctx, on, as);
      const { opening } = ctx;
      if (!opening) throw new Inconclusive(`no response to ${what}`);
      const answer = answered(opening, what);
      if (answer.outcome === 'refused')
        return violated(`status 200 for ${what}`, `status ${answer.status}`, answer.exchange);
      return judgeList(answer, what);
    },
  });
  // A refreshed token that is refused is compared with one that is issued then.
  const compared = (facts: Facts): readonly Check[] =>
    partsOf(each, facts).map((check) =>
      check.places[0].setting.afterRefresh && isRoomy(facts)
        ? {
            ...check,
            priority: { stage: 'early', rank: 1 },
            spends: () => (as === 'user' ? { user: 1, codes: 1 } : { platform: 1 }),
          }
        : check,
    );
  return { ...each, parts: compared };
};

/** @throws Inconclusive if the answer is too long to be read */
function judgeList({ truncated, json, exchange }: Answer, what: string): Judgement {
  if (truncated) throw new Inconclusive(TOO_LONG);
  return Array.isArray(json)
    ? pass(`status 200 and a JSON array for ${what}`)
    : violated('a JSON array', 'status 200 without a JSON array', exchange);
}

/**
 * A refusal counts only if the same estimate is accepted in another way: in a shape with the other
 * header, after a refresh with a token that was issued anew.
 */
async function judgeSetting(
  ctx: CheckContext,
  { setting: { shape, afterRefresh } }: Place,
  as: Header,
): Promise<Judgement> {
  const which = afterRefresh ? ' that was refreshed' : ` in the shape ${shape}`;
  const what = `an estimate with a ${as} token${which}`;
  const query = ctx.query({}, shape);
  const { accessToken: own } = ctx;
  // The partner's newest token is another one as soon as one is issued to compare with.
  const request = { purpose: what, query, shape, accessToken: own, wellFormed: true };
  for (let sample = 0; sample < SAMPLES; sample++) {
    const answer = answered(await ctx.estimate({ ...request, as }), what);
    if (answer.outcome === 'accepted') {
      const list = judgeList(answer, what);
      if (list.verdict === 'violated') return list;
      continue;
    }
    const otherHeader = as === 'user' ? 'platform' : 'user';
    const header = afterRefresh ? as : otherHeader;
    const isCompared = isRoomy(ctx.facts) && afterRefresh;
    if (ctx.facts.metered && !isCompared && (afterRefresh || header === 'user'))
      throw new Inconclusive('it takes a token of another partner to compare with');
    const other = ctx.facts.metered ? ctx : await ctx.freshPartner();
    // A user's new token ends the refreshed one: what is refused until then is not refused for that.
    if (ctx.facts.metered && header === 'user' && afterRefresh) await requireRefused(ctx, request);
    const hasToken = ctx.facts.metered && !afterRefresh;
    const accessToken = hasToken ? ctx.platformToken : await tokenFor(header, other);
    const { isDistinct, refusal, words } = await compareRefusals(
      ctx.facts,
      () => ctx.estimate({ ...request, as }),
      () => other.estimate({ ...request, as: header, accessToken }),
      afterRefresh ? 'with a token issued anew' : `with a ${header} token`,
    );
    if (isDistinct && refusal)
      return violated(`status 200 for ${what}`, `it was refused ${words}`, refusal.exchange);
    throw new Inconclusive(`${what} was refused, but not for its token: it was refused ${words}`);
  }
  return pass(`status 200 and a JSON array for ${what}`);
}

/** @throws Inconclusive if the request is accepted when it is sent again */
async function requireRefused(ctx: CheckContext, request: EstimateAttempt): Promise<void> {
  for (let time = 1; time <= SAMPLES; time++) {
    const again = answered(await ctx.estimate({ ...request, as: 'user' }), request.purpose);
    if (again.outcome !== 'accepted') continue;
    throw new Inconclusive(`${request.purpose} was refused, but not when it was sent again`);
  }
}

async function tokenFor(header: Header, partner: Caller): Promise<string> {
  const purpose = 'a token to compare with';
  if (header === 'platform') return (await partner.issued(purpose)).accessToken;
  const fields = partner.exchange(await partner.authCode());
  const { accessToken } = await partner.token({ purpose, fields, wellFormed: true });
  if (accessToken === null) throw new Inconclusive('no user token could be had to compare with');
  return accessToken;
}

export const TOO_LONG = 'the response is longer than the 1 MiB that is read of a body';

/** Checks of the two headers of an estimate (interface.md, "Authentication"). */
export const headerChecks: readonly Check[] = [
  withParts(answersList('estimate/platform', 'platform'), [zeroCoordinate]),
  answersList('estimate/user', 'user'),
];
