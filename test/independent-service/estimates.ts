import type { Attempt, Fields } from './form.ts';
import { need, refuseRight } from './refusals.ts';
import { type Lock, type Partner, Refused } from './state.ts';
import { requireSignature } from './token-endpoint.ts';

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

/** The body of an estimate. @throws Refused */
export function answerEstimate(r: Attempt, url: URL): unknown {
  const { service } = r;
  r.fields = Object.fromEntries(url.searchParams);
  const partner = authorize(r, signedPairs(r, url));
  const query = r.fields as Record<string, string>;
  for (const name of REQUIRED) need(Boolean(query[name]), 'parameter-missing', r, name);
  for (const name of ['start_lat', 'start_lng', 'end_lat', 'end_lng']) {
    const text = query[name];
    if (text === undefined) continue;
    const isNumber = /^ *[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
    need(isNumber, 'parameter-number', r, name);
    const bound = name.endsWith('lat') ? 90 : 180;
    if (isNumber) need(Math.abs(Number(text)) <= bound, 'parameter-range', r, name);
  }
  const aheadMs = Number(query['departure_time'] ?? 0) * 1000 - service.now();
  if (aheadMs > (service.style.aheadMinutes ?? Number.POSITIVE_INFINITY) * 60_000)
    throw new Refused('parameter');
  refuseRight(r);
  if (r.token) {
    r.token.usedAt = service.now();
    r.token.uses++;
  }
  return recordsOf(r, partner, query);
}

/** The parameters that enter the signature. */
function signedPairs(r: Attempt, url: URL): Fields {
  const { signsEncoded, estimateFields } = r.service.style;
  const raw = url.search.slice(1).split('&');
  const spelled = Object.fromEntries(raw.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  const pairs: Fields = signsEncoded ? spelled : r.fields;
  return Object.fromEntries(
    Object.entries(pairs).filter(([name]) => estimateFields?.includes(name) ?? true),
  );
}

function authorize(r: Attempt, pairs: Fields): Partner {
  const { service, header } = r;
  const { form, style, tokens } = service;
  need(header !== undefined, 'authorization-missing', r);
  const any = [...tokens.values()].at(-1);
  if (header === undefined) {
    if (!any) throw new Refused('token');
    r.token = any;
    return any.partner;
  }
  const match = /^(?:(\S*?):? +)?([^|\s:,]+)(\||[:, ])(?:([0-9a-fA-F]*) (\w*)\|)?(\S*)$/.exec(
    header,
  );
  const [, scheme = '', id = '', separator = '', signature, openid, text = ''] = match ?? [];
  Object.assign(r, {
    scheme,
    separator,
    signature: signature ?? null,
    asUser: signature !== undefined,
  });
  r.token = tokens.get(text) ?? form.findsToken?.(text, [...tokens.values()], r) ?? null;
  r.user = r.token?.user ?? null;
  const isRight =
    scheme === 'Bearer' &&
    separator === '|' &&
    (openid ?? 'openid') === 'openid' &&
    /^Bearer [^|\s]+\|/.test(header);
  need(isRight, 'authorization-shape', r);
  const { token } = r;
  const partner = service.partners.get(id) ?? form.finds?.(id, [...service.partners.values()], r);
  if (!partner) throw new Refused('partner');
  r.partner = partner;
  const isBanned = Object.values(partner.bannedUntil).some((until) => (until ?? 0) > service.now());
  if (style.banReach === 'everything' && isBanned) throw new Refused('banned');
  need(token !== null, 'token-unknown', r, text);
  if (!token) {
    r.token = any ?? null;
    return partner;
  }
  need(token.partner === partner, 'token-foreign', r);
  need(token.endedAt === null, 'token-ended', r);
  need(service.now() < token.expires, 'expired', r);
  need(token.scope.split(/\s+/).includes('public'), 'scope', r);
  if (r.asUser && token.user === null) throw new Refused('token');
  if (r.asUser) requireSignature(r, partner, pairs, form.reading?.(r) ?? {});
  return partner;
}

function recordsOf(r: Attempt, partner: Partner, query: Record<string, string>): unknown {
  const { service } = r;
  const { form, style } = service;
  const departure = Number(query['departure_time'] ?? service.now() / 1000);
  const minute = Math.floor(departure / 60) % 1440;
  const [from, to] = style.dearMinutes ?? [17 * 60, 20 * 60];
  const usual = 3000 + (minute >= from && minute < to ? 900 : 0);
  const price = form.price?.(r, usual) ?? usual;
  const id = form.estimateId?.(r) ?? service.serial('e-');
  const lock: Lock = {
    partner,
    user: r.user,
    rideType: query['ride_type'] ?? '',
    productType: query['product_type'] ?? '',
    at: service.now(),
    price,
    until: service.now() + (partner.longLock ? 60 : 10) * 60_000,
  };
  form.locks?.(lock, service);
  service.locks.set(id, lock);
  const record: Fields = {
    product_type: query['product_type'],
    ride_type: query['ride_type'],
    currency_code: 'CNY',
    estimate_price: price,
    time_in_second: 1500,
    distance_in_meter: 12_000,
    car_type: 100,
    dynamic: style.floatsAsIntegers ? 1 : 1.2,
    estimate_id: id,
    pay_type: query['product_type'] === 'express-car' ? '1,2' : '2',
    jump_url: 'someapp://estimate?id=1',
    download_url: 'https://example.com/download',
    ...carpoolFields(r, query['ride_type'] ?? ''),
    ...(style.extraFields ? { surge: null, tags: ['a'] } : {}),
  };
  form.records?.(record, r);
  return form.body?.([record], r) ?? [record];
}

function carpoolFields({ service: { style } }: Attempt, rideType: string): Fields {
  const tag = (value: number): unknown => (style.tagAsText ? String(value) : value);
  if (rideType === 'pool-seats')
    return {
      carpool_tag: tag(2),
      carpool_info: [
        { seat: 1, estimate_price: 900 },
        { seat: 2, estimate_price: 1500 },
      ],
    };
  if (rideType === 'pool') return { carpool_tag: tag(1), carpool_info: [{ estimate_price: 900 }] };
  return style.extraFields ? { carpool_tag: 0 } : {};
}
