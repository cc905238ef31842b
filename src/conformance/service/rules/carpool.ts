import { inconclusive, type Judgement, pass, violated } from '../../verdict.ts';
import type { EstimateFields } from '../contract/answer.ts';
import type { Observation, Seen, SeenEstimate } from '../contract/observation.ts';
import type { Shape } from '../contract/target.ts';
import { observation } from '../contract/templates.ts';
import { eachRecord, show } from './record.ts';

/** The tag as a number; NaN where there is none, or none that the interface knows. */
function tagOf(record: EstimateFields): number {
  const { carpool_tag: tag } = record;
  return typeof tag === 'number' || (typeof tag === 'string' && /^[0-2]$/.test(tag))
    ? Number(tag)
    : Number.NaN;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const tag = eachRecord(
  'carpool/tag',
  'carpool_tag, where present, is 0, 1 or 2, as an integer or as a string',
  (record) => {
    if (isAbsent(record['carpool_tag'])) return null;
    return [0, 1, 2].includes(tagOf(record))
      ? null
      : `carpool_tag is ${show(record['carpool_tag'])}`;
  },
);

type Element = Readonly<Record<string, unknown>>;

/** The elements of carpool_info; null where it is no list of objects. */
function elementsOf(record: EstimateFields): readonly Element[] | null {
  const { carpool_info: info } = record;
  if (!Array.isArray(info)) return null;
  const list: readonly unknown[] = info;
  return list.every((one) => one !== null && typeof one === 'object') ? (list as Element[]) : null;
}

/** A rule on the records of one tag; the profile says which query brings them. */
const recordsOfTag = (
  rule: string,
  wanted: 1 | 2,
  shape: Shape,
  expected: string,
  objectTo: (record: EstimateFields) => string | null,
): Observation =>
  observation(
    rule,
    ['estimate'],
    (seen) => {
      const found = withTag(seen, wanted);
      for (const { record, estimate } of found) {
        const got = objectTo(record);
        const { exchange } = estimate.answer;
        if (got !== null) return violated(expected, got, exchange, [exchange]);
      }
      if (found.length > 0)
        return pass(`${expected}, in each of ${found.length} records`, idsOf(found));
      return inconclusive(
        `no record with carpool_tag ${wanted} came, though the profile's query ${shape} is to bring one`,
        seen.estimates.filter((one) => one.shape === shape).map(({ answer }) => answer.exchange),
      );
    },
    { shape },
  );

interface Found {
  readonly record: EstimateFields;
  readonly estimate: SeenEstimate;
}

function withTag(seen: Seen, wanted: number): readonly Found[] {
  return seen.estimates.flatMap((estimate) =>
    estimate.answer.records
      .filter((record) => tagOf(record) === wanted)
      .map((record) => ({ record, estimate })),
  );
}

function idsOf(found: readonly Found[]): readonly string[] {
  return [...new Set(found.map(({ estimate }) => estimate.answer.exchange))].slice(0, 3);
}

const seatSharing = recordsOfTag(
  'carpool/seat-sharing',
  2,
  'carpoolSeats',
  'with carpool_tag 2, carpool_info has an element for each seat count, each with integer seat and estimate_price',
  (record) => {
    const elements = elementsOf(record);
    if (elements === null || elements.length === 0) {
      return `carpool_info is ${show(record['carpool_info'])}`;
    }
    const incomplete = elements.find(
      ({ seat, estimate_price: price }) => !Number.isInteger(seat) || !Number.isInteger(price),
    );
    return incomplete ? `an element of carpool_info is ${show(incomplete)}` : null;
  },
);

const seatsDistinct = recordsOfTag(
  'carpool/seats-distinct',
  2,
  'carpoolSeats',
  'no two elements of carpool_info carry the same seat',
  (record) => {
    const seats = (elementsOf(record) ?? []).map(({ seat }) => seat).filter(Number.isInteger);
    const twice = seats.find((seat, at) => seats.indexOf(seat) < at);
    return twice === undefined ? null : `two elements carry seat ${show(twice)}`;
  },
);

const noSeatSharing = recordsOfTag(
  'carpool/no-seat-sharing',
  1,
  'carpoolNoSeats',
  'with carpool_tag 1, carpool_info has exactly one element, with estimate_price and no seat',
  (record) => {
    const elements = elementsOf(record);
    const [only] = elements ?? [];
    if (elements?.length !== 1 || !only) return `carpool_info is ${show(record['carpool_info'])}`;
    const fine = isAbsent(only['seat']) && Number.isInteger(only['estimate_price']);
    return fine ? null : `the element of carpool_info is ${show(only)}`;
  },
);

const plain = observation('carpool/plain', ['estimate'], judgePlain, { shape: 'plain' });

/**
 * A record of the plain query carries neither field; any other without a tag, or with 0, no
 * carpool_info.
 */
function judgePlain(seen: Seen): Judgement {
  const expected = 'without carpooling neither carpool_tag (unless 0) nor carpool_info';
  let judged = 0;
  for (const { answer, shape } of seen.estimates) {
    for (const record of answer.records) {
      const { carpool_tag: itsTag, carpool_info: info } = record;
      const untagged = isAbsent(itsTag) || tagOf(record) === 0;
      if (shape !== 'plain' && !untagged) continue;
      judged++;
      const got = untagged
        ? isAbsent(info)
          ? null
          : `carpool_info is ${show(info)}`
        : `carpool_tag is ${show(itsTag)}`;
      if (got !== null) return violated(expected, got, answer.exchange, [answer.exchange]);
    }
  }
  if (judged === 0) return inconclusive('no record without carpooling was seen');
  const exchanges = seen.estimates.slice(0, 3).map(({ answer }) => answer.exchange);
  return pass(`${expected}, in each of ${judged} records`, exchanges);
}

/** Rules of the area `carpool` (interface.md, "Estimate record"), judged over every record seen. */
export const carpoolObservations: readonly Observation[] = [
  tag,
  seatSharing,
  seatsDistinct,
  noSeatSharing,
  plain,
];
