import { describe, expect, it } from 'vitest';
import { parseDurationMs } from '../../../src/interface/duration.ts';
import { estimateQuerySchema, type TargetProfile } from '../../../src/interface/index.ts';
import { isLoopback } from '../../../src/interface/loopback.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';
import type { TargetAddress } from '../../../src/load/target-address.ts';
import { parseMix, prepareRequests, resolveMix } from '../../../src/load/workload/requests.ts';
import { parseRoutes } from '../../../src/load/workload/route-file.ts';
import { randomRoute } from '../../../src/load/workload/routes.ts';
import fc from '../../support/property.ts';

const partner = { id: 'p-1', signingKey: 'k', use: 'general' as const, authCodes: [] };
const profile: TargetProfile = {
  name: 'x',
  baseUrl: 'http://127.0.0.1:1/base',
  environment: 'production',
  partners: [partner],
  signature: { tokenFields: 'all', estimateFields: 'all' },
  estimates: {
    plain: { product_type: 'private-car', ride_type: 'compact' },
    express: { product_type: 'express-car', ride_type: 'express' },
  },
  headers: {},
};
const address: TargetAddress = {
  secure: false,
  host: '127.0.0.1',
  port: 1,
  hostHeader: '127.0.0.1:1',
  pathPrefix: '/base',
  tls: null,
};
const prepare = (seed: number, mix = resolveMix(profile, undefined), size = 500) =>
  prepareRequests({ profile, address, partner, identity: 'platform', mix, seed, size });
const queryOf = (path: string): Record<string, string> =>
  Object.fromEntries(new URL(path, 'http://x').searchParams);

/** Great-circle length, meters. */
function lengthM(query: Record<string, string>): number {
  const [lat1, lng1, lat2, lng2] = ['start_lat', 'start_lng', 'end_lat', 'end_lng'].map(
    (name) => (Number(query[name]) * Math.PI) / 180,
  ) as [number, number, number, number];
  const half =
    Math.sin((lat2 - lat1) / 2) ** 2 +
    Math.cos(lat1) * Math.cos(lat2) * Math.sin((lng2 - lng1) / 2) ** 2;
  return 2 * 6_371_000 * Math.asin(Math.sqrt(half));
}

describe('prepareRequests', () => {
  it('requests the documented path and parameters, under the base path', () => {
    for (const { path, authorizationPrefix } of prepare(1)) {
      expect(path.startsWith('/base/v1/estimates/prices?')).toBe(true);
      expect(path).toMatch(/^[\x21-\x7e]+$/);
      expect(estimateQuerySchema.safeParse(queryOf(path)).success).toBe(true);
      expect(authorizationPrefix).toBe('Bearer p-1|');
    }
  });

  it('is the same for the same seed, and differs for another', () => {
    expect(prepare(5)).toEqual(prepare(5));
    expect(prepare(5)).not.toEqual(prepare(6));
  });

  it('follows the weights of the mix', () => {
    const paths = prepare(1, parseMix('plain=3,express=1'), 4000).map(({ path }) => path);
    const share = paths.filter((path) => path.includes('express-car')).length / paths.length;
    expect(share).toBeCloseTo(0.25, 1);
  });

  it('uses given routes in turn; their parameters override those of the shape', () => {
    const header = 'start_lat,start_lng,from_name,end_lat,end_lng,to_name,ride_type';
    const routes = parseRoutes(`${header}\n1,2,a,3,4,b,\n5,6,"c, d",7,8,e,luxury\n`, 'r.csv');
    const mix = parseMix('plain=1');
    const options = { profile, address, partner, identity: 'platform' as const, mix, seed: 1 };
    const queries = prepareRequests({ ...options, routes, size: 3 }).map(({ path }) =>
      queryOf(path),
    );
    expect(queries.map(({ from_name }) => from_name)).toEqual(['a', 'c, d', 'a']);
    expect(queries.map(({ ride_type }) => ride_type)).toEqual(['compact', 'luxury', 'compact']);
  });

  it('refuses a mix that the profile has no query for', () => {
    expect(() => resolveMix(profile, parseMix('carpoolSeats=1'))).toThrow('estimates.carpoolSeats');
    expect(() => resolveMix({ ...profile, estimates: {} }, undefined)).toThrow('no query');
  });
});

describe('randomRoute', () => {
  it('makes trips of plausible length', () => {
    const random = createRandom(1);
    const lengths = Array.from({ length: 2000 }, () => lengthM(randomRoute(random)));
    lengths.sort((a, b) => a - b);
    expect(lengths[0]).toBeGreaterThan(700);
    expect(lengths[1999]).toBeLessThan(46_000);
    expect(lengths[1000]).toBeGreaterThan(5500);
    expect(lengths[1000]).toBeLessThan(7000);
  });
});

describe('parseRoutes', () => {
  const header = 'start_lat,start_lng,from_name,end_lat,end_lng,to_name';

  it('reads back any quoted text', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).map((text) => `x${text}x`);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 5 }), (names) => {
        const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const lines = names.map(([from, to]) => `1,2,${quote(from)},3,4,${quote(to)}`);
        const routes = parseRoutes([header, ...lines].join('\r\n'), 'r.csv');
        expect(routes.map(({ from_name, to_name }) => [from_name, to_name])).toEqual(names);
      }),
    );
  });

  it.each([
    ['', 'r.csv:1: the column start_lat'],
    [`${header}\n`, 'r.csv:2: the file has no route'],
    [`${header},start_lat\n1,2,a,3,4,b,5`, 'r.csv:1: the column start_lat is there twice'],
    [`${header}\n1,2,a,3,4,b\n1,2,a,3,4`, 'r.csv:3: there are 5 cells'],
    [`${header}\n91,2,a,3,4,b`, 'r.csv:2: start_lat: "91"'],
    [`${header}\n1,2,"a\nb",3,4,c\n1,east,a,3,4,b`, 'r.csv:4: start_lng: "east"'],
    [`${header}\n1,2,,3,4,b`, 'r.csv:2: from_name is empty'],
    [`${header}\n1,2,"a,3,4,b`, 'r.csv:2: a quote is not closed'],
    [`${header}\n1,2,a"b,3,4,b`, 'r.csv:2: a quote'],
  ])('refuses %j', (text, message) => {
    expect(() => parseRoutes(text, 'r.csv')).toThrow(message);
  });
});

describe('parseMix', () => {
  it.each(['plain', 'plain=x', 'luxury=1', 'plain=1,plain=2', 'plain=0', ''])(
    'refuses "%s"',
    (text) => {
      expect(() => parseMix(text)).toThrow(`mix: '${text}'`);
    },
  );
});

describe('parseDurationMs', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5m', 90_000],
    ['1h', 3_600_000],
    ['3', 3000],
  ])('reads %s', (text, ms) => {
    expect(parseDurationMs(text, 'duration')).toBe(ms);
  });

  it.each(['', 's', '-1s', '1d', '1 s x'])('refuses "%s"', (text) => {
    expect(() => parseDurationMs(text, 'duration')).toThrow('duration: ');
  });
});

describe('isLoopback', () => {
  it.each([
    ['http://127.0.0.1:8080', true],
    ['http://127.9.9.9', true],
    ['http://[::1]:80', true],
    ['https://localhost/x', true],
    ['embedded', true],
    ['http://10.0.0.1', false],
    ['http://127.0.0.1.example.test', false],
    ['http://localhost.example.test', false],
    ['http://0.0.0.0', false],
  ])('%s: %s', (url, expected) => {
    expect(isLoopback(url)).toBe(expected);
  });
});
