import { expect, it } from 'vitest';
import { duplicateKeys, parseAsItCame, UnheldNumber } from '../../src/answers/json-text.ts';
import fc from '../support/property.ts';

it('parses as JSON.parse does where a double holds each number', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseAsItCame(text)).toEqual(JSON.parse(text));
      expect(duplicateKeys(text)).toEqual([]);
    }),
  );
});

it.each([
  '0.0',
  '-0',
  '1200.0',
  '1.2e3',
  '12000000000000000000e-2',
  '9007199254740993',
  '1.5',
  '0.1234567890123456789',
])('takes %s for the nearest double', (text) => {
  expect(parseAsItCame(`[${text}]`)).toEqual([Number(text)]);
});

it.each(['1e400', '-1e400', '1.00000000000000000001', '9007199254740992.5', '1e-400'])(
  'keeps %s as it came',
  (text) => {
    const value = parseAsItCame(`{"id":"12345678901234567.5","a":[{"b":${text}}]}`);
    expect(value).toEqual({ id: '12345678901234567.5', a: [{ b: new UnheldNumber(text) }] });
    expect(JSON.stringify(value)).toContain(`{"b":"${text}"}`);
  },
);

it('refuses what is not JSON', () => {
  for (const text of ['', '{', '1e400 1e400', '[01e400]'])
    expect(() => parseAsItCame(text)).toThrow(SyntaxError);
});

it.each<[text: string, keys: readonly string[]]>([
  ['{"a":1,"a":1}', ['a']],
  ['[{"a":1},{"a":2}]', []],
  ['{"a":{"a":{"b":1}},"b":2}', []],
  ['{"a":"\\"a\\":","b":{"c":1,"d":2,"\\u0063":3},"a" : 4}', ['c', 'a']],
  ['{"a":1,"a":1', []],
])('finds the keys of %s that stand twice', (text, keys) => {
  expect(duplicateKeys(text)).toEqual(keys);
});
