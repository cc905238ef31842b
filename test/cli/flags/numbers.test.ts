import { describe, expect, test } from 'vitest';
import { readDuration, readNumber } from '../../../src/cli/flags/numbers.ts';
import { TIMEOUT } from '../../../src/interface/options.ts';

const PORT = { kind: 'integer', min: 0, max: 65_535 } as const;
const POSITIVE = { kind: 'number', above: 0 } as const;
const PERCENT = { kind: 'percent', above: 0 } as const;

describe('a duration', () => {
  test.each([
    ['500', 500],
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1500],
    ['2m', 120_000],
  ])('%s is read in milliseconds', (text, ms) => {
    expect(readDuration(text, 'timeout', TIMEOUT, 'ms')).toBe(ms);
  });

  test('of a timeout is one that a timer of Node can wait for', () => {
    expect(readDuration('24h', 'timeout', TIMEOUT, 'ms')).toBe(86_400_000);
    expect(() => readDuration('600h', 'timeout', TIMEOUT, 'ms')).toThrow(
      'timeout: must be a time above 0 and at most 24h, such as 500ms or 10s, not "600h".',
    );
  });

  test('may be in seconds, and is whole and within its bounds', () => {
    const seconds = { kind: 'integer', unit: 'whole seconds', min: 1, max: 7200 } as const;
    expect(readDuration('60', 'expiresIn', seconds, 's')).toBe(60);
    expect(readDuration('2h', 'expiresIn', seconds, 's')).toBe(7200);
    for (const text of ['1500ms', '0', '3h']) {
      expect(() => readDuration(text, 'expiresIn', seconds, 's')).toThrow(
        `expiresIn: must be whole seconds from 1 to 7,200, not "${text}".`,
      );
    }
    expect(() => readDuration('soon', 'expiresIn', seconds, 's')).toThrow('write it as 500ms, 10s');
  });
});

describe('a whole number', () => {
  test.each(['0', '7', '65535'])('%s is read', (text) => {
    expect(readNumber(text, 'port', PORT)).toBe(Number(text));
  });

  test.each(['', ' 7', '+7', '-1', '1e3', '0x10', '7.0', '65536', '9'.repeat(400), 'http'])(
    '%j is refused, with the option and the range',
    (text) => {
      expect(() => readNumber(text, 'port', PORT)).toThrow(
        `port: must be an integer from 0 to 65,535, not "${text}".`,
      );
    },
  );

  test('without an upper bound is at most the largest exact integer', () => {
    expect(readNumber('9007199254740991', 'seed', { kind: 'integer', min: 0 })).toBe(2 ** 53 - 1);
    expect(() => readNumber('9007199254740992', 'seed', { kind: 'integer', min: 0 })).toThrow(
      'from 0 up, not',
    );
    expect(() => readNumber('0', 'jobs', { kind: 'integer', min: 1 })).toThrow(
      'a positive integer',
    );
  });
});

test.each([
  [POSITIVE, '0.5', 0.5],
  [PERCENT, '5', 5],
  [PERCENT, '2.5%', 2.5],
])('%j: %s is %d', (row, text, value) => {
  expect(readNumber(text, 'share', row)).toBe(value);
});

test.each([
  [POSITIVE, '0'],
  [POSITIVE, '.5'],
  [PERCENT, '0%'],
  [PERCENT, '5%%'],
])('%j refuses %s by its name', (row, text) => {
  expect(() => readNumber(text, 'share', row)).toThrow(`share: must be a`);
});

test('a flag that is not given is undefined', () => {
  expect(readNumber(undefined, 'share', PERCENT)).toBeUndefined();
});
