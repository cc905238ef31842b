import { describe, expect, test } from 'vitest';
import {
  readDuration,
  readInteger,
  readPercent,
  readPositive,
} from '../../../src/cli/flags/numbers.ts';

describe('a duration', () => {
  test.each([
    ['500', 500],
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1500],
    ['2m', 120_000],
  ])('%s is read in milliseconds', (text, ms) => {
    expect(readDuration(text, 'timeout', { unit: 'ms', min: 1 })).toBe(ms);
  });

  test('may be in seconds, and is whole and within its bounds', () => {
    const seconds = { unit: 's', min: 1, max: 7200 } as const;
    expect(readDuration('60', 'expiresIn', seconds)).toBe(60);
    expect(readDuration('2h', 'expiresIn', seconds)).toBe(7200);
    for (const text of ['1500ms', '0', '3h']) {
      expect(() => readDuration(text, 'expiresIn', seconds)).toThrow(
        `expiresIn: must be a time in whole s from 1s to 7200s, not "${text}".`,
      );
    }
    expect(() => readDuration('soon', 'expiresIn', seconds)).toThrow('write it as 500ms, 10s');
  });
});

describe('a whole number', () => {
  test.each(['0', '7', '65535'])('%s is read', (text) => {
    expect(readInteger(text, 'port', { min: 0, max: 65_535 })).toBe(Number(text));
  });

  test.each(['', ' 7', '+7', '-1', '1e3', '0x10', '7.0', '65536', '9'.repeat(400), 'http'])(
    '%j is refused, with the option and the range',
    (text) => {
      expect(() => readInteger(text, 'port', { min: 0, max: 65_535 })).toThrow(
        `port: must be an integer from 0 to 65535, not "${text}".`,
      );
    },
  );

  test('without an upper bound is at most the largest exact integer', () => {
    expect(readInteger('9007199254740991', 'seed', { min: 0 })).toBe(2 ** 53 - 1);
    expect(() => readInteger('9007199254740992', 'seed', { min: 0 })).toThrow('from 0 up, not');
    expect(() => readInteger('0', 'jobs', { min: 1 })).toThrow('a positive integer');
  });
});

test.each([
  [readPositive, '0.5', 0.5],
  [readPercent, '5', 5],
  [readPercent, '2.5%', 2.5],
])('%o reads %s as %d', (read, text, value) => {
  expect(read(text, 'share')).toBe(value);
});

test.each([
  [readPositive, '0'],
  [readPositive, '.5'],
  [readPercent, '0%'],
  [readPercent, '5%%'],
])('%o refuses %s by its name', (read, text) => {
  expect(() => read(text, 'share')).toThrow(`share: must be a`);
});

test('a flag that is not given is undefined', () => {
  expect(readInteger(undefined, 'share', { min: 0 })).toBeUndefined();
  for (const read of [readPositive, readPercent]) {
    expect(read(undefined, 'share')).toBeUndefined();
  }
});
