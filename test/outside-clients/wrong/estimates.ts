import { changedPairs, type Deviation, RIGHT } from '../habits.ts';
import { header, type WrongClient, wrong } from '../wrong-client.ts';

const form = wrong('form');

const param = (values: Readonly<Record<string, string>>): Deviation => ({
  query: (pairs) => changedPairs(pairs, values),
});

const leftOut = (...names: string[]): Deviation => ({
  query: (pairs) => pairs.filter(([name]) => !names.includes(name)),
});

/** Mistakes in the query of an estimate and its Content-Type. */
export const ESTIMATES: readonly WrongClient[] = [
  ...[
    'application/json',
    'text/plain',
    'application/x-www-form-urlencode',
    'multipart/form-data',
    null,
  ].map((type) =>
    form(`sends estimates as ${type ?? 'nothing'}`, 'client/estimate-content-type', {
      request: header('Content-Type', 'estimate', () => type),
    }),
  ),
  ...['start_lat', 'end_lng', 'from_name', 'to_name', 'product_type', 'ride_type'].map((name) =>
    form(`leaves ${name} out`, 'client/estimate-parameters', leftOut(name)),
  ),
  form(
    'writes coordinates in units of 1e-7',
    'client/estimate-parameters',
    param({ start_lat: '312304000', start_lng: '1214737000' }),
  ),
  form(
    'writes undefined for a coordinate',
    'client/estimate-parameters',
    param({ end_lat: 'undefined' }),
  ),
  form(
    'writes null for a name',
    ['client/estimate-parameters', 'scenario'],
    leftOut('to_name', 'from_name'),
  ),
  form(
    'writes degrees with N and E',
    'client/estimate-parameters',
    param({ start_lat: '31.2304N', start_lng: '121.4737E' }),
  ),
  form('writes a coordinate in hex', 'client/estimate-parameters', param({ start_lat: '0x1F' })),
  form('writes both coordinates into one parameter', 'client/estimate-parameters', {
    query: (pairs) => [
      ...pairs.filter(([name]) => !name.startsWith('start_l')),
      ['start', '31.2304,121.4737'],
    ],
  }),
  form('writes parameter names in brackets', 'client/estimate-parameters', {
    query: (pairs) => pairs.map(([name, value]) => [`ride[${name}]`, value]),
  }),
  form('writes parameter names in capitals', 'client/estimate-parameters', {
    query: (pairs) => pairs.map(([name, value]) => [name.toUpperCase(), value]),
  }),
  form(
    'names the product in another case',
    ['scenario', 'client/estimate-parameters'],
    param({ product_type: 'Private-Car' }),
  ),
  form('leaves a percent sign as it is', 'client/estimate-encoding', {
    query: (pairs) => changedPairs(pairs, { from_name: '100%' }),
    encode: (pairs) => RIGHT.encode(pairs).replaceAll('%25', '%'),
  }),
  form('percent-encodes UTF-16', 'client/estimate-encoding', {
    encode: (pairs) =>
      pairs
        .map(([name, value]) =>
          /[^ -~]/.test(value)
            ? `${name}=${Buffer.from(value, 'utf16le').toString('hex').replace(/../g, '%$&')}`
            : RIGHT.encode([[name, value]]),
        )
        .join('&'),
  }),
  form('encodes UTF-8 twice', 'client/estimate-encoding', {
    encode: (pairs) =>
      RIGHT.encode(pairs.map(([name, value]) => [name, Buffer.from(value).toString('latin1')])),
  }),
  form('writes entities of HTML', 'client/estimate-encoding', {
    encode: (pairs) =>
      RIGHT.encode(
        pairs.map(([name, value]) => [
          name,
          value.replace(/[^ -~]/gu, (one) => `&#${one.codePointAt(0)};`),
        ]),
      ),
  }),
  form('writes escapes of JSON into its query', 'client/estimate-encoding', {
    encode: (pairs) =>
      RIGHT.encode(
        pairs.map(([name, value]) => [
          name,
          value.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`),
        ]),
      ),
  }),
  ...['600', '1772460000000', '14:00', '1772460000.5', 'now', '-1'].map((departure) =>
    form(
      `writes departure_time as ${departure}`,
      ['client/departure-time', 'scenario'],
      param({ departure_time: departure }),
    ),
  ),
];
