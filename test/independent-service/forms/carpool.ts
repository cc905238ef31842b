import type { Fields, Form } from '../form.ts';
import { textOf } from '../state.ts';
import { carpool } from './base.ts';
import { memoryOf, remember } from './memory.ts';

const seats = (...list: readonly Fields[]): Form => carpool('pool-seats', list);
const price = 900;

const isPoolRecord = (one: Fields): boolean => textOf(one['ride_type']).startsWith('pool');

/** Records of carpooling that are wrong, and carpooling where there is none. */
export const CARPOOL: Readonly<Record<string, Form>> = {
  'carpool/tag#three': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = 3;
    },
  },
  'carpool/tag#text': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = 'yes';
    },
  },
  'carpool/tag#boolean': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = true;
    },
  },
  'carpool/tag#fraction': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = 1.5;
    },
  },
  'carpool/tag#negative': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = -1;
    },
  },
  'carpool/tag#padded': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = ` ${textOf(one['carpool_tag'])}`;
    },
  },
  'carpool/tag#plain-three': {
    records: (one) => {
      if (!('carpool_tag' in one)) one['carpool_tag'] = 3;
    },
  },
  'carpool/seat-sharing#short-trip': {
    records: (one, { fields }) => {
      const by = Number(fields['start_lat']) - Number(fields['end_lat']);
      if (String(one['carpool_tag']) === '2' && Math.abs(by) < 0.01)
        one['carpool_info'] = [{ estimate_price: price }];
    },
  },
  'carpool/seat-sharing#empty': seats(),
  'carpool/seat-sharing#object': carpool('pool-seats', { 1: price, 2: 1500 }),
  'carpool/seat-sharing#missing': carpool('pool-seats', undefined),
  'carpool/seat-sharing#price-as-text': seats({ seat: 1, estimate_price: '900' }),
  'carpool/seat-sharing#price-fraction': seats({ seat: 1, estimate_price: 900.5 }),
  'carpool/seat-sharing#price-missing-in-second': seats(
    { seat: 1, estimate_price: price },
    { seat: 2 },
  ),
  'carpool/seat-sharing#price-negative': seats(
    { seat: 1, estimate_price: -900 },
    { seat: 2, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-as-text': seats(
    { seat: '1', estimate_price: price },
    { seat: '2', estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-missing': seats(
    { estimate_price: price },
    { seat: 2, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-zero': seats(
    { seat: 0, estimate_price: price },
    { seat: 1, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-negative': seats(
    { seat: -1, estimate_price: price },
    { seat: 1, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-fraction': seats({ seat: 1.5, estimate_price: price }),
  'carpool/seat-sharing#null-inside': carpool('pool-seats', [
    { seat: 1, estimate_price: price },
    null,
  ]),
  'carpool/seats-distinct#three-alike': seats(
    { seat: 1, estimate_price: price },
    { seat: 2, estimate_price: price },
    { seat: 1, estimate_price: price },
  ),
  'carpool/seats-distinct#same-price': seats(
    { seat: 2, estimate_price: price },
    { seat: 2, estimate_price: price },
  ),
  'carpool/seats-distinct#as-float': seats(
    { seat: 2, estimate_price: price },
    { seat: 2.0, estimate_price: 1500 },
  ),
  'carpool/no-seat-sharing#two': carpool('pool', [
    { estimate_price: price },
    { estimate_price: 1500 },
  ]),
  'carpool/no-seat-sharing#none': carpool('pool', []),
  'carpool/no-seat-sharing#object': carpool('pool', { estimate_price: price }),
  'carpool/no-seat-sharing#price-as-text': carpool('pool', [{ estimate_price: '900' }]),
  'carpool/no-seat-sharing#price-missing': carpool('pool', [{}]),
  'carpool/no-seat-sharing#price-negative': carpool('pool', [{ estimate_price: -900 }]),
  'carpool/no-seat-sharing#seat-zero': carpool('pool', [{ estimate_price: price, seat: 0 }]),
  'carpool/no-seat-sharing#missing': carpool('pool', undefined),
  'carpool/plain#null-tag': {
    records: (one) => {
      if (!isPoolRecord(one)) one['carpool_tag'] = null;
    },
  },
  'carpool/plain#null-info': {
    records: (one) => {
      if (!isPoolRecord(one)) one['carpool_info'] = null;
    },
  },
  'carpool/no-seat-sharing#null-seat': carpool('pool', [{ estimate_price: price, seat: null }]),
  'carpool/plain#empty-object': {
    records: (one) => {
      if (!textOf(one['ride_type']).startsWith('pool')) one['carpool_info'] = {};
    },
  },
  'carpool/plain#tag-one': {
    records: (one) => {
      if (!textOf(one['ride_type']).startsWith('pool'))
        Object.assign(one, { carpool_tag: 1, carpool_info: [{ estimate_price: price }] });
    },
  },
  'carpool/plain#tag-zero-with-info': {
    records: (one) => {
      if (!textOf(one['ride_type']).startsWith('pool'))
        Object.assign(one, { carpool_tag: 0, carpool_info: [{ estimate_price: price }] });
    },
  },
  'carpool/plain#express-only': {
    records: (one) => {
      if (one['ride_type'] === 'express') one['carpool_info'] = [{ estimate_price: price }];
    },
  },
  'carpool/plain#after-carpool': {
    records: (one, r) => {
      const key = `pool of ${r.partner?.id}`;
      if (isPoolRecord(one)) remember(r, key, one['carpool_info']);
      else {
        const left = memoryOf<unknown>(r, key, undefined);
        if (left !== undefined) one['carpool_info'] = left;
      }
    },
  },
  'carpool/seats-distinct#after-two': {
    records: (one, r) => {
      if (one['ride_type'] !== 'pool-seats') return;
      const count = memoryOf(r, `pools of ${r.partner?.id}`, 0) + 1;
      remember(r, `pools of ${r.partner?.id}`, count);
      const info = one['carpool_info'] as readonly Fields[];
      if (count > 2) one['carpool_info'] = [...info, ...info];
    },
  },
};
