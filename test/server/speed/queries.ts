import fc from 'fast-check';
import { sign } from '../../../src/interface/index.ts';
import odd from '../../vectors/odd-requests.json' with { type: 'json' };

/** One parameter as written in the query, and its decoded value if it can be decoded. */
export interface Pair {
  name: string;
  raw: string;
}

export const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
/** Usually the first, so that not every request is broken in every way. */
export const mostly = <T>(
  usual: fc.Arbitrary<T>,
  rare: fc.Arbitrary<T>,
  weight = 6,
): fc.Arbitrary<T> => fc.oneof({ arbitrary: usual, weight }, { arbitrary: rare, weight: 1 });

const decimal = (bound: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.integer({ min: -bound * 1e4, max: bound * 1e4 }), fc.nat(4))
    .map(([value, digits]) => (value / 1e4).toFixed(digits));
const ODD_NUMBERS = [
  ...odd.numbers,
  '9'.repeat(65),
  ...[62, 63].map((digits) => `0.${'3'.repeat(digits)}`),
];
const degrees = (bound: number): fc.Arbitrary<string> =>
  mostly(
    decimal(bound),
    fc.oneof(
      oneOf(...ODD_NUMBERS),
      fc.double().map(String),
      fc.double({ min: -bound, max: bound, noNaN: true }).map(String),
    ),
    40,
  );

const encoded = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  oneOf('Tiananmen', '天安门', 'a b', ' padded\t', '&', 'a&', '& &', '0', ' ', '\u00a0', '\ufeff'),
);
/** As clients encode: percent-encoding in either case, a space as `+` or `%20`. */
const encodedText = fc
  .tuple(
    encoded.filter((text) => Buffer.from(text).toString() === text),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([plain, isLower, isPlus]) => {
    const percent = encodeURIComponent(plain).replace(
      /[!'()*]/g,
      (mark) => `%${mark.charCodeAt(0).toString(16)}`,
    );
    const cased = isLower ? percent.replace(/%../g, (octet) => octet.toLowerCase()) : percent;
    return isPlus ? cased.replaceAll('%20', '+') : cased;
  });
const ODD_TEXTS = [
  ...odd.texts,
  ...[300, 8_150, 17_000].map((length) => 'x'.repeat(length)),
  '%E4%BA%AC'.repeat(900),
];
const text = mostly(encodedText, oneOf(...ODD_TEXTS), 20);

const product = mostly(
  oneOf('private-car', 'express-car'),
  oneOf(
    '',
    'private-ca',
    'private-carx',
    'private%2Dcar',
    'Private-Car',
    'luxury',
    'private-car%20',
  ),
  20,
);
const ride = mostly(
  oneOf('compact', 'express'),
  oneOf(
    'carpool',
    'carpool-single',
    'comp',
    'compactx',
    'compact%20',
    'c%6Fmpact',
    'van',
    '%E8%BD%A6',
    '',
  ),
  8,
);
const NO_SECONDS = ['', '99999999999', '-1', '1.5', '1e9', '%31', '+1', '00000000001', 'tomorrow'];
const ISO_TIMES = ['2026-03-02T12:00:00Z', '2026-03-02T20%3A00%3A00%2B08:00', '2026-03-02+12:00'];
const departure = mostly(
  oneOf('1772452800', '0', '0000000001', '9999999999', '86399'),
  oneOf(...NO_SECONDS, ...ISO_TIMES),
  3,
);
const mapType = mostly(oneOf('soso'), oneOf('', 'wgs84', 'sos', 'sosox', 'so%73o', 'SOSO'), 3);

interface Values {
  coordinates: readonly [
    fc.Arbitrary<string>,
    fc.Arbitrary<string>,
    fc.Arbitrary<string>,
    fc.Arbitrary<string>,
  ];
  text: fc.Arbitrary<string>;
  product: fc.Arbitrary<string>;
  ride: fc.Arbitrary<string>;
  departure: fc.Arbitrary<string>;
  mapType: fc.Arbitrary<string>;
}

function pairs(values: Values): fc.Arbitrary<Pair[]> {
  const [startLat, startLng, endLat, endLng] = values.coordinates;
  const required = fc.record({
    start_lat: startLat,
    start_lng: startLng,
    from_name: values.text,
    end_lat: endLat,
    end_lng: endLng,
    to_name: values.text,
    product_type: values.product,
    ride_type: values.ride,
  });
  const optional = fc.record(
    { imei: values.text, map_type: values.mapType, departure_time: values.departure },
    { requiredKeys: [] },
  );
  const listed = fc
    .tuple(required, optional)
    .map(([first, second]) =>
      Object.entries({ ...first, ...second }).map(([name, raw]) => ({ name, raw })),
    );
  return fc.oneof(
    listed,
    listed.chain((list) => fc.shuffledSubarray(list, { minLength: list.length })),
  );
}

export const anyPairs: fc.Arbitrary<Pair[]> = pairs({
  coordinates: [degrees(90), degrees(180), degrees(90), degrees(180)],
  text,
  product,
  ride,
  departure,
  mapType,
});
export const plainPairs: fc.Arbitrary<Pair[]> = pairs({
  coordinates: [decimal(90), decimal(180), decimal(90), decimal(180)],
  text: encodedText,
  product: oneOf('private-car', 'express-car'),
  ride: oneOf('compact', 'express'),
  departure: oneOf('1772452800', '0', '0000000001', '9999999999', '86399'),
  mapType: oneOf('soso'),
});

export const written = (list: readonly Pair[]): string =>
  list.map(({ name, raw }) => `${name}=${raw}`).join('&');

/** The decoded values, which a correct client signs. */
export function signatureOf(list: readonly Pair[], key: string): string {
  const decode = (raw: string): string => {
    try {
      return decodeURIComponent(raw.replaceAll('+', ' '));
    } catch {
      return raw;
    }
  };
  const signed = list.map(({ name, raw }) => [name, decode(raw)] as const);
  return sign(Object.fromEntries(signed), key);
}

export const change: fc.Arbitrary<(list: Pair[]) => Pair[]> = fc
  .tuple(
    oneOf('none', 'none', 'none', 'drop', 'repeat', 'unknown', 'rename', 'swap'),
    fc.nat(11),
    oneOf('x', '__proto__', 'Start_lat', '%73tart_lat', 'start_lat%20', '', 'sign', 'to_name'),
  )
  .map(([kind, at, name]) => (list) => {
    const place = at % list.length;
    switch (kind) {
      case 'drop':
        return list.filter((_, index) => index !== place);
      case 'repeat':
        return [...list, ...list.slice(place, place + 1)];
      case 'unknown':
        return [...list.slice(0, place), { name, raw: '1' }, ...list.slice(place)];
      case 'rename':
        return list.map((pair, index) => (index === place ? { ...pair, name } : pair));
      case 'swap':
        return [...list.slice(place), ...list.slice(0, place)];
      default:
        return list;
    }
  });

export const garnish: fc.Arbitrary<(query: string) => string> = mostly(
  fc.constant((query: string) => query),
  oneOf(
    (query: string) => `&${query}`,
    (query: string) => `${query}&`,
    (query: string) => query.replace('&', '&&'),
    (query: string) => `${query}&x`,
    (query: string) => `${query}=`,
    (query: string) => `?${query}`,
    (query: string) => query.replace('=', ''),
    (query: string) => query.replace('=', '%3D'),
    (query: string) => `${query}#f`,
    () => '',
  ),
  10,
);
