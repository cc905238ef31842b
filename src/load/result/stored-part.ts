import { availableParallelism } from 'node:os';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { LoadDocument } from '../../documents/load.ts';
import { ConfigurationError } from '../../interface/index.ts';
import type { GeneratorReport, GeneratorUpdate } from '../engine/engine.ts';
import type { LoadPart } from '../load-part.ts';
import type { LoadPlan } from '../plan.ts';
import type { JudgedLoad, PlannedLoad } from '../plan-load.ts';

/** Seconds of a generator, and its health over the last of them, as it reported them. */
export type ReportedSeconds = Pick<GeneratorUpdate, 'seconds' | 'sample'>;

/** All that a document of the whole load is made of. */
export interface StoredPart {
  readonly load: {
    readonly target: JudgedLoad['context']['profile'];
    readonly engine: PlannedLoad['engine']['name'];
    readonly plan: Omit<LoadPlan, 'address' | 'headers'>;
    readonly thresholds: PlannedLoad['thresholds'];
    readonly identity: PlannedLoad['identity'];
    readonly mix: readonly (readonly [shape: string, weight: number])[];
    readonly partnerId: string;
    readonly requestCount: number;
  };
  readonly cores: number;
  readonly seconds: readonly ReportedSeconds[];
  /** Redacted. */
  readonly reports: readonly GeneratorReport[];
}

/** Facts of a run that its part stores. */
interface MeasuredPart extends Pick<StoredPart, 'seconds' | 'reports'> {
  readonly load: PlannedLoad;
  readonly partnerId: string;
  readonly requestCount: number;
}

/** The field of a document by which it is merged with those of the other parts. */
export function storePart(
  { number, of, startAtMs }: LoadPart,
  { load, partnerId, requestCount, ...measured }: MeasuredPart,
): NonNullable<LoadDocument['part']> {
  const { name, baseUrl, environment } = load.context.profile;
  const { address: _address, headers: _headers, ...plan } = load.plan;
  const stored: StoredPart = {
    load: {
      target: { name, baseUrl, environment },
      engine: load.engine.name,
      plan,
      thresholds: load.thresholds,
      identity: load.identity,
      mix: [...load.mix],
      partnerId,
      requestCount,
    },
    cores: availableParallelism(),
    ...measured,
    seconds: withSlots(measured.seconds, toDistances),
  };
  const data = deflateRawSync(JSON.stringify(stored)).toString('base64');
  return { number, of, startAt: new Date(startAtMs).toISOString(), data };
}

/**
 * Reads what {@link storePart} stored.
 *
 * @throws ConfigurationError `PART_NOT_READ`
 */
export function readStoredPart({ number, data }: NonNullable<LoadDocument['part']>): StoredPart {
  try {
    const json = inflateRawSync(Buffer.from(data, 'base64')).toString();
    const stored = JSON.parse(json) as StoredPart;
    return { ...stored, seconds: withSlots(stored.seconds, fromDistances) };
  } catch (error) {
    throw new ConfigurationError(
      'PART_NOT_READ',
      `Shard ${number} does not hold its measurements; run it again.`,
      { cause: error },
    );
  }
}

/** Slots are stored as distances from the one before: alike numbers, which deflate to half of the slots. */
const toDistances = (slots: readonly number[]): number[] =>
  slots.map((value, at) => (at % 2 === 0 ? value - (slots[at - 2] ?? 0) : value));

function fromDistances(distances: readonly number[]): number[] {
  let slot = 0;
  return distances.map((value, at) => {
    if (at % 2 === 0) slot += value;
    return at % 2 === 0 ? slot : value;
  });
}

const withSlots = (
  reported: readonly ReportedSeconds[],
  map: (slots: readonly number[]) => number[],
): ReportedSeconds[] =>
  reported.map(({ seconds, ...rest }) => ({
    ...rest,
    seconds: seconds.map(({ response, ...second }) => ({
      ...second,
      response: { ...response, slots: map(response.slots) },
    })),
  }));
