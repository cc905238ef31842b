import {
  ConfigurationError,
  ESTIMATE_SHAPES,
  ESTIMATES_PATH,
  type EstimateShape,
  type ProfilePartner,
  sign,
  type TargetProfile,
} from '../../interface/index.ts';
import type { LoadIdentity } from '../options.ts';
import { createRandom, type Random } from '../seeded-random.ts';
import type { TargetAddress } from '../target-address.ts';
import { type RouteQuery, randomRoute } from './routes.ts';

/** One estimate request, complete but for its access token, which may change during a run. */
export interface EstimateRequest {
  /** Index of its shape in the mix. */
  shape: number;
  /** Path and query, percent-encoded. */
  path: string;
  /** Authorization up to the access token, such as `Bearer p-100|`. */
  authorizationPrefix: string;
}

/** Parts that requests are made of. */
export interface WorkloadOptions {
  profile: TargetProfile;
  address: TargetAddress;
  partner: ProfilePartner;
  identity: LoadIdentity;
  mix: Mix;
  seed: number;
  /** Used in turn; random routes if left out. */
  routes?: readonly RouteQuery[] | undefined;
  /** Number of different requests; default 4096. */
  size?: number | undefined;
}

const DEFAULT_SIZE = 4096;

/**
 * Makes the requests of a run: random (or given) routes, each with a shape drawn by its weight; the
 * same seed gives the same requests.
 */
export function prepareRequests(options: WorkloadOptions): EstimateRequest[] {
  const random = createRandom(options.seed, 'workload');
  const { routes } = options;
  const shapes = [...options.mix.keys()];
  const size = options.size ?? Math.max(DEFAULT_SIZE, routes?.length ?? 0);
  return Array.from({ length: size }, (_, index) => {
    const shape = pickShape(options.mix, random);
    const route = routes?.[index % routes.length] ?? randomRoute(random);
    const query = { ...options.profile.estimates[shape], ...route };
    return { shape: shapes.indexOf(shape), ...prepareRequest(options, query) };
  });
}

/**
 * The mix of a run: the one given, or all shapes that the profile has a query for, equally.
 *
 * @throws ConfigurationError `MIX_WITHOUT_QUERY` if the profile has no query for a shape
 */
export function resolveMix(profile: TargetProfile, wanted: Mix | undefined): Mix {
  const known = ESTIMATE_SHAPES.filter((shape) => profile.estimates[shape] !== undefined);
  if (wanted === undefined) {
    if (known.length > 0) return new Map(known.map((shape) => [shape, 1]));
    throw new ConfigurationError(
      'MIX_WITHOUT_QUERY',
      'The profile has no query under estimates; add one, such as plain: { product_type: private-car, ride_type: compact }.',
    );
  }
  const missing = [...wanted.keys()].find((shape) => !known.includes(shape));
  if (missing === undefined) return wanted;
  throw new ConfigurationError(
    'MIX_WITHOUT_QUERY',
    `the profile has no query estimates.${missing}; add one, or leave ${missing} out.`,
    { field: 'mix' },
  );
}

function prepareRequest(
  options: WorkloadOptions,
  query: RouteQuery,
): Omit<EstimateRequest, 'shape'> {
  const { partner, identity, address } = options;
  const { estimateFields } = options.profile.signature;
  const text = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return {
    path: `${address.pathPrefix}${ESTIMATES_PATH}?${text}`,
    authorizationPrefix:
      identity === 'platform'
        ? `Bearer ${partner.id}|`
        : `Bearer ${partner.id}|${signPart(query, estimateFields, partner)} openid|`,
  };
}

/** Signs the fields that the profile says are signed, all or those named. */
export function signPart(
  fields: Readonly<Record<string, string>>,
  signed: 'all' | readonly string[],
  { signingKey }: ProfilePartner,
): string {
  const part = Object.entries(fields).filter(([name]) => signed === 'all' || signed.includes(name));
  return sign(Object.fromEntries(part), signingKey);
}

/** Weights by shape, above 0. */
export type Mix = ReadonlyMap<EstimateShape, number>;

/** Parses `plain=8,express=1,carpoolSeats=1`; throws ConfigurationError `MIX_INVALID`. */
export function parseMix(text: string): Mix {
  const mix = new Map<EstimateShape, number>();
  for (const part of text.split(',')) {
    const [, name, weight] = /^\s*(\w+)\s*=\s*(\d+(?:\.\d+)?)\s*$/.exec(part) ?? [];
    const shape = ESTIMATE_SHAPES.find((known) => known === name);
    if (shape === undefined || weight === undefined || mix.has(shape)) {
      throw new ConfigurationError(
        'MIX_INVALID',
        `'${text}': "${part}" is not shape=weight, or names a shape twice; the shapes are ${ESTIMATE_SHAPES.join(', ')}.`,
        { field: 'mix' },
      );
    }
    if (Number(weight) > 0) mix.set(shape, Number(weight));
  }
  if (mix.size > 0) return mix;
  throw new ConfigurationError('MIX_INVALID', `'${text}': no shape has a weight above 0.`, {
    field: 'mix',
  });
}

/** Draws a shape by its weight. */
function pickShape(mix: Mix, random: Random): EstimateShape {
  const total = [...mix.values()].reduce((sum, weight) => sum + weight, 0);
  let left = random() * total;
  for (const [shape, weight] of mix) {
    left -= weight;
    if (left < 0) return shape;
  }
  return [...mix.keys()].at(-1) as EstimateShape;
}
