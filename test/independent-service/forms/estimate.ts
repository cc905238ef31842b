import type { Attempt, Form } from '../form.ts';
import { HOUR_MS, textOf } from '../state.ts';
import { forgive, refuse } from './builders.ts';

const number = (isRead: RegExp): Form =>
  forgive('parameter-number', (r, name) => isRead.test(textOf(r.fields[name])));

const range = (isServed: (name: string, value: number) => boolean): Form =>
  forgive('parameter-range', (r, name) => isServed(name, Number(r.fields[name])));

const numberRead = (read: (text: string) => number): Form =>
  forgive(
    'parameter-number',
    (r, name) => r.fields[name] !== '' && inRange(name, read(textOf(r.fields[name]))),
  );

const inRange = (name: string, value: number): boolean =>
  Math.abs(value) <= (name.endsWith('lat') ? 90 : 180);

const hasDeparture = (r: Attempt): boolean => r.fields['departure_time'] !== undefined;

/** Parameters of an estimate that are read wrongly, and prices that do not follow them. */
export const ESTIMATE: Readonly<Record<string, Form>> = {
  'estimate/coordinates-numeric#nan': number(/^nan$/i),
  'estimate/coordinates-numeric#infinity': number(/^[+-]?inf/i),
  'estimate/coordinates-numeric#comma': number(/^\d+,\d+$/),
  'estimate/coordinates-numeric#leading-digits': number(/^[+-]?\d+(\.\d+)?\D/),
  'estimate/coordinates-numeric#blank': number(/^\s*$/),
  'estimate/coordinates-numeric#two-points': number(/^\d+\.\d+\.\d+$/),
  'estimate/coordinates-numeric#degrees': number(/[°NSEW]$/),
  'estimate/coordinates-numeric#two-signs': number(/^[+-]{2}\d/),
  'estimate/coordinates-numeric#boolean': number(/^(true|false|null)$/),
  'estimate/coordinates-numeric#sum': number(/^\d+[+*/]\d+$/),
  'estimate/coordinates-numeric#start-lat': forgive(
    'parameter-number',
    (_r, name) => name === 'start_lat',
  ),
  'estimate/coordinates-numeric#latitudes': forgive('parameter-number', (_r, name) =>
    name.endsWith('lat'),
  ),
  'estimate/coordinates-numeric#empty': {
    forgives: (why, r, name) =>
      ['parameter-missing', 'parameter-number'].includes(why) && r.fields[name] === '',
  },
  'estimate/coordinates-numeric#thousands': numberRead((text) =>
    /^\d+(,\d+)+$/.test(text) ? Number(text.replaceAll(',', '')) : Number.NaN,
  ),
  'estimate/coordinates-numeric#sexagesimal': numberRead((text) => {
    const [degrees = '', minutes] = text.split(':');
    return minutes === undefined ? Number.NaN : Number(degrees) + Number(minutes) / 60;
  }),
  'estimate/coordinates-numeric#percent': numberRead((text) =>
    text.endsWith('%') ? Number(text.slice(0, -1)) : Number.NaN,
  ),
  'estimate/platform#coordinate-of-zero': refuse(
    'parameter',
    ({ endpoint, fields }) =>
      endpoint === 'estimate' &&
      ['start_lat', 'start_lng', 'end_lat', 'end_lng'].some((name) => Number(fields[name]) === 0),
  ),
  'estimate/coordinates-range#end-lat': range((name) => name === 'end_lat'),
  'estimate/coordinates-range#end-lng': range((name) => name === 'end_lng'),
  'estimate/coordinates-range#start-lng': range((name) => name === 'start_lng'),
  'estimate/coordinates-range#lat-by-180': range(
    (name, value) => name.endsWith('lat') && Math.abs(value) <= 180,
  ),
  'estimate/coordinates-range#end-lat-by-180': range(
    (name, value) => name === 'end_lat' && Math.abs(value) <= 180,
  ),
  'estimate/coordinates-range#negative': range((_name, value) => value < 0),
  'estimate/coordinates-range#beyond-360': range((_name, value) => Math.abs(value) > 360),
  'estimate/coordinates-range#lng-by-360': range(
    (name, value) => name.endsWith('lng') && Math.abs(value) <= 360,
  ),
  'estimate/coordinates-range#ninety-and-a-bit': range(
    (_name, value) => Math.abs(value) < 90.1 || (Math.abs(value) > 180 && Math.abs(value) < 180.1),
  ),
  'estimate/coordinates-range#rounded': forgive('parameter-range', (r, name) =>
    inRange(name, Math.trunc(Number(r.fields[name]))),
  ),
  'estimate/coordinates-range#both-only': forgive('parameter-range', (r) =>
    ['start', 'end'].every(
      (side) =>
        Math.abs(Number(r.fields[`${side}_lat`])) <= 90 ||
        Math.abs(Number(r.fields[`${side}_lng`])) <= 180,
    ),
  ),
  ...Object.fromEntries(
    ['start_lat', 'start_lng', 'from_name', 'end_lat', 'end_lng', 'product_type', 'ride_type'].map(
      (name) => [
        `estimate/required-parameters#${name}`,
        forgive('parameter-missing', (_r, at) => at === name),
      ],
    ),
  ),
  'estimate/required-parameters#beside-imei': forgive(
    'parameter-missing',
    (r, at) => at === 'to_name' && r.fields['imei'] !== undefined,
  ),
  'estimate/required-parameters#empty-name': forgive(
    'parameter-missing',
    (r, at) => at === 'to_name' && r.fields[at] === '',
  ),
  'estimate/required-parameters#empty-ride-type': forgive(
    'parameter-missing',
    (r, at) => at === 'ride_type' && r.fields[at] === '',
  ),
  'estimate/required-parameters#either-name': forgive(
    'parameter-missing',
    (r, name) => name.endsWith('_name') && Boolean(r.fields['from_name'] ?? r.fields['to_name']),
  ),
  'estimate/non-ascii-names#to-name': refuse('parameter', (r) =>
    /[^ -~]/.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/non-ascii-names#beyond-bmp': refuse('parameter', (r) =>
    /[\u{10000}-\u{10ffff}]/u.test(
      textOf(r.fields['to_name'] ?? '') + textOf(r.fields['from_name'] ?? ''),
    ),
  ),
  'estimate/non-ascii-names#beyond-latin-1': refuse('parameter', (r) =>
    /[^\u0000-\u00ff]/.test(textOf(r.fields['from_name'] ?? '')),
  ),
  'estimate/non-ascii-names#arabic': refuse('parameter', (r) =>
    /\p{Script=Arabic}/u.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/non-ascii-names#from-name-beyond-bmp': refuse('parameter', (r) =>
    /[\u{10000}-\u{10ffff}]/u.test(textOf(r.fields['from_name'] ?? '')),
  ),
  'estimate/non-ascii-names#from-name-arabic': refuse('parameter', (r) =>
    /\p{Script=Arabic}/u.test(textOf(r.fields['from_name'] ?? '')),
  ),
  'estimate/non-ascii-names#to-name-han': refuse('parameter', (r) =>
    /^\p{Script=Han}+$/u.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/non-ascii-names#combining': refuse(
    'parameter',
    (r) => r.endpoint === 'estimate' && /\p{M}/u.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/non-ascii-names#comma': refuse(
    'parameter',
    (r) => r.asUser && textOf(r.fields['from_name'] ?? '').includes(','),
  ),
  'estimate/non-ascii-names#space': refuse(
    'parameter',
    (r) => r.asUser && textOf(r.fields['to_name'] ?? '').includes(' '),
  ),
  'estimate/map-type-optional#other-default': {
    price: (r, price) => (r.fields['map_type'] === undefined ? price + 70 : price),
  },
  'estimate/departure-time#other-default': {
    price: (r, price) => (r.fields['departure_time'] === undefined ? price + 70 : price),
  },
  'estimate/departure-time#time-of-the-start': {
    price: (r, price) => {
      const [first] = r.service.tokens.values();
      const isLater = first !== undefined && r.service.now() - first.issued > HOUR_MS / 2;
      return isLater && !hasDeparture(r) ? price + 70 : price;
    },
  },
  'estimate/departure-time#far-from-now-by-minutes': {
    price: ({ fields }, price) =>
      fields['departure_time'] === undefined
        ? 3 * price
        : price + (Math.floor(Number(fields['departure_time']) / 60) % 60),
  },
  'estimate/departure-time#on-the-minute': refuse(
    'parameter',
    (r) => hasDeparture(r) && Number(r.fields['departure_time']) % 60 !== 0,
  ),
  'estimate/departure-time-price#beyond-twenty-days': {
    price: (r) =>
      3000 +
      (Number(r.fields['departure_time'] ?? 0) > r.service.now() / 1000 + 20 * 86_400 ? 5 : 0),
  },
  'estimate/departure-time-price#read-as-ms': {
    price: (r) => {
      const at = Number(r.fields['departure_time'] ?? r.service.now() / 1000) / 1000;
      return 3000 + (Math.floor(at / 60) % 1440 > 1020 ? 900 : 0);
    },
  },
  'estimate/private-car#nothing': {
    body: (records, r) => (r.fields['product_type'] === 'private-car' ? [] : records),
  },
  'estimate/express-car#nothing': {
    body: (records, r) => (r.fields['product_type'] === 'express-car' ? [] : records),
  },
  'estimate/express-car#nothing-for-users': {
    body: (records, r) => (r.asUser && r.fields['product_type'] === 'express-car' ? [] : records),
  },
};
