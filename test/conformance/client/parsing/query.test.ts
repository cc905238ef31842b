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
  ['a=%2x', /% without/],
  ['a=b#c', /an unencoded #/],
  ['a=%81', /^bytes that are not UTF-8$/],
  ['a=b c', /space/],
  ['a=\u00e5', /non-ASCII/],
  ['a=%CC%EC', /GBK they are "天"/],
  ['a=%25E5%25A4%25A9', /twice/],
])('describes the fault of %s', (raw, words) => {
  expect(parseQuery(raw).encodingFault).toMatch(words);
});

it('keeps values as sent beside decoded ones, and takes bytes of no charset for Latin-1', () => {
  expect(parseQuery('a=%20b&c=+=d&a%20b=%81&e=%EF%BB%BFx')).toMatchObject({
    parameters: { a: ' b', c: ' =d', 'a b': '\u0081', e: '\ufeffx' },
    encoded: { a: '%20b', c: '+=d', 'a b': '%81', e: '%EF%BB%BFx' },
  });
});

it('has no doubt beside a fault', () => {
  expect(parseQuery('a=%&b=Gate%2520A')).not.toHaveProperty('encodingDoubt');
});

it.each([
  ['a=Gate%2520A&b=T2', /"a" may be percent-encoded twice/],
  ['a=Gate%252018', /percent-encoded twice/],
  ['a=No%25231', /percent-encoded twice/],
  ['a=Gate%2520A&b=%E5%A4%96', /percent-encoded twice/],
  ['a=%C3%A5%C2%A4%C2%96', /UTF-8 encoded twice/],
  ['a=%26%2322806%3B', /as in HTML/],
  ['a=%5Cu5916', /as in JSON/],
])('doubts %s, which is right by its form', (raw, words) => {
  const { encodingFault, encodingDoubt } = parseQuery(raw);
  expect(encodingFault).toBeNull();
  expect(encodingDoubt).toMatch(words);
});

it.each([
  'a=Gate%2520A&b=T2%20East',
  'a=Gate%2520A+B',
  'a=50%252F50&b=%E5%A4%96',
  'a=100%25%20A',
  'a=Caf%C3%A9',
  'a=A%26B%3B%231',
  'a=%5CuZ',
  'a=%5Cuab',
  'a=%E5%A4%96%25E5%25A4%2596',
  'a=%C3%A5%C2%A4%C2%96%E5%A4%A9',
])('takes %s for a name that is written so', (raw) => {
  expect(parseQuery(raw)).not.toHaveProperty('encodingDoubt');
  expect(parseQuery(raw).encodingFault).toBeNull();
});
