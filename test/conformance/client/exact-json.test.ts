import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../../src/conformance/client/exact-json.ts';
import fc from '../../support/property.ts';

describe('exact JSON', () => {
  it('is what JSON.stringify writes, indented or not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (one, indent) => {
        fc.pre(!JSON.stringify(one).includes('"__proto__"'));
        const text = JSON.stringify(one, null, indent);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', 'one key in several objects'],
    [String.raw`{"a":"\"a\":1","\"a\"":"{","b":"\\"}`, 'strings that look like keys'],
    [String.raw`{"\u591c":"\u591c \ud83d\ude00"}`, 'escapes'],
    ['[0,-1,1.5,1e+21,1e-7,9007199254740991]', 'numbers as they are written in JavaScript'],
  ])('may be %s: %s', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['{"a":1,"a":1}', 'the key "a" stands twice in one object'],
    ['[{"x":{"y":[{"b":1, "a":{}, "b" : 2}]}}]', 'the key "b" stands twice'],
    [String.raw`{"a":1,"\u0061":2}`, 'the key "a" stands twice'],
    [String.raw`{"\"":1,"\u0022":2}`, String.raw`the key "\"" stands twice`],
    ['{"":1,"":2}', 'the key "" stands twice'],
    ['{"a":{"__proto__":{}}}', '__proto__'],
    [String.raw`{"__pr\u006fto__":1}`, '__proto__'],
    ['[-0]', 'the number -0'],
    ['[1e400]', 'the number 1e400'],
    ['{"n":12345678901234567890}', 'the number 12345678901234567890'],
    ['[0.1000000000000000055511151231257827]', '0.1000000000000000055511151231257827'],
    [String.raw`["\ud800"]`, 'some parsers refuse it (Lone surrogate'],
    [String.raw`{"\udc00 x":1}`, 'some parsers refuse it (Lone surrogate'],
    ['\uFEFF{}', 'a byte order mark'],
    ["{'a':1}", 'JSON'],
  ])('is not %s', (text, problem) => {
    expect(() => parseExactJson(text)).toThrow(problem);
  });

  it('is not nested so deeply that some parsers give up', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => parseExactJson(deep)).toThrow('some parsers refuse it (');
  });

  it('is read in one pass, however many keys and however long a string it has', {
    tags: ['long'],
  }, () => {
    const keys = Array.from({ length: 200_000 }, (_, at) => `"${at}":1`).join(',');
    expect(() => parseExactJson(`{${keys},"long":"${'x\\n'.repeat(3_000_000)}","7":1}`)).toThrow(
      'the key "7" stands twice',
    );
  });
});
