import { randomInt } from 'node:crypto';
import { checkService, readTarget, suiteSchema } from '../../conformance/index.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import {
  ESTIMATE_SHAPES,
  type EstimateShape,
  type TargetProfile,
} from '../../interface/target-profile.ts';
import { ledgerFile } from '../../spending/index.ts';
import type { Surroundings } from '../surroundings.ts';

/** Rules that need each shape, and one token request. */
const SUITE = suiteSchema.parse({
  name: 'shapes',
  rules: { include: ['estimate/private-car', 'estimate/express-car', 'carpool/*'] },
  tokenRequests: { most: 1 },
});

/** Limit of a whole exchange. */
const TIMEOUT_MS = 10_000;

/** Shapes that a target answers with, and the cause if it accepts no request. */
export interface ProbedShapes {
  readonly shapes: readonly EstimateShape[];
  readonly diagnosis: ConformanceDocument['diagnosis'];
}

/**
 * Asks a target for an estimate of each shape of a profile, with one token request.
 *
 * @throws UnreachableTarget, or as the ledger
 */
export async function probeShapes(profile: TargetProfile, io: Surroundings): Promise<ProbedShapes> {
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
    ledger: ledgerFile(undefined, io, (message) => io.note(message)),
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
