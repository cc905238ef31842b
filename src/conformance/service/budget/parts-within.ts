import measured from '../../../../data/part-requests.json' with { type: 'json' };
import { type Check, isFurther } from '../contract/check.ts';

/**
 * Requests of each part of a check on a target with a control API, its baseline included, as measured. The first
 * part of each rule comes first; then those that find what no part before them finds, by what they find for a
 * request. On all forms of the second service, this order finds 94 % of what all parts find with the default number
 * of requests; one drawn by a seed finds 70 to 75 %.
 */
export const PART_REQUESTS: Readonly<Record<string, number>> = measured;

/** Requests of a check whose options name no number, unless all parts are sent: they are fast on the same machine. */
export const DEFAULT_REQUESTS = 1550;

/** Requests that every run may send, and the share of what it planned: a broken service takes more of them. */
const LEAST_BOUND = 2_500;
const BOUND_SHARE = 1.6;

/** Most requests of a run, by those that it planned. */
export const boundOf = (planned: number): number =>
  Math.max(LEAST_BOUND, Math.round(BOUND_SHARE * planned));

/** Requests of a part that {@link PART_REQUESTS} does not have. */
const UNKNOWN_REQUESTS = 5;

const PLACES: ReadonlyMap<string, number> = new Map(
  Object.keys(PART_REQUESTS).map((id, at) => [id, at]),
);

const priceOf = ({ id }: Check): number => PART_REQUESTS[id] ?? UNKNOWN_REQUESTS;

/** Parts that a run sends, and those that it leaves out. */
export interface ChosenParts {
  readonly chosen: readonly Check[];
  readonly left: Check[];
  /** Requests of those and of all other checks on a service that follows the rules, about. */
  readonly planned: number;
}

/**
 * Chooses the further parts of a run until its requests are spent: those that are asked first, then the others by what
 * they find for a request. The first part of each rule is always sent.
 *
 * @param checks of each rule, and its further parts
 * @param others checks that the run sends besides, such as probes
 * @param requests of the whole run, about; null for any number
 * @param isAskedFirst chooses parts such as those that found something in the last run
 */
export function partsWithin(
  checks: readonly Check[],
  others: readonly Check[],
  requests: number | null,
  isAskedFirst: (check: Check) => boolean = () => false,
): ChosenParts {
  const sumOf = (some: readonly Check[]): number =>
    some.reduce((sum, one) => sum + priceOf(one), 0);
  if (requests === null)
    return { chosen: checks, left: [], planned: sumOf([...checks, ...others]) };
  const first = checks.filter((check) => !isFurther(check));
  const further = checks.filter(isFurther);
  let room = requests - sumOf([...first, ...others]);
  const left = new Set<Check>();
  const inOrder = byPlace(further);
  const last = inOrder.filter((part) => !isAskedFirst(part));
  for (const part of [...inOrder.filter(isAskedFirst), ...last]) {
    if (priceOf(part) <= room) room -= priceOf(part);
    else left.add(part);
  }
  const chosen = checks.filter((one) => !left.has(one));
  return { chosen, left: [...left], planned: sumOf([...chosen, ...others]) };
}

/** Sorts parts by what they find for a request, the most conclusive first; unknown ones stay in order. */
export function byPlace(parts: readonly Check[]): Check[] {
  const placeOf = ({ id }: Check): number => PLACES.get(id) ?? PLACES.size;
  return parts.toSorted((a, b) => placeOf(a) - placeOf(b));
}
