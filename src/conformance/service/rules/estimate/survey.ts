import { type Check, type CheckContext, placeOn, standalone } from '../../contract/check.ts';
import { FEWEST_OF_SHAPE } from '../../contract/observation.ts';
import type { Facts, Shape } from '../../contract/target.ts';

/** Estimates of each shape that are asked at once, the very same. */
const AT_ONCE = 2;

/** Estimates of each shape to a metered target. */
const METERED_OF_SHAPE = 4;

/**
 * Estimates of each shape in one header. Where requests are free, those of both headers show what one
 * answer of five does.
 */
const countOf = ({ metered }: Facts): number =>
  metered ? METERED_OF_SHAPE : FEWEST_OF_SHAPE / 2 + 2;

/** Moves a coordinate by a street or so, within its range. */
function moved(coordinate: string | undefined, by: number): string | undefined {
  const at = Number(coordinate);
  if (coordinate === undefined || !Number.isFinite(at)) return coordinate;
  return (at + (at > 0 ? -by : by)).toFixed(4);
}

/** Degrees by which each end of a long trip is moved, for each of its number: no two are of one length. */
const FAR = 0.4;

/** Degrees between the ends of a trip of some streets. */
const STREETS = 0.004;

/** Number of the trip that is only some streets long, and of that which ends where it starts. */
const [SHORT, SAME] = [4, 5];

/** An eleventh of a day: ten departures and the present. */
const STEP_S = 86_400 / 11;

/**
 * Query of a shape, of a route of its own, beside that of the profile; some are long, and some short. They depart over
 * a day, with either header at other hours.
 */
function routeOf(
  ctx: CheckContext,
  { shape, as, number }: { shape: Shape; as: 'platform' | 'user'; number: number },
): Record<string, string> {
  const query = ctx.query({}, shape);
  const { start_lat, start_lng, end_lat, end_lng } = query;
  const by = number / 1000 + (number % 3 === 0 ? FAR * number : 0);
  const aheadS = ((number - AT_ONCE) * 2 + (as === 'user' ? 2 : 1)) * STEP_S;
  const start = [moved(start_lat, by), moved(start_lng, by)];
  const far = [moved(end_lat, -by), moved(end_lng, -by)];
  const near = number === SHORT ? start.map((at) => moved(at, STREETS)) : start;
  const end = number === SHORT || number === SAME ? near : far;
  // Every other trip is one back: a sum over coordinates has another sign.
  const [from, to] = number % 2 === 0 ? [start, end] : [end, start];
  const changes = {
    start_lat: from[0],
    start_lng: from[1],
    end_lat: to[0],
    end_lng: to[1],
    departure_time: String(Math.round(ctx.now() / 1000 + aheadS)),
  };
  return ctx.query(changes, shape);
}

/** Judges nothing: obtains estimates of each shape of the profile for the observations. */
const surveyWith = (baseRequest: 'estimate' | 'user-estimate'): Check => ({
  id: `survey:${baseRequest}`,
  rules: [],
  places: [placeOn(baseRequest)],
  // Only what is left of the allowances: no rule needs it.
  priority: baseRequest === 'user-estimate' ? { rank: 9 } : undefined,
  run: async (ctx) => {
    const as = baseRequest === 'user-estimate' ? 'user' : 'platform';
    for (const shape of ctx.facts.shapes) {
      const ask = (query = ctx.query({}, shape)) => {
        const purpose = `an estimate in the shape ${shape}`;
        return ctx.estimate({ purpose, query, shape, as, wellFormed: true });
      };
      // An estimate_id made of query and time would be the same.
      await Promise.all(Array.from({ length: AT_ONCE }, () => ask()));
      for (let number = AT_ONCE; number < countOf(ctx.facts); number++) {
        const answer = await ask(routeOf(ctx, { shape, as, number }));
        // A target may serve few places, and no trip to its own start: that of the profile counts then.
        if (answer.outcome === 'refused') await ask();
      }
    }
    return {};
  },
});

/** Checks without rules: they obtain estimates for the observations, with either header. */
export const SURVEYS: readonly Check[] = [surveyWith('estimate'), surveyWith('user-estimate')];

/** Estimates of each shape with a refreshed token. */
const REFRESHED_OF_SHAPE = 2;

/** The same with tokens of a refresh, where requests are free. */
export const REFRESHED_SURVEY: Check = {
  id: 'survey:refreshed-estimates',
  rules: [],
  places: [standalone()],
  run: async (ctx) => {
    for (const as of ['platform', 'user'] as const) {
      const fields = as === 'user' ? ctx.exchange(await ctx.authCode()) : ctx.platform();
      const purpose = `a ${as} token to refresh`;
      const issued = await ctx.token({ purpose, fields, wellFormed: true });
      if (issued.refreshToken === null) continue;
      const { accessToken } = await ctx.sendRefresh(
        issued.refreshToken,
        `a refresh of a ${as} token`,
      );
      if (accessToken === null) continue;
      for (const shape of ctx.facts.shapes) {
        for (let number = 0; number < REFRESHED_OF_SHAPE; number++) {
          const words = `an estimate in the shape ${shape} with a refreshed ${as} token`;
          const query = ctx.query({}, shape);
          await ctx.estimate({ purpose: words, query, shape, as, accessToken, wellFormed: true });
        }
      }
    }
    return {};
  },
};
