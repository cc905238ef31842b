import type { OptionalParameter } from '../../../../interface/limits.ts';
import { type Judgement, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import {
  type Answer,
  describeAnswer,
  type EstimateAnswer,
  optionalParameters,
} from '../../contract/messages.ts';
import { checkOnEach, partOf, withParts } from '../../contract/templates.ts';
import { HOUR_MS } from '../days.ts';
import { compareRefusals } from './compare-refusals.ts';
import { judgeDefault } from './default-price.ts';

/** Pairs of requests to the plainest estimate, where requests are free. */
const PAIRS = 3;

/** Times that may be the present of the target, whose clock may be some minutes off; seconds from now. */
const AROUND_NOW = [0, -300, -200, -100, 100, 200, 300];

/** The present by the Date of an answer, in seconds from now, where it is farther off; left out where it is not. */
function byDate(answer: Answer | null): number[] {
  if (!answer) return [];
  const date = Date.parse(answer.headers['date'] ?? '');
  const seconds = Math.round((date - answer.sentAtMs) / 1000);
  return Math.abs(seconds) > Math.max(...AROUND_NOW) ? [seconds] : [];
}

/** The same where a control API tells the time of the target. */
const NEAR_NOW = [0, -3, 3];

/** Values that name a parameter's documented default when they are asked for; empty if it has none. */
function defaultsOf(name: OptionalParameter, ctx: CheckContext): readonly (() => string)[] {
  if (name === 'map_type') return [() => 'soso'];
  if (name === 'imei') return [];
  const present = ctx.facts.hasControl ? NEAR_NOW : [...AROUND_NOW, ...byDate(ctx.opening)];
  return present.map((seconds) => () => String(Math.floor(ctx.now() / 1000) + seconds));
}

/** Another destination in each round but the first. */
const toOther = (ctx: CheckContext, round: number): Readonly<Record<string, string>> =>
  round === 0 ? {} : { to_name: `${ctx.query()['to_name'] ?? ''}-${round}` };

/** Requests without the parameter and with it; then whether its default is the documented one. */
const optional = (rule: string, name: OptionalParameter): Check =>
  checkOnEach({
    rule,
    acceptance: 'demanded',
    baseRequest: 'estimate',
    run: async (ctx, { baseRequest, setting: { shape, afterRefresh } }) => {
      const value = ctx.query()[name] ?? optionalParameters(ctx.now())[name];
      const ask = (
        sent: string | undefined,
        purpose: string,
        changes: Readonly<Record<string, string>> = {},
      ): Promise<EstimateAnswer> => {
        const query = ctx.query({ ...changes, [name]: sent });
        return ctx.estimate({ purpose, query, shape, wellFormed: true });
      };
      const without = (round = 0) =>
        ask(undefined, `positive: an estimate request without ${name}`, toOther(ctx, round));
      const having = () => ask(value, `positive: the same request with ${name}`);
      const isPlainest = baseRequest === 'estimate' && !shape && !afterRefresh;
      for (let pair = 0; pair < (isPlainest && !ctx.facts.metered ? PAIRS : 1); pair++) {
        const left = answered(await without(), 'an estimate request');
        const right = answered(await having(), 'an estimate request');
        if (left.outcome !== right.outcome)
          return left.outcome === 'refused'
            ? judgeDifference(ctx, `without ${name}`, without, having, 'with')
            : judgeDifference(ctx, `with ${name}`, having, without, 'without');
        if (left.outcome === 'refused')
          throw new Inconclusive(
            `no estimate request was accepted, neither without ${name} (${describeAnswer(left)}) nor with it (${describeAnswer(right)})`,
          );
      }
      const defaults = defaultsOf(name, ctx).map(
        (one) => (round: number) =>
          ask(one(), `an estimate request that names the default of ${name}`, toOther(ctx, round)),
      );
      const compared = await judgeDefault(name, without, defaults);
      if (typeof compared !== 'string') return compared;
      return pass(
        `accepted: an estimate request with ${name}, and the same request without it${compared}`,
      );
    },
  });

/** The default once time has passed: a broken service may keep using the time of its start. */
const presentLater: Check = partOf({
  rule: 'estimate/departure-time',
  name: 'later',
  circumstance: 'an hour later',
  acceptance: 'read',
  needs: { control: true },
  effect: 'waits',
  run: async (ctx) => {
    await ctx.reach(ctx.now() + HOUR_MS);
    const { accessToken } = await ctx.issued('a token at that time');
    const ask = (departure: () => string | undefined, purpose: string) => (round: number) => {
      const query = ctx.query({ ...toOther(ctx, round), departure_time: departure() });
      return ctx.estimate({ purpose, query, accessToken, as: 'platform', wellFormed: true });
    };
    const without = ask(
      () => undefined,
      'an estimate request without departure_time, an hour later',
    );
    const first = answered(await without(0), 'an estimate request');
    if (first.outcome === 'refused')
      throw new Inconclusive(`no estimate was accepted an hour later (${describeAnswer(first)})`);
    const named = defaultsOf('departure_time', ctx).map((present) =>
      ask(present, 'an estimate request that names that time'),
    );
    const compared = await judgeDefault('departure_time', without, named);
    return typeof compared === 'string'
      ? pass(`accepted: an estimate request without departure_time${compared}`)
      : compared;
  },
});

async function judgeDifference(
  { facts }: CheckContext,
  what: string,
  ask: () => Promise<EstimateAnswer>,
  askOther: () => Promise<EstimateAnswer>,
  other: 'with' | 'without',
): Promise<Judgement> {
  const compared = `the same request ${other} it`;
  const { isDistinct, refusal, words } = await compareRefusals(facts, ask, askOther, compared);
  if (!isDistinct || !refusal)
    throw new Inconclusive(
      `an estimate request ${what} was refused, but not for that: it was refused ${words}`,
    );
  return violated(
    `status 200 for an estimate request ${what}`,
    `an estimate request ${what} was refused with status ${refusal.status}, the same request ${other} it accepted (refused ${words})`,
    refusal.exchange,
  );
}

/** Checks of the parameters that may be left out (interface.md, "2. Estimate prices"). */
export const optionalChecks: readonly Check[] = [
  optional('estimate/imei-optional', 'imei'),
  optional('estimate/map-type-optional', 'map_type'),
  withParts(optional('estimate/departure-time', 'departure_time'), [presentLater]),
];
