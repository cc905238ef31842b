import {
  carpoolElementsOf,
  carpoolTagOf,
  type EstimateFields,
  hasKnownTag,
  isSharedSeat,
  isUntagged,
  isWithoutSeat,
  seatTwice,
} from '../../../answers/estimate-record.ts';
import { show } from '../contract/messages.ts';
import type { Observation, SeenRecord } from '../contract/observation.ts';
import type { Shape } from '../contract/target.ts';
import { eachRecord } from './record.ts';

const tag = eachRecord(
  'carpool/tag',
  'carpool_tag, where present, is 0, 1 or 2, as an integer or as a string',
  (record) => {
    // A null tag is one that is present where there is no carpooling: see carpool/plain.
    return hasKnownTag(record) ? null : `carpool_tag is ${show(record['carpool_tag'])}`;
  },
);

/** A rule on the records of one tag; the profile says which query brings them. */
const recordsOfTag = (
  rule: string,
  wanted: 1 | 2,
  shape: Shape,
  expected: string,
  objectTo: (record: EstimateFields) => string | null,
): Observation =>
  eachRecord(rule, expected, objectTo, {
    needs: { shape },
    where: ({ record }) => carpoolTagOf(record) === wanted,
    none: `no record with carpool_tag ${wanted} came, though the profile's query ${shape} is to bring one`,
  });

const seatSharing = recordsOfTag(
  'carpool/seat-sharing',
  2,
  'carpoolSeats',
  'with carpool_tag 2, carpool_info has an element for each seat count, each with an integer seat of at least 1 and an integer estimate_price that is not negative',
  (record) => {
    const elements = carpoolElementsOf(record);
    if (elements === null || elements.length === 0)
      return `carpool_info is ${show(record['carpool_info'])}`;
    const incomplete = elements.find((element) => !isSharedSeat(element));
    return incomplete ? `an element of carpool_info is ${show(incomplete)}` : null;
  },
);

const seatsDistinct = recordsOfTag(
  'carpool/seats-distinct',
  2,
  'carpoolSeats',
  'no two elements of carpool_info carry the same seat',
  (record) => {
    const twice = seatTwice(record);
    return twice === undefined ? null : `two elements carry seat ${show(twice)}`;
  },
);

const noSeatSharing = recordsOfTag(
  'carpool/no-seat-sharing',
  1,
  'carpoolNoSeats',
  'with carpool_tag 1, carpool_info has exactly one element, with an estimate_price that is not negative and no seat',
  (record) => {
    const elements = carpoolElementsOf(record);
    const [only] = elements ?? [];
    if (elements?.length !== 1 || !only) return `carpool_info is ${show(record['carpool_info'])}`;
    return isWithoutSeat(only) ? null : `the element of carpool_info is ${show(only)}`;
  },
);

/** The plain query brings records without a tag; others may too. */
const plain = eachRecord(
  'carpool/plain',
  'without carpooling neither carpool_tag (unless 0) nor carpool_info',
  (record) => {
    // A value that is no tag is judged by carpool/tag.
    if (!isUntagged(record))
      return [1, 2].includes(carpoolTagOf(record))
        ? `carpool_tag is ${show(record['carpool_tag'])}`
        : null;
    const { carpool_tag: itsTag, carpool_info: info } = record;
    if (itsTag === null) return 'carpool_tag is null';
    return info === undefined ? null : `carpool_info is ${show(info)}`;
  },
  {
    needs: { shape: 'plain' },
    where: ({ record, shape }: SeenRecord) => shape === 'plain' || isUntagged(record),
    none: 'no record without carpooling was seen',
  },
);

/** Rules of the area `carpool` (interface.md, "Estimate record"), judged over every record seen. */
export const carpoolObservations: readonly Observation[] = [
  tag,
  seatSharing,
  seatsDistinct,
  noSeatSharing,
  plain,
];
