import type { JsonObject } from './json-schema.ts';

/** Carpool fields of a record, and which of them it has to have. */
interface CarpoolShape {
  readonly title: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** A tag as an integer and as text: the interface declares one, and its samples show the other. */
const tag = (value: number): JsonObject => ({ enum: [value, String(value)] });

const price = { type: 'integer', description: 'Estimated carpool price, in fen.' };
const seat = { type: 'integer', minimum: 1, description: 'Number of shared seats.' };

/** Carpool fields of a record without carpooling. */
export const PLAIN: CarpoolShape = {
  title: 'Estimate without carpooling',
  properties: { carpool_tag: tag(0), carpool_info: false },
  required: [],
};

/** Carpool fields of a record with tag 1. */
export const WITHOUT_SEATS: CarpoolShape = {
  title: 'Estimate of a carpool without seat sharing',
  properties: {
    carpool_tag: tag(1),
    carpool_info: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        properties: { seat: false, estimate_price: price },
        required: ['estimate_price'],
      },
    },
  },
  required: ['carpool_tag', 'carpool_info'],
};

/** Carpool fields of a record with tag 2; that seats are distinct is more than a schema can say. */
export const WITH_SEATS: CarpoolShape = {
  title: 'Estimate of a carpool with seat sharing',
  properties: {
    carpool_tag: tag(2),
    carpool_info: {
      description: 'One element for each number of seats; no two have the same.',
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { seat, estimate_price: price },
        required: ['seat', 'estimate_price'],
      },
    },
  },
  required: ['carpool_tag', 'carpool_info'],
};
