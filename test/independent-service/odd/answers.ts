import { createHash } from 'node:crypto';
import type { Fields, Form } from '../form.ts';
import { recording, setting } from './differences.ts';
import type { Difference } from './odd-style.ts';

const answering = (answers: NonNullable<Form['answers']>): Difference => ({
  oddities: { answers },
});
const numbers =
  (text: (number: number) => string) =>
  (json: unknown): string =>
    JSON.stringify(json).replace(/(?<=[:[])(\d+)(?=[,}\]])/g, (digits) => text(Number(digits)));

/** Sorts or reverses the fields of each object. */
const reordered =
  (order: (names: string[]) => string[]) =>
  (json: unknown): string =>
    JSON.stringify(json, (_name, value: unknown) =>
      value === null || typeof value !== 'object' || Array.isArray(value)
        ? value
        : Object.fromEntries(
            order(Object.keys(value)).map((name) => [name, (value as Fields)[name]]),
          ),
    );

const copies = (change: (record: Fields, number: number) => Fields): Difference => ({
  oddities: {
    body: (records) =>
      records.flatMap((record) => [
        record,
        ...[1, 2].map((number) => ({
          ...record,
          estimate_id: `${String(record['estimate_id'])}-${number}`,
          ...change(record, number),
        })),
      ]),
  },
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const jwt = (unique: string): string =>
  [base64('{"alg":"HS256","typ":"JWT"}'), base64(`{"jti":"${unique}"}`), base64(md5(unique))]
    .join('.')
    .replaceAll('=', '');

let calls = 0;

/** Number of prices so far. */
function nextCall(): number {
  calls += 1;
  return calls;
}

/** Services that write their answers in other words. */
export const ANSWERS: Readonly<Record<string, Difference>> = {
  'writes numbers with exponents': { write: numbers((number) => number.toExponential()) },
  'writes numbers with two digits': { write: numbers((number) => number.toFixed(2)) },
  'writes fields in the order of names': { write: reordered((names) => names.sort()) },
  'writes fields in reverse order': { write: reordered((names) => names.reverse()) },
  'writes spaces between all': {
    write: (json) => JSON.stringify(json, null, 1).replace(/\n */g, ' \t\r\n '),
  },
  'escapes slashes': { write: (json) => JSON.stringify(json).replaceAll('/', '\\/') },
  'escapes each character': {
    write: (json) =>
      JSON.stringify(json).replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
        text.replace(/\\u.{4}|\\.|[A-Za-z]/g, (letter) =>
          letter.length > 1 ? letter : `\\u00${letter.charCodeAt(0).toString(16)}`,
        ),
      ),
  },
  'names the type text/html': { contentType: 'text/html' },
  'names the type text/plain; charset=UTF-8': { contentType: 'text/plain; charset=UTF-8' },
  'names a type in capitals': { contentType: 'APPLICATION/JSON;CHARSET=UTF-8' },
  'sends many fields of its own': {
    oddities: {
      answers: (json) =>
        void Object.assign(json, {
          errno: 0,
          errmsg: 'ok',
          data: { access_token: 'other', expires_in_second: -1 },
          expires_in: '7200',
          user: null,
          '': '',
          名: '值😀',
        }),
      records: (record) =>
        void Object.assign(record, {
          errno: 0,
          price: '-1',
          surge: { dynamic: -1 },
          seats: [],
          carpool: null,
          名: '值😀',
        }),
    },
  },
  'sends carpool_tag 0 as text': recording((record) => {
    record['carpool_tag'] ??= '0';
  }),
  'shares up to four seats': recording((record) => {
    if (String(record['carpool_tag']) !== '2') return;
    record['carpool_info'] = [4, 3, 1, 2].map((seat) => ({
      seat,
      estimate_price: 700 * seat,
      dynamic: 1,
    }));
  }),
  'shares one seat': recording((record) => {
    if (String(record['carpool_tag']) === '2')
      record['carpool_info'] = [{ seat: 1, estimate_price: 0 }];
  }),
  'has three records per estimate': copies((_record, number) => ({
    car_type: 100 + number,
    estimate_price: 3000 + number,
  })),
  'has records of the same price': copies(() => ({})),
  'changes prices with each call': {
    oddities: { price: (_r, price) => price + (nextCall() % 97) },
  },
  'alternates between two prices': {
    oddities: { price: (_r, price) => price + (nextCall() % 2) * 50 },
  },
  'draws prices': {
    oddities: { price: ({ service }, price) => price + service.chance.drawBelow(3) },
  },
  'rounds prices to ten minutes': {
    oddities: { price: (r, price) => price + (Math.floor(r.service.now() / 600_000) % 7) * 10 },
  },
  'is expensive': setting({ dynamic: 12.75 }),
  'is cheap': setting({ dynamic: 0.05, time_in_second: 0, distance_in_meter: 0 }),
  'counts in big numbers': setting({
    car_type: 9_007_199_254_740_991,
    distance_in_meter: 40_000_000,
  }),
  'has car types from -1': setting({ car_type: -1 }),
  'counts in yen': setting({ currency_code: 'JPY' }),
  'takes one kind of pay': setting({ pay_type: '7' }),
  'takes pay by letters': setting({ pay_type: 'wx, alipay' }),
  'has links of its own': setting({
    jump_url: 'INTENT://ride?x=1&y=%E4%BD%A0#Intent;scheme=a;end',
    download_url: 'itms-apps://apps.example/app/id1?l=zh',
  }),
  'has links with long queries': setting({
    jump_url: `https://例え.example/${'a'.repeat(900)}?q=天安门`,
    download_url: 'market://details?id=com.example',
  }),
  'has estimate_ids that are UUIDs': {
    oddities: { estimateId: (r) => toUuid(md5(r.service.serial('e'))) },
  },
  'has estimate_ids of digits': {
    oddities: { estimateId: (r) => String(BigInt(`0x${md5(r.service.serial('e')).slice(0, 16)}`)) },
  },
  'has long estimate_ids with signs': {
    oddities: { estimateId: (r) => `${r.service.serial('e')}/+=?#%41 ${'x'.repeat(300)}` },
  },
  'has tokens of 8 characters': { tokenText: (unique) => md5(unique).slice(0, 8) },
  'has tokens of 1500 characters': {
    tokenText: (unique) => Array.from({ length: 47 }, (_, at) => md5(unique + at)).join(''),
  },
  'has tokens in base64': { tokenText: (unique) => base64(`${unique}??>>`) },
  'has tokens that are JWTs': { tokenText: jwt },
  'has tokens of digits': { tokenText: (unique) => BigInt(`0x${md5(unique)}`).toString() },
  'has tokens of hex in capitals': { tokenText: (unique) => md5(unique).toUpperCase() },
  'has tokens with signs': { tokenText: (unique) => `${unique}.~-_+/=%41:;!$'()*,` },
  'has tokens that contain a bar': {
    tokenText: (unique) => `v2|${unique}|${md5(unique).slice(0, 4)}`,
  },
  'has refresh_tokens that look like access_tokens': {
    tokenText: (unique) => `tok_${md5(unique)}`,
  },
  'issues tokens for 60 seconds': { expiresIn: 60 },
  'issues tokens for 5 seconds': { expiresIn: 5 },
  'issues tokens for 300 seconds': { expiresIn: 300 },
  'issues tokens for 25 hours': { expiresIn: 90_000 },
  'issues tokens for 68 years': { expiresIn: 2_147_483_647 },
  'names the type Bear': { tokenType: 'Bear' },
  'has the scope in a list of its own order': answering((json) => {
    json['scope'] = String(json['scope']).split(/\s+/).sort().reverse().join(' ');
  }),
};

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
