import type { EstimateAnswer } from '../contract/answer.ts';
import { describeAnswer } from '../contract/answer.ts';
import type { CheckContext } from '../contract/context.ts';
import { eitherWay, type GapProbe, type Looks, type Sighting, type Unseen } from './probe.ts';

const contentType: GapProbe = {
  gaps: ['estimate-content-type-required'],
  baseRequest: 'estimate',
  look: async (ctx) => {
    const purpose = 'gap: an estimate without a Content-Type';
    const answer = await ctx.estimate({ purpose, query: ctx.query(), contentType: false });
    const accepted = { value: 'no', words: 'accepted without it' };
    const words = `refused without it, with status ${answer.status}`;
    const seen = eitherWay(answer, accepted, { value: 'yes', words });
    return { seen: { 'estimate-content-type-required': seen } };
  },
};

const userTokenPlatformHeader: GapProbe = {
  gaps: ['user-token-platform-header'],
  baseRequest: 'user-estimate',
  look: async (ctx) => {
    const purpose = "gap: a user token with a platform's header";
    const answer = await ctx.estimate({ purpose, query: ctx.query(), as: 'platform' });
    const accepted = { value: 'accepted', words: 'accepted' };
    const seen = eitherWay(answer, accepted, { value: 'refused' });
    return { seen: { 'user-token-platform-header': seen } };
  },
};

const versionPolicy: GapProbe = {
  gaps: ['version-policy'],
  baseRequest: 'estimate',
  look: async (ctx) => {
    const path = '/v2/estimates/prices';
    const purpose = 'gap: an estimate under /v2/';
    const answer = await ctx.estimate({ purpose, query: ctx.query(), path });
    const accepted = { value: 'any-version', words: '/v2/ is served too' };
    const words = `/v2/ is refused with status ${answer.status}`;
    return { seen: { 'version-policy': eitherWay(answer, accepted, { value: 'v1-only', words }) } };
  },
};

const DEFAULT_MAP = 'soso';
const MAPS = ['wgs84', 'gcj02', 'bd09', 'baidu', 'amap', 'google'] as const;

const mapTypes: GapProbe = {
  gaps: ['map-types'],
  baseRequest: 'estimate',
  look: async (ctx) => {
    const send = (name: string) =>
      ctx.estimate({ purpose: `gap: the map_type ${name}`, query: ctx.query({ map_type: name }) });
    const unknown = await send('no-such-map');
    if (unknown.outcome !== 'refused') {
      const accepted = { value: 'any', words: 'any name, even one that does not exist' };
      return { seen: { 'map-types': eitherWay(unknown, accepted, { value: null }) } };
    }
    const accepted: string[] = [];
    const exchanges = [unknown.exchange];
    for (const name of [DEFAULT_MAP, ...MAPS]) {
      const answer = await send(name);
      exchanges.push(answer.exchange);
      if (answer.outcome === 'accepted') accepted.push(name);
    }
    const words = `of ${[DEFAULT_MAP, ...MAPS].join(', ')} these are accepted: ${accepted.join(', ') || 'none'}`;
    const value = accepted.length > 0 ? { value: accepted } : {};
    return { seen: { 'map-types': { ...value, words, exchanges } } };
  },
};

/** From the point of the ocean that is farthest from land to another far out. */
const OCEAN = {
  start_lat: '-48.8767',
  start_lng: '-123.3933',
  from_name: 'Ocean-South',
  end_lat: '31.2',
  end_lng: '-139.5',
  to_name: 'Ocean-North',
} as const;

/** What a query that is well formed and asks for something odd came to. */
type Oddity = 'estimated' | 'empty-array' | 'refused' | 'refused-as-invalid' | 'broken';

/**
 * A target may refuse what it has no estimate for, with a status of its own: it is told from an
 * invalid parameter by that status alone.
 */
function oddityOf(answer: EstimateAnswer, invalid: EstimateAnswer): Oddity {
  if (answer.outcome === 'broken') return 'broken';
  if (answer.outcome === 'refused') {
    return answer.status === invalid.status ? 'refused-as-invalid' : 'refused';
  }
  return answer.records.length > 0 ? 'estimated' : 'empty-array';
}

const unknownTypes: GapProbe = {
  gaps: ['unknown-product-type', 'unknown-ride-type', 'no-estimate-answer'],
  baseRequest: 'estimate',
  look: async (ctx) => {
    const send = (what: string, changes: Readonly<Record<string, string>>) =>
      ctx.estimate({ purpose: `gap: ${what}`, query: ctx.query(changes) });
    const invalid = await send('a latitude that is no number', { start_lat: 'abc' });
    const product = await send('an unknown product_type', { product_type: 'no-such-car' });
    const ride = await send('an unknown ride_type', { ride_type: 'no-such-ride' });
    const ocean = await send('a ride across an ocean', OCEAN);
    const answers = [product, ride, ocean];
    const without = answers.filter((answer) => oddityOf(answer, invalid) === 'refused');
    return {
      seen: {
        'unknown-product-type': unknownType(product, invalid),
        'unknown-ride-type': unknownType(ride, invalid),
        'no-estimate-answer': noEstimate(answers, invalid),
      },
      refusals: without.map((answer) => ['no-estimate', answer] as const),
    };
  },
};

function unknownType(answer: EstimateAnswer, invalid: EstimateAnswer): Sighting | Unseen {
  const exchanges = [answer.exchange];
  switch (oddityOf(answer, invalid)) {
    case 'estimated':
      return { value: 'estimated', words: `estimated, ${answerWords(answer)}`, exchanges };
    case 'empty-array':
      return { value: 'no-estimate', words: 'an empty list', exchanges };
    case 'refused':
      return {
        value: 'no-estimate',
        words: `refused with status ${answer.status}, where an invalid parameter has ${invalid.status}`,
        exchanges,
      };
    case 'refused-as-invalid':
      return { value: 'refused', words: `refused with status ${answer.status}`, exchanges };
    case 'broken':
      return { unseen: `no answer: ${answer.failure}` };
  }
}

function answerWords({ records: [record] }: EstimateAnswer): string {
  const shown = ['product_type', 'ride_type'].map((name) => {
    const value = record?.[name];
    return `${name} ${typeof value === 'string' ? value.slice(0, 40) : 'absent'}`;
  });
  return `with ${shown.join(' and ')}`;
}

function noEstimate(
  answers: readonly EstimateAnswer[],
  invalid: EstimateAnswer,
): Sighting | Unseen {
  const of = (oddity: Oddity): EstimateAnswer | undefined =>
    answers.find((answer) => oddityOf(answer, invalid) === oddity);
  const [empty, refused] = [of('empty-array'), of('refused')];
  if (empty) return { value: 'empty-array', words: 'an empty list', exchanges: [empty.exchange] };
  if (refused) {
    const words = `refused with status ${refused.status}`;
    return { value: 'refused', words, exchanges: [refused.exchange] };
  }
  return { unseen: 'every query tried got an estimate, or was refused as an invalid one is' };
}

const BURST = 60;

/** One after another, as fast as they are answered, until one is refused. */
const rateLimit: GapProbe = {
  gaps: ['estimate-rate-limit'],
  baseRequest: 'standalone',
  needs: { control: true },
  spends: () => ({ platform: 1 }),
  look: async (ctx) => {
    const issued = await ctx.token({ purpose: 'gap: a token', fields: ctx.platform() });
    if (issued.accessToken === null)
      return rateSeen({ unseen: `no token (${describeAnswer(issued)})` });
    const send = (number: number) => askQuickly(ctx, issued.accessToken ?? '', number);
    const first = await send(1);
    let last = first;
    for (let number = 2; number <= BURST; number++) {
      if (last.outcome !== 'accepted') break;
      const answer = await send(number);
      if (answer.outcome === 'refused') return limitOf(number - 1, first, last, answer);
      last = answer;
    }
    if (last.outcome !== 'accepted') {
      return rateSeen({ unseen: `an estimate failed (${describeAnswer(last)})` });
    }
    const seconds = Math.max(1, Math.ceil((last.answeredAtMs - first.sentAtMs) / 1000));
    const words = `none seen in ${BURST} estimates within ${seconds} s`;
    return rateSeen({ value: 'none', words, exchanges: [first.exchange, last.exchange] });
  },
};

const askQuickly = (ctx: CheckContext, accessToken: string, number: number) =>
  ctx.estimate({
    purpose: `gap: estimate ${number} of ${BURST} in a row`,
    query: ctx.query(),
    accessToken,
  });

/** So many at once, and as many more each second: the least that lets these pass. */
function limitOf(
  accepted: number,
  first: EstimateAnswer,
  last: EstimateAnswer,
  refused: EstimateAnswer,
): Looks {
  const seconds = Math.max(0, last.answeredAtMs - first.sentAtMs) / 1000;
  const perSecond = Math.max(1, Math.ceil(accepted / (1 + seconds)));
  const words = `about ${perSecond} a second, then status ${refused.status}`;
  return {
    ...rateSeen({ value: { perSecond }, words, exchanges: [last.exchange, refused.exchange] }),
    refusals: [['rate-limited', refused]],
  };
}

const rateSeen = (seen: Sighting | Unseen): Looks => ({ seen: { 'estimate-rate-limit': seen } });

/** Brings the status of a method that is not served. */
const otherMethod: GapProbe = {
  gaps: ['error-status'],
  baseRequest: 'estimate',
  look: async (ctx) => {
    const purpose = 'gap: an estimate asked for with PUT';
    const answer = await ctx.estimate({ purpose, query: ctx.query(), method: 'PUT' });
    return { seen: {}, refusals: [['method-not-allowed', answer]] };
  },
};

/** Gaps of the estimate endpoint (interface.md, "2. Estimate prices"). */
export const estimateProbes: readonly GapProbe[] = [
  contentType,
  userTokenPlatformHeader,
  versionPolicy,
  mapTypes,
  unknownTypes,
  rateLimit,
  otherMethod,
];
