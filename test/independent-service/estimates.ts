import type { IncomingMessage } from 'node:http';
import { signatureOf } from './reading-signature.ts';
import { type AccessToken, type Partner, Refused, type ServiceState } from './state.ts';

const REQUIRED = [
  'start_lat',
  'start_lng',
  'from_name',
  'end_lat',
  'end_lng',
  'to_name',
  'product_type',
  'ride_type',
];

/** The queries that bring each shape of this service, as a profile would name them. */
export const SERVICE_SHAPES = {
  plain: { product_type: 'private-car', ride_type: 'compact' },
  express: { product_type: 'express-car', ride_type: 'express' },
  carpoolSeats: { product_type: 'express-car', ride_type: 'pool-seats' },
  carpoolNoSeats: { product_type: 'express-car', ride_type: 'pool' },
} as const;

/** The array of an estimate, or a refusal. */
export function answerEstimate(service: ServiceState, request: IncomingMessage, url: URL): unknown {
  const { broken } = service;
  const query = Object.fromEntries(url.searchParams);
  const { partner, token } = authorize(service, request.headers.authorization, query);
  if (token.user === null && broken('estimate/platform')) throw new Refused('token');
  if (token.user !== null && broken('estimate/user')) throw new Refused('token');
  const missing = REQUIRED.find((name) => !query[name]);
  if (missing !== undefined && !(broken('estimate/required-parameters') && missing === 'to_name'))
    throw new Refused('parameter');
  for (const name of ['start_lat', 'start_lng', 'end_lat', 'end_lng']) {
    const value = Number(query[name]);
    if (Number.isNaN(value)) {
      if (broken('estimate/coordinates-numeric') && name === 'end_lng') continue;
      throw new Refused('parameter');
    }
    const bound = name.endsWith('lat') ? 90 : 180;
    if (Math.abs(value) > bound && !broken('estimate/coordinates-range'))
      throw new Refused('parameter');
  }
  for (const name of ['imei', 'map_type', 'departure_time'])
    if (broken(`${name} is demanded`) && !query[name]) throw new Refused('parameter');
  const aheadMs = Number(query['departure_time'] ?? 0) * 1000 - service.now();
  if (aheadMs > (service.style.aheadMinutes ?? Number.POSITIVE_INFINITY) * 60_000)
    throw new Refused('parameter');
  if (broken('estimate/imei-optional') && query['imei']) throw new Refused('parameter');
  if (broken('estimate/map-type-optional') && query['map_type'] === 'soso')
    throw new Refused('parameter');
  if (broken('estimate/departure-time') && query['departure_time']) throw new Refused('parameter');
  if (broken('estimate/private-car') && query['product_type'] === 'private-car')
    throw new Refused('product');
  if (broken('estimate/express-car') && query['product_type'] === 'express-car')
    throw new Refused('product');
  if (broken('estimate/non-ascii-names') && /[^ -~]/.test(query['from_name'] ?? ''))
    throw new Refused('parameter');
  return recordsOf(service, partner, query);
}

function authorize(
  service: ServiceState,
  header: string | undefined,
  query: Record<string, string>,
): { partner: Partner; token: AccessToken } {
  const { broken, style } = service;
  const anyToken = (): { partner: Partner; token: AccessToken } => {
    const token = [...service.tokens.values()].at(-1);
    if (!token) throw new Refused('token');
    return { partner: token.partner, token };
  };
  if (header === undefined) {
    if (broken('auth/authorization-required')) return anyToken();
    throw new Refused('authorization');
  }
  const scheme = broken('auth/scheme') ? '(?:Bearer|Basic|MAC)' : 'Bearer';
  const asUser = new RegExp(`^${scheme} ([^|\\s]+)\\|([0-9a-fA-F]{32}) openid\\|(\\S+)$`).exec(
    header,
  );
  const asPlatform = new RegExp(`^${scheme} ([^|\\s]+)\\|(\\S+)$`).exec(header);
  const id = (asUser ?? asPlatform)?.[1];
  const text = asUser ? asUser[3] : asPlatform?.[2];
  const partner = service.partners.get(id ?? '');
  const token = broken('half a token is compared')
    ? [...service.tokens].find(([one]) => isHalf(one, text ?? ''))?.[1]
    : service.tokens.get(text ?? '');
  if (!partner) throw new Refused('partner');
  if (
    style.banReach === 'everything' &&
    Object.values(partner.bannedUntil).some((until) => (until ?? 0) > service.now())
  ) {
    throw new Refused('banned');
  }
  if (!token) {
    if (broken('auth/unknown-token')) return anyToken();
    throw new Refused('token');
  }
  if (token.partner !== partner && !broken('auth/token-of-partner')) throw new Refused('token');
  if (token.ended) throw new Refused('token');
  const early = broken('lifecycle/access-token-valid-until-expiry') ? 60_000 : 0;
  const late = broken('lifecycle/access-token-expires') ? 3_600_000 : 0;
  if (service.now() >= token.expires - early + late) throw new Refused('expired');
  if (!token.scope.split(/\s+/).includes('public') && !broken('auth/scope-public'))
    throw new Refused('scope');
  if (asUser && token.user === null) throw new Refused('token');
  const compared = broken('half a signature is compared') ? 16 : 32;
  if (
    asUser &&
    !broken('auth/user-signature') &&
    signatureOf(query, partner.key, () => false).slice(0, compared) !==
      asUser[2]!.toLowerCase().slice(0, compared)
  ) {
    throw new Refused('signature');
  }
  return { partner, token };
}

/** Of the same length, and its first half the same. */
function isHalf(token: string, sent: string): boolean {
  const half = Math.ceil(token.length / 2);
  return token.length === sent.length && token.slice(0, half) === sent.slice(0, half);
}

function recordsOf(
  service: ServiceState,
  partner: Partner,
  query: Record<string, string>,
): unknown {
  const { broken, style } = service;
  const departure = Number(query['departure_time'] ?? service.now() / 1000);
  const minute = Math.floor(departure / 60) % 1440;
  const [from, to] = style.dearMinutes ?? [17 * 60, 20 * 60];
  const price = broken('estimate/departure-time-price')
    ? 3000
    : 3000 + (minute >= from && minute < to ? 900 : 0);
  const id = broken('record/estimate-id-unique') ? 'the-estimate' : service.serial('e-');
  const lockMinutes = partner.longLock
    ? broken('lock/partner-60-minutes')
      ? 10
      : 60
    : broken('lock/default-10-minutes')
      ? 15
      : 10;
  service.locks.set(id, { partner, until: service.now() + lockMinutes * 60_000, price });
  const record: Record<string, unknown> = {
    product_type: query['product_type'],
    ride_type: query['ride_type'],
    currency_code: 'CNY',
    estimate_price: broken('record/estimate-price') ? price + 0.5 : price,
    time_in_second: 1500,
    distance_in_meter: 12_000,
    car_type: 100,
    dynamic: style.floatsAsIntegers ? 1 : 1.2,
    estimate_id: id,
    pay_type: query['product_type'] === 'express-car' ? '1,2' : '2',
    jump_url: 'someapp://estimate?id=1',
    download_url: 'https://example.com/download',
    ...carpoolFields(service, query['ride_type'] ?? ''),
    ...(style.extraFields ? { surge: null, tags: ['a'] } : {}),
  };
  breakRecord(record, broken);
  if (broken('record/array')) return { data: [record] };
  return [record];
}

function carpoolFields({ broken, style }: ServiceState, rideType: string): Record<string, unknown> {
  const tag = (value: number): unknown => {
    if (broken('carpool/tag')) return value + 2;
    return style.tagAsText ? String(value) : value;
  };
  if (rideType === 'pool-seats') {
    const second = broken('carpool/seats-distinct') ? 1 : 2;
    const info = broken('carpool/seat-sharing')
      ? [{ seat: 1 }, { seat: 2 }]
      : [
          { seat: 1, estimate_price: 900 },
          { seat: second, estimate_price: 1500 },
        ];
    return { carpool_tag: tag(2), carpool_info: info };
  }
  if (rideType === 'pool') {
    const info = broken('carpool/no-seat-sharing')
      ? [{ seat: 1, estimate_price: 900 }]
      : [{ estimate_price: 900 }];
    return { carpool_tag: tag(1), carpool_info: info };
  }
  if (broken('carpool/plain')) return { carpool_info: [] };
  return style.extraFields ? { carpool_tag: 0 } : {};
}

const BROKEN_FIELDS: Record<string, [string, unknown]> = {
  'record/product-type': ['product_type', 'car'],
  'record/ride-type': ['ride_type', ''],
  'record/currency-code': ['currency_code', 'RMB'],
  'record/time-in-second': ['time_in_second', '1500'],
  'record/distance-in-meter': ['distance_in_meter', null],
  'record/car-type': ['car_type', 'compact'],
  'record/dynamic': ['dynamic', '1.2'],
  'record/amounts-plausible': ['time_in_second', -5],
  'record/echoes-request': ['ride_type', 'other'],
  'record/estimate-id': ['estimate_id', 17],
  'record/pay-type': ['pay_type', '1,'],
  'record/jump-url': ['jump_url', '/relative'],
  'record/download-url': ['download_url', 'nowhere'],
};

function breakRecord(record: Record<string, unknown>, broken: (rule: string) => boolean): void {
  for (const [rule, [field, value]] of Object.entries(BROKEN_FIELDS)) {
    if (broken(rule)) record[field] = value;
  }
}
