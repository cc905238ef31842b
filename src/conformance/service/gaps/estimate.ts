import type { GapFinding } from '../../../documents/sealed.ts';
import type { CheckContext } from '../contract/check.ts';
import { accepted } from '../contract/judge.ts';
import type { EstimateAnswer, EstimateAttempt } from '../contract/messages.ts';
import { byOutcome, type GapProbe, type GapProbes, ON_FRESH_PARTNER } from './probe.ts';

/** Sends an estimate of a probe, varied in one thing. */
const sendVaried = (
  ctx: CheckContext,
  what: string,
  varied: Partial<EstimateAttempt>,
): Promise<EstimateAnswer> =>
  ctx.estimate({ purpose: `gap: ${what}`, query: ctx.query(), ...varied });

const MAPS = ['soso', 'wgs84', 'gcj02', 'bd09', 'baidu', 'amap', 'google'] as const;

/** A route from the point of the ocean farthest from land to another one far out. */
const OCEAN = {
  start_lat: '-48.8767',
  start_lng: '-123.3933',
  from_name: 'Ocean-South',
  end_lat: '31.2',
  end_lng: '-139.5',
  to_name: 'Ocean-North',
} as const;

/** Outcome of a query that is well formed but unusual. */
type OddOutcome = 'estimated' | 'empty-array' | 'refused' | 'refused-as-invalid' | 'broken';

/**
 * A target may refuse what it has no estimate for with its own status: only this status
 * distinguishes it from an invalid parameter.
 */
function oddOutcome(answer: EstimateAnswer, invalid: EstimateAnswer): OddOutcome {
  if (answer.outcome === 'broken') return 'broken';
  if (answer.outcome === 'refused')
    return answer.status === invalid.status ? 'refused-as-invalid' : 'refused';
  return answer.records.length > 0 ? 'estimated' : 'empty-array';
}

/** An unknown product and ride type, and a ride that nobody could drive. */
const unknownTypes: GapProbe = {
  baseRequest: 'estimate',
  look: async (ctx, met) => {
    const send = (what: string, changes: Readonly<Record<string, string>>) =>
      sendVaried(ctx, what, { query: ctx.query(changes) });
    const invalid = await send('a latitude that is not a number', { start_lat: 'abc' });
    const product = await send('an unknown product_type', { product_type: 'no-such-car' });
    const ride = await send('an unknown ride_type', { ride_type: 'no-such-ride' });
    const ocean = await send('a ride across an ocean', OCEAN);
    const answers = [product, ride, ocean];
    for (const answer of answers)
      if (oddOutcome(answer, invalid) === 'refused') met('no-estimate', answer);
    return {
      'unknown-product-type': unknownType(product, invalid),
      'unknown-ride-type': unknownType(ride, invalid),
      'no-estimate-answer': noEstimate(answers, invalid),
    };
  },
};

function unknownType(answer: EstimateAnswer, invalid: EstimateAnswer): GapFinding | string {
  const exchanges = [answer.exchange];
  const refused = `refused with status ${answer.status}`;
  switch (oddOutcome(answer, invalid)) {
    case 'estimated':
      return { value: 'estimated', words: `estimated, ${typesOf(answer)}`, exchanges };
    case 'empty-array':
      return { value: 'no-estimate', words: 'an empty list', exchanges };
    case 'refused': {
      const words = `${refused}, where an invalid parameter has ${invalid.status}`;
      return { value: 'no-estimate', words, exchanges };
    }
    case 'refused-as-invalid':
      return { value: 'refused', words: refused, exchanges };
    case 'broken':
      return `no response: ${answer.failure}`;
  }
}

function typesOf({ records: [record] }: EstimateAnswer): string {
  const shown = ['product_type', 'ride_type'].map((name) => {
    const value = record?.[name];
    return `${name} ${typeof value === 'string' ? value.slice(0, 40) : 'absent'}`;
  });
  return `with ${shown.join(' and ')}`;
}

function noEstimate(
  answers: readonly EstimateAnswer[],
  invalid: EstimateAnswer,
): GapFinding | string {
  const of = (outcome: OddOutcome): EstimateAnswer | undefined =>
    answers.find((answer) => oddOutcome(answer, invalid) === outcome);
  const [empty, refused] = [of('empty-array'), of('refused')];
  if (empty) return { value: 'empty-array', words: 'an empty list', exchanges: [empty.exchange] };
  if (refused) {
    const words = `refused with status ${refused.status}`;
    return { value: 'refused', words, exchanges: [refused.exchange] };
  }
  return 'every query tried got an estimate, or was refused as an invalid one is';
}

/** A departure in ISO 8601, and a text that is no time. */
const departureText: GapProbe = {
  baseRequest: 'estimate',
  look: async (ctx) => {
    const send = (departure_time: string): Promise<EstimateAnswer> =>
      sendVaried(ctx, `the departure_time ${departure_time}`, {
        query: ctx.query({ departure_time }),
      });
    const iso = await send(ctx.timestamp(-3600));
    if (iso.outcome !== 'accepted')
      return byOutcome(iso, { words: '' }, { value: 'refused', words: 'ISO 8601 is refused' });
    const nonsense = await send('no-such-time');
    const others = nonsense.outcome === 'accepted' ? ', and so is a text that is no time' : '';
    const exchanges = [iso.exchange, nonsense.exchange];
    return { value: 'iso8601', words: `ISO 8601 is accepted${others}`, exchanges };
  },
};

const BURST = 30;

/** Sends estimates as fast as they are answered, until one is refused. */
const rateLimit: GapProbe = {
  ...ON_FRESH_PARTNER,
  spends: { platform: 1 },
  look: async (ctx, met) => {
    const { accessToken } = await ctx.issued('gap: a token');
    const send = (number: number): Promise<EstimateAnswer> =>
      sendVaried(ctx, `estimate ${number} of ${BURST} in a row`, { accessToken });
    const first = accepted(await send(1), 'an estimate failed');
    let last = first;
    for (let number = 2; number <= BURST; number++) {
      const answer = await send(number);
      if (answer.outcome === 'refused') {
        met('rate-limited', answer);
        return limitOf(number - 1, first, last, answer);
      }
      last = accepted(answer, 'an estimate failed');
    }
    const seconds = Math.max(1, Math.ceil((last.answeredAtMs - first.sentAtMs) / 1000));
    const words = `no limit met by ${BURST} estimates within ${seconds} s`;
    return { value: 'none', words, exchanges: [first.exchange, last.exchange] };
  },
};

/** The lowest rate that allows these: a burst of that size, and as many more each second. */
function limitOf(
  passed: number,
  first: EstimateAnswer,
  last: EstimateAnswer,
  refused: EstimateAnswer,
): GapFinding {
  const seconds = Math.max(0, last.answeredAtMs - first.sentAtMs) / 1000;
  const perSecond = Math.max(1, Math.ceil(passed / (1 + seconds)));
  const words = `about ${perSecond} a second, then status ${refused.status}`;
  return { value: { perSecond }, words, exchanges: [last.exchange, refused.exchange] };
}

/** Probes of estimates. */
export const estimateProbes = {
  'estimate-content-type-required': {
    baseRequest: 'estimate',
    look: async (ctx) =>
      byOutcome(
        await sendVaried(ctx, 'an estimate without a Content-Type', { contentType: false }),
        { value: 'no', words: 'accepted without it' },
        { value: 'yes', words: 'refused without it,' },
      ),
  },
  'user-token-platform-header': {
    baseRequest: 'user-estimate',
    look: async (ctx) =>
      byOutcome(
        await sendVaried(ctx, "a user token with a platform's header", { as: 'platform' }),
        { value: 'accepted', words: 'accepted' },
        { value: 'refused' },
      ),
  },
  // A version that the interface does not name.
  'version-policy': {
    baseRequest: 'estimate',
    look: async (ctx) =>
      byOutcome(
        await sendVaried(ctx, 'an estimate under /v2/', { path: '/v2/estimates/prices' }),
        { value: 'any-version', words: '/v2/ is served too' },
        { value: 'v1-only', words: '/v2/ is refused' },
      ),
  },
  // Names of maps: one that does not exist, then those in use.
  'map-types': {
    baseRequest: 'estimate',
    look: async (ctx) => {
      const send = (name: string): Promise<EstimateAnswer> =>
        sendVaried(ctx, `the map_type ${name}`, { query: ctx.query({ map_type: name }) });
      const unknown = await send('no-such-map');
      if (unknown.outcome !== 'refused')
        return byOutcome(unknown, {
          value: 'any',
          words: 'any name, even one that does not exist',
        });
      const known: string[] = [];
      const exchanges = [unknown.exchange];
      for (const name of MAPS) {
        const answer = await send(name);
        exchanges.push(answer.exchange);
        if (answer.outcome === 'accepted') known.push(name);
      }
      const words = `of ${MAPS.join(', ')} these are accepted: ${known.join(', ') || 'none'}`;
      return { ...(known.length > 0 ? { value: known } : {}), words, exchanges };
    },
  },
  'departure-time-text': departureText,
  'unknown-product-type': unknownTypes,
  'unknown-ride-type': unknownTypes,
  'no-estimate-answer': unknownTypes,
  'estimate-rate-limit': rateLimit,
  'error-status': {
    baseRequest: 'estimate',
    look: async (ctx, met) => {
      const answer = await sendVaried(ctx, 'an estimate asked for with PUT', { method: 'PUT' });
      met('method-not-allowed', answer);
      return {};
    },
  },
} satisfies GapProbes;
