import { randomInt } from 'node:crypto';
import { checkService, readTarget, suiteSchema } from '../../conformance/index.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import {
  ESTIMATE_SHAPES,
  type EstimateShape,
  type TargetProfile,
} from '../../interface/target-profile.ts';
import { SHAPE_QUERIES } from '../../server/index.ts';
import { ledgerFile } from '../../spending/index.ts';
import { profileOfAddress } from '../files/environment-profile.ts';
import type { Surroundings } from '../surroundings.ts';
import { EXAMPLE, type ProfileFacts } from './templates.ts';

/** Service that is known by its address. */
export interface KnownService {
  readonly facts: ProfileFacts;
  /** Lines for the user. */
  readonly words: readonly string[];
  /** False if the service accepted no estimate. */
  readonly isServed: boolean;
}

/**
 * Reads the partner of a service from the environment, and asks it which shapes of an estimate it answers.
 *
 * @param ledger path of the ledger; undefined for that of the user
 * @throws ConfigurationError as {@link profileOfAddress}; UnreachableTarget
 */
export async function readService(
  address: string,
  ledger: string | undefined,
  surroundings: Surroundings,
): Promise<KnownService> {
  const { env } = surroundings;
  const profile = { ...profileOfAddress(address, env), estimates: SHAPE_QUERIES };
  await surroundings.secrets.addProfile(profile);
  const { name, baseUrl, partners } = profile;
  const [partner] = partners;
  surroundings.note(`asking ${baseUrl} for estimates, with at most one token request`);
  const { shapes, diagnosis } = await probeShapes(profile, ledger, surroundings);
  const isServed = shapes.length > 0;
  const others = Object.keys(SHAPE_QUERIES).filter((one) => !shapes.some((shape) => shape === one));
  const missing = others.length > 0 ? `; no response for ${others.join(', ')}` : '';
  return {
    isServed,
    facts: {
      name,
      baseUrl,
      partnerId: partner?.id ?? '',
      variables: {
        key: 'FAREPROOF_SIGNING_KEY',
        ...(env['FAREPROOF_AUTH_CODE'] && { code: 'FAREPROOF_AUTH_CODE' }),
        ...(env['FAREPROOF_ACCESS_TOKEN'] && { token: 'FAREPROOF_ACCESS_TOKEN' }),
      },
      shapes: isServed ? shapes : EXAMPLE.shapes,
    },
    words: isServed
      ? [`The service answers the shapes ${shapes.join(', ')}${missing}.`, '']
      : [
          'The service accepted no estimate, so the shapes in the profile are a guess.',
          ...(diagnosis ? [diagnosis.finding, diagnosis.remedy] : []),
          '',
        ],
  };
}

/** Rules that need each shape, and one token request. */
const SUITE = suiteSchema.parse({
  name: 'shapes',
  rules: { include: ['estimate/private-car', 'estimate/express-car', 'carpool/*'] },
  tokenRequests: { most: 1 },
});

/** Limit of a whole exchange. */
const TIMEOUT_MS = 10_000;

/** Shapes that a target answers with, and the cause if it accepts no request. */
interface ProbedShapes {
  readonly shapes: readonly EstimateShape[];
  readonly diagnosis: ConformanceDocument['diagnosis'];
}

/**
 * Asks a target for an estimate of each shape of a profile, with one token request.
 *
 * @throws UnreachableTarget, or as the ledger
 */
async function probeShapes(
  profile: TargetProfile,
  ledger: string | undefined,
  io: Surroundings,
): Promise<ProbedShapes> {
  const { exchanges, diagnosis } = await checkService({
    target: readTarget(profile),
    suite: SUITE,
    probesGaps: false,
    seed: randomInt(2 ** 31),
    clock: io.clock,
    timeoutMs: TIMEOUT_MS,
    maxRate: null,
    allowBan: false,
    requireComplete: false,
    ledger: ledgerFile(ledger, io, (message) => io.note(message)),
    signal: io.interruption(),
  });
  const shapes = ESTIMATE_SHAPES.filter((shape) => {
    const query = profile.estimates[shape];
    return query && exchanges.some((one) => isAsked(one, query) && shapeOf(one) === tagOf(shape));
  });
  return { shapes, diagnosis };
}

function isAsked({ request }: Exchange, query: Readonly<Record<string, string>>): boolean {
  const { searchParams } = new URL(request.url);
  return Object.entries(query).every(([name, value]) => searchParams.get(name) === value);
}

/** Value of `carpool_tag` in an accepted estimate, 0 without one; null for any other answer. */
function shapeOf({ response }: Exchange): number | null {
  if (response?.status !== 200) return null;
  try {
    const records = JSON.parse(response.body) as unknown;
    const [first] = Array.isArray(records) ? (records as { carpool_tag?: unknown }[]) : [];
    return first ? Number(first.carpool_tag ?? 0) : null;
  } catch {
    return null;
  }
}

const tagOf = (shape: EstimateShape): number =>
  ({ plain: 0, express: 0, carpoolNoSeats: 1, carpoolSeats: 2 })[shape];
