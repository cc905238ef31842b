import { describe, expect, it } from 'vitest';
import { recordObservations } from '../../../../src/conformance/service/rules/record.ts';
import { estimate, judged, RECORD, token } from './seen.ts';

const judgeRecords = (rule: string, ...records: readonly object[]) =>
  judged(recordObservations, `record/${rule}`, {
    estimates: records.map((one) => estimate([one])),
  });

describe('a field of a record', () => {
  it.each<[rule: string, field: string, good: readonly unknown[], bad: readonly unknown[]]>([
    ['product-type', 'product_type', ['private-car', 'express-car'], ['taxi', '', 1, undefined]],
    ['ride-type', 'ride_type', ['compact', 'anything'], ['', ' ', 1, null, undefined]],
    ['currency-code', 'currency_code', ['CNY', 'EUR'], ['cny', 'Yuan', 156, undefined]],
    ['estimate-price', 'estimate_price', [0, 2300, 2300.0], [23.5, '2300', null, undefined]],
    ['time-in-second', 'time_in_second', [0, 900], [900.5, '900', undefined]],
    ['distance-in-meter', 'distance_in_meter', [0, 8000], [8.5, '8000', undefined]],
    ['car-type', 'car_type', [0, 7], [0.5, '7', undefined]],
    ['dynamic', 'dynamic', [1, 1.5], ['1.5', null, undefined]],
    ['estimate-id', 'estimate_id', ['e', '1'], ['', ' ', 1, undefined]],
    ['pay-type', 'pay_type', ['1', '1,2', '1, 2'], ['', '1,', ',1', '1,,2', '1, ,2', 1, undefined]],
    [
      'jump-url',
      'jump_url',
      ['app://jump', 'https://a.test/b', 'tel:123', 'A+b-1.2:x'],
      [
        '',
        '/path',
        '//a.test/b',
        'a.test/b',
        '1a:b',
        'https://a.test/b c',
        'http://',
        ' app://jump',
        ['app://jump'],
        1,
        undefined,
      ],
    ],
    ['download-url', 'download_url', ['https://a.test'], ['a.test', null, undefined]],
    ['amounts-plausible', 'estimate_price', [0, 1, '0', 'x', undefined], [-1, -0.5, '-1']],
    ['amounts-plausible', 'time_in_second', [0, 1, '', ' ', null], [-1, '-0.5']],
    ['amounts-plausible', 'distance_in_meter', [0, 1], [-1]],
    ['amounts-plausible', 'dynamic', [0.01, 1, '1', null, ''], [0, -1, '0', '-0.1']],
    ['echoes-request', 'product_type', ['private-car', 'taxi', 1], ['express-car']],
    ['echoes-request', 'ride_type', ['compact', '', ' ', 1], ['luxury', 'Compact']],
  ])('%s: %s', (rule, field, good, bad) => {
    for (const value of good) {
      const { verdict, exchanges } = judgeRecords(rule, { ...RECORD, [field]: value });
      expect([value, verdict, exchanges?.length]).toEqual([value, 'pass', 1]);
    }
    for (const value of bad) {
      const judgement = judgeRecords(rule, RECORD, { ...RECORD, [field]: value }, RECORD);
      expect([value, judgement.verdict]).toEqual([value, 'violated']);
      expect(judgement.reason).toMatch(new RegExp(`^${field} is .*\\(in 1 of 3 records\\)$`));
      expect(judgement.exchanges).toEqual([judgement.keyExchange]);
    }
  });

  it('is not judged without a record', () => {
    expect(judgeRecords('dynamic')).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no estimate record was seen',
    });
  });
});

describe('record/array', () => {
  const judgeAnswer = (changes: Parameters<typeof estimate>[1], records: readonly unknown[] = []) =>
    judged(recordObservations, 'record/array', { estimates: [estimate(records, changes)] });

  it('is a list of objects, which may be empty', () => {
    expect(judgeAnswer({}).verdict).toBe('pass');
    expect(judgeAnswer({}, [RECORD, RECORD]).verdict).toBe('pass');
    expect(judgeAnswer({ json: RECORD }, [RECORD])).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining('not a JSON array'),
    });
    for (const other of [1, null, 'x', [RECORD]]) {
      expect(judgeAnswer({}, [RECORD, other])).toMatchObject({
        verdict: 'violated',
        reason: expect.stringContaining('other values than objects'),
      });
    }
  });

  it('is not judged over an answer that was cut', () => {
    expect(judgeAnswer({ truncated: true, json: undefined }).verdict).toBe('inconclusive');
  });

  it('has no byte order mark, which is reported once', () => {
    const estimates = [estimate([RECORD], { body: '\uFEFF[]' })];
    expect(judged(recordObservations, 'record/array', { estimates })).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining('byte order mark'),
    });
    const tokens = [token(), token({ body: '\uFEFF{}' })];
    expect(judged(recordObservations, 'record/array', { estimates, tokens }).verdict).toBe('pass');
  });
});

describe('record/estimate-id-unique', () => {
  const judgeIds = (...ids: readonly unknown[]) =>
    judgeRecords('estimate-id-unique', ...ids.map((id) => ({ ...RECORD, estimate_id: id })));

  it('passes if all differ, texts that are none left aside', () => {
    expect(judgeIds('a', 'b', '', '', 1, 1)).toMatchObject({
      verdict: 'pass',
      reason: expect.stringContaining('2 records, each with a different estimate_id'),
    });
  });

  it('is violated by one that came before', () => {
    const judgement = judgeIds('a', 'b', 'a', 'a');
    expect(judgement).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining('"a" (one seen before in 2 of 4 records)'),
    });
    expect(judgement.exchanges).toHaveLength(2);
    expect(judgement.exchanges?.[1]).toBe(judgement.keyExchange);
  });

  it('is violated by two records of one answer', () => {
    const estimates = [estimate([RECORD, RECORD])];
    const judgement = judged(recordObservations, 'record/estimate-id-unique', { estimates });
    expect(judgement.verdict).toBe('violated');
    expect(judgement.exchanges).toHaveLength(1);
  });

  it.each([[[]], [['a']], [['a', '']]])('is open with less than two: %j', (ids) => {
    expect(judgeIds(...ids)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('fewer than two'),
    });
  });

  it('is open if a shape was seen too seldom where requests are free', () => {
    const judgement = judged(recordObservations, 'record/estimate-id-unique', {
      estimates: ['a', 'b'].map((id) => estimate([{ ...RECORD, estimate_id: id }])),
      facts: { shapes: ['plain'], metered: false },
    });
    expect(judgement).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringMatching(/no estimate_id came twice, as far as seen: only 2 answers/),
    });
  });
});

it('each rule on a record is shown by an estimate', () => {
  for (const { rule, from } of recordObservations)
    expect([rule, from]).toEqual([rule, ['estimate']]);
});
