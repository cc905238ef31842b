import { z } from 'zod';
import { PRODUCT_TYPES, RIDE_TYPES } from './limits.ts';

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const MAX_LATITUDE = 90;
const MAX_LONGITUDE = 180;

const degrees = (bound: number) =>
  z
    .string()
    .max(64)
    .regex(decimal)
    .refine((text) => Math.abs(Number(text)) <= bound, {
      message: `must be from -${bound} to ${bound}`,
    });

const text = (description: string, ...examples: readonly string[]) =>
  z.string().min(1).meta({ description, examples });

/**
 * Decoded query of `GET /v1/estimates/prices`; unknown parameters pass.
 *
 * @see interface.md, "2. Estimate prices"
 */
export const estimateQuerySchema = z.looseObject({
  start_lat: degrees(MAX_LATITUDE),
  start_lng: degrees(MAX_LONGITUDE),
  from_name: text('Name of the departure place.', 'Tiananmen'),
  end_lat: degrees(MAX_LATITUDE),
  end_lng: degrees(MAX_LONGITUDE),
  to_name: text('Name of the destination.', 'Summer Palace'),
  product_type: text('Product type.', ...PRODUCT_TYPES),
  ride_type: text('Capacity (ride) type.', ...RIDE_TYPES),
  imei: z
    .string()
    .optional()
    .meta({ description: 'Phone IMEI.', examples: ['490154203237518'] }),
  map_type: z
    .string()
    .optional()
    .meta({ description: 'Coordinate system; default `soso`.', examples: ['soso'] }),
  departure_time: z.string().optional(),
});

const degreesAsNumber = (name: string, bound: number, example: number) =>
  z
    .number()
    .min(-bound)
    .max(bound)
    .meta({ description: `${name}, in degrees.`, examples: [example] });

/** The same query before a client writes it as text: numbers where the interface has numbers. */
export const estimateParametersSchema = estimateQuerySchema.extend({
  start_lat: degreesAsNumber('Start latitude', MAX_LATITUDE, 39.9087),
  start_lng: degreesAsNumber('Start longitude', MAX_LONGITUDE, 116.3975),
  end_lat: degreesAsNumber('End latitude', MAX_LATITUDE, 39.9929),
  end_lng: degreesAsNumber('End longitude', MAX_LONGITUDE, 116.3106),
  departure_time: z
    .union([
      z.int().meta({ description: 'Unix time, in seconds.' }),
      z.string().meta({
        description:
          'The interface shows no form of the text; the reference server reads Unix seconds and ISO 8601.',
      }),
    ])
    .optional()
    .meta({
      description:
        'Departure time; default is the current time. A different time gives a different price.',
      examples: [1772452800, '2026-03-02T12:00:00Z'],
    }),
});

const carpoolElement = z.looseObject({
  seat: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Number of shared seats; only with carpool_tag 2.' }),
  estimate_price: z.int().meta({ description: 'Estimated carpool price, in fen.' }),
});

/** One estimate, whatever its carpool fields; unknown fields pass. */
export const looseRecordSchema = z.looseObject({
  product_type: z.enum(PRODUCT_TYPES).meta({ description: 'Product type.' }),
  ride_type: text('Capacity (ride) type.'),
  currency_code: text('Currency; `CNY` means Chinese yuan.', 'CNY'),
  estimate_price: z.int().meta({ description: 'Estimated price, in fen.' }),
  time_in_second: z.int().meta({ description: 'Estimated trip duration, in seconds.' }),
  distance_in_meter: z.int().meta({ description: 'Estimated distance, in meters.' }),
  car_type: z.int().meta({ description: 'Car model code.' }),
  dynamic: z.number().meta({ description: 'Dynamic-pricing multiplier.' }),
  estimate_id: text('Must be provided when a ride is requested.'),
  pay_type: text('Codes of payment methods, separated by commas.', '1', '1,2'),
  jump_url: z.url().meta({ description: 'Jumps to the client application.' }),
  download_url: z.url().meta({ description: 'Downloads the client application.' }),
  carpool_tag: z
    .union([z.literal([0, 1, 2]), z.literal(['0', '1', '2'])])
    .optional()
    .meta({ description: '0 no carpooling, 1 without seat sharing, 2 with seat sharing.' }),
  carpool_info: z
    .array(carpoolElement)
    .optional()
    .meta({ description: 'Carpool pricing; only if carpooling is enabled.' }),
});

/** One estimate, with carpool fields that fit its `carpool_tag`; unknown fields pass. */
const estimateRecordSchema = looseRecordSchema.superRefine((value, context) => {
  const tag = Number(value.carpool_tag ?? 0);
  const info = value.carpool_info;
  const refuse = (message: string): void => {
    context.addIssue({ code: 'custom', path: ['carpool_info'], message });
  };
  if (tag === 0 && info !== undefined) refuse('must be absent without carpooling');
  if (tag === 1 && (info?.length !== 1 || info[0]?.seat !== undefined)) {
    refuse('must be one element without seat if carpool_tag is 1');
  }
  if (tag === 2 && (!info?.length || info.some(({ seat }) => seat === undefined))) {
    refuse('must have a seat in each element if carpool_tag is 2');
  }
});

/** One estimate (interface.md, "Estimate record"). */
export type EstimateRecord = z.infer<typeof estimateRecordSchema>;

/** Body of an estimate response with status 200 (interface.md, "2. Estimate prices"). */
export const estimateResponseSchema = z.array(estimateRecordSchema);
