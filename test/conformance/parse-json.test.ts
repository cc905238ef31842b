import { expect, it } from 'vitest';
import { MAX_JSON_LEVELS, parseReceivedJson } from '../../src/conformance/parse-json.ts';
import fc from '../support/property.ts';

const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

it.each([
  ['[', ']'],
  ['{"a":', '}'],
  ['{"__proto__":', '}'],
])('keeps %s as deep as it may be, and no deeper', (open, close) => {
  const deepest = nested(MAX_JSON_LEVELS, open, close);
  expect(JSON.stringify(parseReceivedJson(deepest))).toBe(deepest);
  const text = JSON.stringify(parseReceivedJson(nested(100_000, open, close)), null, 2);
  expect(text).toContain('[nested too deeply]');
  expect(text.length).toBeLessThan(10_000);
});

it('keeps the fields beside a deep one', () => {
  const deep = nested(50_000, '[', ']');
  const value = parseReceivedJson(`{"access_token":"a","x":${deep},"scope":"public"}`);
  expect(value).toMatchObject({ access_token: 'a', scope: 'public' });
});

it('parses any other value as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseReceivedJson(text)).toEqual(JSON.parse(text));
    }),
  );
  expect(() => parseReceivedJson('[')).toThrow(SyntaxError);
});
