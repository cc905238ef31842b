import { z } from 'zod';
import { PRODUCT_TYPES } from './limits.ts';

/** Decoded query of `GET /v1/estimates/prices` (interface.md, "2. Estimate prices"). */
export interface EstimateQuery {
  /** Degrees, from -90 to 90, in decimal. */
  start_lat: string;
  /** Degrees, from -180 to 180, in decimal. */
  start_lng: string;
  from_name: string;
  /** Degrees, from -90 to 90, in decimal. */
  end_lat: string;
  /** Degrees, from -180 to 180, in decimal. */
  end_lng: string;
  to_name: string;
  product_type: string;
  ride_type: string;
  imei?: string | undefined;
  /** Coordinate system; default `soso`. */
  map_type?: string | undefined;
  /** Unix time in seconds; default is the current time. */
  departure_time?: string | undefined;
  [unknownParameter: string]: unknown;
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const degrees = (name: string, bound: number): z.ZodType<string> =>
  z
    .string()
    .max(64)
    .regex(decimal)
    .refine((text) => Math.abs(Number(text)) <= bound, {
      message: `must be from -${bound} to ${bound}`,
    })
    .meta({ description: `${name}, in degrees.` });

const text = (description: string, ...examples: string[]): z.ZodType<string> =>
  z.string().min(1).meta({ description, examples });

/** Shape of a decoded estimate query; unknown parameters pass. */
export const estimateQuerySchema: z.ZodType<EstimateQuery> = z.looseObject({
  start_lat: degrees('Start latitude', 90),
  start_lng: degrees('Start longitude', 180),
  from_name: text('Name of the departure place.'),
  end_lat: degrees('End latitude', 90),
  end_lng: degrees('End longitude', 180),
  to_name: text('Name of the destination.'),
  product_type: text('Product type.', ...PRODUCT_TYPES),
  ride_type: text('Capacity (ride) type.', 'compact', 'express'),
  imei: z.string().optional().meta({ description: 'Phone IMEI.' }),
  map_type: z.string().optional().meta({ description: 'Coordinate system; default `soso`.' }),
  departure_time: z
    .string()
    .optional()
    .meta({ description: 'Departure time in Unix seconds; default is the current time.' }),
});

/** One element of carpool_info (interface.md, "Estimate record"). */
export interface CarpoolElement {
  /** Number of shared seats; with carpool_tag 2 only. */
  seat?: number | undefined;
  /** Estimated carpool price, in fen. */
  estimate_price: number;
  [unknownField: string]: unknown;
}

/** One estimate (interface.md, "Estimate record"). */
export interface EstimateRecord {
  product_type: (typeof PRODUCT_TYPES)[number];
  ride_type: string;
  /** `CNY` means Chinese yuan. */
  currency_code: string;
  /** Fen, 1/100 of the currency unit. */
  estimate_price: number;
  /** Seconds. */
  time_in_second: number;
  /** Meters. */
  distance_in_meter: number;
  car_type: number;
  /** Dynamic-pricing multiplier. */
  dynamic: number;
  estimate_id: string;
  /** Codes of payment methods, separated by commas. */
  pay_type: string;
  jump_url: string;
  download_url: string;
  /** 0 no carpooling, 1 without seat sharing, 2 with; an integer, or text as in the samples. */
  carpool_tag?: 0 | 1 | 2 | '0' | '1' | '2' | undefined;
  carpool_info?: CarpoolElement[] | undefined;
  [unknownField: string]: unknown;
}

/** Shape of one element of carpool_info. */
const carpoolElementSchema: z.ZodType<CarpoolElement> = z.looseObject({
  seat: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Number of shared seats; with carpool_tag 2 only.' }),
  estimate_price: z.int().meta({ description: 'Estimated carpool price, in fen.' }),
});

const record = z.looseObject({
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
    .array(carpoolElementSchema)
    .optional()
    .meta({ description: 'Carpool pricing; only where carpooling is enabled.' }),
});

/** Shape of one estimate, its carpool fields against its tag included; unknown fields pass. */
const estimateRecordSchema: z.ZodType<EstimateRecord> = record.superRefine((value, context) => {
  const tag = Number(value.carpool_tag ?? 0);
  const info = value.carpool_info;
  const refuse = (message: string): void => {
    context.addIssue({ code: 'custom', path: ['carpool_info'], message });
  };
  if (tag === 0 && info !== undefined) refuse('must be absent without carpooling');
  if (tag === 1 && (info?.length !== 1 || info[0]?.seat !== undefined)) {
    refuse('must be one element without seat where carpool_tag is 1');
  }
  if (tag === 2 && (!info?.length || info.some(({ seat }) => seat === undefined))) {
    refuse('must have a seat in each element where carpool_tag is 2');
  }
});

/** Body of an estimate answer with status 200 (interface.md, "2. Estimate prices"). */
export const estimateResponseSchema: z.ZodType<EstimateRecord[]> = z.array(estimateRecordSchema);
