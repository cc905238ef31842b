import type { Attempt, Fields, Form } from '../form.ts';
import { dayOf, MINUTE_MS, textOf } from '../state.ts';
import { memoryOf, notesOf, remember } from './memory.ts';

/** Changes a record where a condition on its request holds. */
const recordWhere = (
  isMeant: (r: Attempt, record: Fields) => boolean,
  change: (record: Fields, r: Attempt) => void,
): Form => ({
  records: (one, r) => {
    if (isMeant(r, one)) change(one, r);
  },
});

const isExpensive = (_r: Attempt, one: Fields): boolean => Number(one['estimate_price']) > 3000;

const hasDeparture = (r: Attempt): boolean => r.fields['departure_time'] !== undefined;

const isPoolRecord = (one: Fields): boolean => textOf(one['ride_type']).startsWith('pool');

/** Records that are wrong in some circumstance only. */
export const RECORD: Readonly<Record<string, Form>> = {
  'record/estimate-id-unique#by-partner': {
    estimateId: (r) => `e-${r.token?.partner.id}-${r.token?.uses}-${r.token?.issued}`,
  },
  'record/estimate-id-unique#of-a-day': {
    estimateId: (r) => {
      const own = notesOf(r.service);
      const day = dayOf(r.service.now(), 0);
      own.set(day, (own.get(day) ?? 0) + 1);
      return `e-${own.get(day)}`;
    },
  },
  'record/estimate-id-unique#of-a-thousand': {
    estimateId: () => `e-${Math.floor(Math.random() * 1000)}`,
  },
  'record/echoes-request#second-record': {
    body: (records) => [
      ...records,
      {
        ...records[0],
        estimate_id: `${textOf(records[0]?.['estimate_id'])}-2`,
        ride_type: 'luxury',
      },
    ],
  },
  'record/echoes-request#cached-by-route': recordWhere(
    () => true,
    (one, r) => {
      const { start_lat, start_lng, end_lat, end_lng } = r.fields;
      const key = `route ${textOf([start_lat, start_lng, end_lat, end_lng])}`;
      const [at, type] = memoryOf<readonly [number, unknown]>(r, key, [0, '']);
      if (r.service.now() - at < MINUTE_MS) one['ride_type'] = type;
      else remember(r, key, [r.service.now(), one['ride_type']]);
    },
  ),
  'record/estimate-price#fraction-when-expensive': recordWhere(isExpensive, (one) => {
    one['estimate_price'] = Number(one['estimate_price']) * 1.15 + 0.5;
  }),
  'record/dynamic#text-when-expensive': recordWhere(isExpensive, (one) => {
    one['dynamic'] = '1.5x';
  }),
  'record/time-in-second#null-with-departure': recordWhere(hasDeparture, (one) => {
    one['time_in_second'] = null;
  }),
  'record/pay-type#null-with-departure': recordWhere(hasDeparture, (one) => {
    one['pay_type'] = null;
  }),
  'record/jump-url#relative-for-names': recordWhere(
    (r) => /[^ -~]/.test(textOf(r.fields['from_name'] ?? '')),
    (one) => {
      one['jump_url'] = '/estimate?id=1';
    },
  ),
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
