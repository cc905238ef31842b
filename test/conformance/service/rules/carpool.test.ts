import { expect, it } from 'vitest';
import { carpoolObservations } from '../../../../src/conformance/service/rules/carpool.ts';
import { estimate, judged, RECORD } from './seen.ts';

const judge = (rule: string, fields: object, shape: 'plain' | 'carpoolSeats' | null = null) =>
  judged(carpoolObservations, `carpool/${rule}`, {
    estimates: [estimate([{ ...RECORD, ...fields }], { shape })],
  }).verdict;

const SEATS = [
  { seat: 1, estimate_price: 1200 },
  { seat: 2, estimate_price: 1500 },
];

it('a tag is 0, 1 or 2, as a number or a text, or absent', () => {
  for (const tag of [0, 1, 2, '0', '1', '2', null, undefined])
    expect([tag, judge('tag', { carpool_tag: tag })]).toEqual([tag, 'pass']);
  for (const tag of [3, -1, 1.5, '3', '01', ' 1', '', true, [1]])
    expect([tag, judge('tag', { carpool_tag: tag })]).toEqual([tag, 'violated']);
});

it.each<[verdict: string, info: unknown]>([
  ['pass', SEATS],
  ['pass', [{ seat: 1, estimate_price: 0, more: 1 }]],
  ['violated', []],
  ['violated', undefined],
  ['violated', SEATS[0]],
  ['violated', [1]],
  ['violated', [SEATS[0], null]],
  ['violated', [SEATS[0], { estimate_price: 1200 }]],
  ['violated', [SEATS[0], { seat: 0, estimate_price: 1200 }]],
  ['violated', [SEATS[0], { seat: 1.5, estimate_price: 1200 }]],
  ['violated', [SEATS[0], { seat: '2', estimate_price: 1200 }]],
  ['violated', [SEATS[0], { seat: 2 }]],
  ['violated', [SEATS[0], { seat: 2, estimate_price: -1 }]],
  ['violated', [SEATS[0], { seat: 2, estimate_price: 12.5 }]],
])('seat sharing is %s with %j', (verdict, info) => {
  for (const tag of [2, '2'])
    expect(judge('seat-sharing', { carpool_tag: tag, carpool_info: info })).toBe(verdict);
  for (const tag of [0, 1, '1', undefined, 'x'])
    expect(judge('seat-sharing', { carpool_tag: tag, carpool_info: info })).toBe('inconclusive');
});

it.each<[verdict: string, seats: readonly unknown[]]>([
  ['pass', [1, 2, 3]],
  ['pass', []],
  ['pass', ['1', '1', null, null]],
  ['violated', [1, 2, 1]],
  ['violated', [2, 2]],
])('seats are distinct: %s for %j', (verdict, seats) => {
  const info = seats.map((seat) => ({ seat, estimate_price: 1 }));
  expect(judge('seats-distinct', { carpool_tag: 2, carpool_info: info })).toBe(verdict);
});

it('seats of something else than a list are judged by the other rule', () => {
  expect(judge('seats-distinct', { carpool_tag: 2, carpool_info: 'x' })).toBe('pass');
});

it.each<[verdict: string, info: unknown]>([
  ['pass', [{ estimate_price: 1200 }]],
  ['violated', [{ estimate_price: 0, seat: null }]],
  ['violated', [{ estimate_price: 1200, seat: 1 }]],
  ['violated', [{ estimate_price: -1 }]],
  ['violated', [{ estimate_price: 12.5 }]],
  ['violated', [{}]],
  ['violated', []],
  ['violated', [{ estimate_price: 1 }, { estimate_price: 2 }]],
  ['violated', [null]],
  ['violated', { estimate_price: 1200 }],
  ['violated', undefined],
])('carpooling without seats is %s with %j', (verdict, info) => {
  for (const tag of [1, '1'])
    expect(judge('no-seat-sharing', { carpool_tag: tag, carpool_info: info })).toBe(verdict);
  expect(judge('no-seat-sharing', { carpool_tag: 2, carpool_info: info })).toBe('inconclusive');
});

it.each<[verdict: string, fields: object]>([
  ['pass', {}],
  ['pass', { carpool_tag: 0 }],
  ['violated', { carpool_tag: '0', carpool_info: null }],
  ['violated', { carpool_tag: null }],
  ['violated', { carpool_tag: 0, carpool_info: [] }],
  ['violated', { carpool_info: [] }],
])('a record without carpooling is %s: %j', (verdict, fields) => {
  for (const shape of ['plain', 'carpoolSeats', null] as const)
    expect(judge('plain', fields, shape)).toBe(verdict);
});

it('a plain query brings no carpooling, and a tag that is none is not judged with it', () => {
  for (const tag of [1, 2, '1', '2']) {
    expect(judge('plain', { carpool_tag: tag, carpool_info: SEATS }, 'plain')).toBe('violated');
    expect(judge('plain', { carpool_tag: tag }, 'carpoolSeats')).toBe('inconclusive');
  }
  expect(judge('plain', { carpool_tag: 'x', carpool_info: SEATS }, 'plain')).toBe('pass');
});

it('each rule needs the shape that its records come in, and an estimate', () => {
  expect(carpoolObservations.map(({ rule, needs, from }) => [rule, needs, from])).toEqual([
    ['carpool/tag', undefined, ['estimate']],
    ['carpool/seat-sharing', { shape: 'carpoolSeats' }, ['estimate']],
    ['carpool/seats-distinct', { shape: 'carpoolSeats' }, ['estimate']],
    ['carpool/no-seat-sharing', { shape: 'carpoolNoSeats' }, ['estimate']],
    ['carpool/plain', { shape: 'plain' }, ['estimate']],
  ]);
});
