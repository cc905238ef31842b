import { expect, it } from 'vitest';
import { parseQuery } from '../../../../src/conformance/client/parsing/query.ts';
import fc from '../../../support/property.ts';

it('parses an encoded query without a fault', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('%'));
  fc.assert(
    fc.property(
      fc.dictionary(
        text.filter((name) => name !== ''),
        text,
      ),
      (pairs) => {
        const { parameters, encodingFault } = parseQuery(new URLSearchParams(pairs).toString());
        expect(encodingFault).toBeNull();
        expect(parameters).toEqual({ ...pairs });
      },
    ),
  );
});

it('never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (raw) => void parseQuery(raw)));
});

it.each([
  ['a=%', /% without/],
  ['a=b c', /space/],
  ['a=\u00e5', /non-ASCII/],
  ['a=%CC%EC', /GBK they are "天"/],
  ['a=%25E5%25A4%25A9', /twice/],
])('describes the fault of %s', (raw, words) => {
  expect(parseQuery(raw).encodingFault).toMatch(words);
});
