import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_BEHAVIOUR,
  estimateQuerySchema,
  estimateResponseSchema,
} from '../../../../src/interface/index.ts';
import { type RunningServer, SHAPE_QUERIES, startServer } from '../../../../src/server/index.ts';
import { Pricing } from '../../../../src/server/service/estimate/pricing.ts';
import { parseQuery, readRoute } from '../../../../src/server/service/estimate/route.ts';
import { Refusal } from '../../../../src/server/service/messages.ts';
import fc from '../../../support/property.ts';
import { Caller, control, frozen, NOON } from '../../caller.ts';

let server: RunningServer;
let caller: Caller;
let token: string;

beforeAll(async () => {
  server = await startServer({ controlPort: 0, clock: frozen });
  caller = await Caller.fresh(server);
  token = (await caller.platform()).body.access_token;
});
afterAll(() => server.close(0));

describe('an estimate', () => {
  it.each(Object.entries(SHAPE_QUERIES))('has the shape %s', async (shape, query) => {
    const { body } = await caller.estimate(token, { query });
    const [record] = estimateResponseSchema.parse(body);
    expect(record).toMatchObject(query);
    const tag = { plain: undefined, express: undefined, carpoolSeats: '2', carpoolNoSeats: '1' };
    expect(record?.carpool_tag).toBe(tag[shape as keyof typeof tag]);
  });

  it('is for now if no departure_time is sent', async () => {
    const now = await caller.estimate(token);
    const departure_time = String(NOON / 1000);
    const same = await caller.estimate(token, { query: { departure_time } });
    expect(now.body[0]?.estimate_price).toBe(same.body[0]?.estimate_price);
  });

  it.each([
    ['a name twice', 'start_lat=1&start_lat=2', 'start_lat'],
    ['broken encoding', 'from_name=%zz', undefined],
    ['an encoding that is not UTF-8', 'from_name=%ff', undefined],
    ['an encoding cut short', 'from_name=%e4%b8', undefined],
  ])('with %s is refused', async (_, rawQuery, field) => {
    const { status, body } = await caller.estimate(token, { rawQuery });
    expect([status, body.error.field]).toEqual([400, field]);
  });

  it.each([
    { departure_time: 'tomorrow' },
    { departure_time: '1772452800.5' },
    { departure_time: '-1' },
    { departure_time: '17724528000' },
    { start_lat: '0x10' },
    { start_lat: 'Infinity' },
    { start_lat: '1e3' },
    { start_lat: ' 1' },
    { start_lat: '90.0000001' },
  ])('with %j is refused', async (query: Record<string, string>) => {
    const { status, body } = await caller.estimate(token, { query });
    expect([status, body.error.field]).toEqual([400, Object.keys(query)[0]]);
  });

  it.each([{ departure_time: '' }, { imei: '' }, { map_type: '' }, { later: 'x' }])(
    'with %j is answered',
    async (query: Record<string, string>) => {
      expect((await caller.estimate(token, { query })).status).toBe(200);
    },
  );
});

describe('the route', () => {
  const text = fc.oneof(
    fc.constantFrom('', '0', '-0', '90', '-90.5', '180', '1e2', '.5', '5.', '+1', 'x', '1,5'),
    fc.double().map(String),
    fc.string(),
  );
  it('is accepted exactly if the published schema accepts it', () => {
    const query = fc.record({
      start_lat: text,
      start_lng: text,
      end_lat: text,
      end_lng: text,
      from_name: fc.string(),
      to_name: fc.string(),
      product_type: fc.constant('private-car'),
      ride_type: fc.string(),
    });
    fc.assert(
      fc.property(query, (parameters) => {
        const raw = new URLSearchParams(parameters).toString();
        let isRead = true;
        try {
          readRoute(parseQuery(raw).decoded, DEFAULT_BEHAVIOUR);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          isRead = false;
        }
        const wellFormed = Object.fromEntries(new URLSearchParams(raw));
        expect(isRead).toBe(estimateQuerySchema.safeParse(wellFormed).success);
      }),
    );
  });
});

describe('the price', () => {
  const degrees = (bound: number) => fc.double({ min: -bound, max: bound, noNaN: true });
  const route = fc.record({
    startLat: degrees(90),
    startLng: degrees(180),
    endLat: degrees(90),
    endLng: degrees(180),
    productType: fc.constantFrom('private-car', 'express-car'),
    rideType: fc.constant('compact'),
    departureS: fc.constant(null),
  });

  it('of any route varies over a day, and is whole and plausible', () => {
    fc.assert(
      fc.property(route, fc.integer(), fc.nat(2 ** 31), (one, seed, startS) => {
        const pricing = new Pricing(seed);
        const fares = Array.from({ length: 24 }, (_, hour) =>
          pricing.fare(one, startS + hour * 3600),
        );
        expect(new Set(fares.map(({ priceFen }) => priceFen)).size).toBeGreaterThan(1);
        for (const { priceFen, timeS, distanceM, dynamic } of fares) {
          expect([priceFen, timeS, distanceM].every(Number.isSafeInteger)).toBe(true);
          expect(Math.min(priceFen, timeS, distanceM + 1, dynamic)).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('depends only on the seed and its input', () => {
    const one = {
      startLat: 39.9,
      startLng: 116.4,
      endLat: 40,
      endLng: 116.3,
      productType: 'private-car',
      rideType: 'compact',
      departureS: null,
    } as const;
    const day = (seed: number): number[] =>
      Array.from({ length: 24 }, (_, hour) => new Pricing(seed).fare(one, hour * 3600).priceFen);
    expect(day(1)).toEqual(day(1));
    expect(day(1)).not.toEqual(day(2));
  });
});

describe('an estimate_id', () => {
  it('is looked up by the control API', async () => {
    const record = (await caller.estimate(token)).body[0]!;
    const { body } = await control(server, 'GET', `/estimates/${record.estimate_id}`);
    expect(body).toEqual({
      estimateId: record.estimate_id,
      partnerId: caller.id,
      estimatePrice: record.estimate_price,
      lockedUntil: '2026-03-02T12:10:00.000Z',
      locked: true,
    });
    const unknown = await control(server, 'GET', `/estimates/${record.estimate_id}x`);
    expect(unknown.status).toBe(404);
  });
});
