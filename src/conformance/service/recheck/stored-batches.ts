import type { PartBatch } from '../../../documents/exchange.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import { type Check, isFurther } from '../contract/check.ts';
import { batchName } from '../contract/parts.ts';
import { ALL_SURVEYS } from '../rules/surveys.ts';
import type { Batch } from '../runner/batch.ts';

/** A batch of a stored run. */
export interface StoredBatch {
  readonly batch: Batch;
  /** Exchanges of the requests around its checks, and of its checks, in order of sending. */
  readonly exchanges: readonly Exchange[];
  /** Its first request; that of an earlier batch, where it sent none. */
  readonly opening: Exchange | undefined;
}

/**
 * Batches of a stored run, in the order in which they began.
 *
 * @param exchanges in order of sending
 * @param pointsTo ids of exchanges that a rule points to
 * @param unsent ids of checks of which the document says why they sent nothing
 */
export function storedBatches(
  checks: readonly Check[],
  exchanges: readonly Exchange[],
  pointsTo: (rule: string) => readonly string[],
  unsent: ReadonlySet<string>,
): StoredBatch[] {
  const byId = new Map(exchanges.map((one) => [one.id, one]));
  const known = new Map([...checks, ...ALL_SURVEYS].map((check) => [check.id, check]));
  const batches = new Map<string, Mutable>();
  for (const exchange of exchanges) {
    const { batch, check: id } = exchange.part ?? {};
    if (!batch || batch.isProbe) continue;
    const own: Mutable = batches.get(batch.id) ?? { batch, exchanges: [], checks: new Map() };
    batches.set(batch.id, own);
    own.exchanges.push(exchange);
    if (batch.opening !== undefined) own.batch = batch;
    const check = known.get(id ?? '');
    if (check) own.checks.set(check.id, onPlace(check, batchName(batch)));
  }
  // A check that sent nothing of its own is judged by the requests around others.
  const sent = new Set(exchanges.map(({ part }) => part?.check));
  const isAround = (one: Check): boolean =>
    !sent.has(one.id) && !unsent.has(one.id) && !isFurther(one);
  for (const check of checks.filter(isAround)) {
    const names = check.places.map(batchName);
    const around = check.rules
      .flatMap(pointsTo)
      .map((id) => byId.get(id)?.part)
      .find(
        (part) => part?.step !== undefined && part.batch && names.includes(batchName(part.batch)),
      );
    batches.get(around?.batch?.id ?? '')?.checks.set(check.id, check);
  }
  return [...batches.values()].map(({ batch, exchanges: own, checks: some }) => ({
    batch: {
      id: batch.id,
      baseRequest: batch.baseRequest,
      setting: batch.setting,
      checks: [...some.values()],
      attempts: new Map(own.map(({ part }) => [part?.check ?? '', part?.attempt ?? 1])),
    },
    exchanges: own,
    opening: own.find(({ part }) => part?.step === 'open') ?? byId.get(batch.opening ?? ''),
  }));
}

interface Mutable {
  batch: PartBatch;
  readonly exchanges: Exchange[];
  readonly checks: Map<string, Check>;
}

/** A further part of a check on the place that it ran on. */
export function onPlace(check: Check, name: string): Check {
  const place = check.places.find((one) => batchName(one) === name);
  return place && isFurther(check) ? { ...check, places: [place] } : check;
}

/** Partners as which the checks of a batch sent requests to the target, in order. */
export function partnersOf({ exchanges }: StoredBatch, baseUrl: string): string[] {
  // Requests to the control API are sent as no partner.
  const own = exchanges.filter(
    ({ part, request }) => part?.check !== undefined && request.url.startsWith(baseUrl),
  );
  return [...new Set(own.map(({ partnerId }) => partnerId))].filter((id) => id !== null);
}
