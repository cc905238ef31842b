import { describe, expect, it } from 'vitest';
import { toHtml, toJunit } from '../../../src/report/index.ts';
import { sameOutputAs, triedWords } from '../../../src/report/text/rule-words.ts';
import { serviceSample } from '../samples/conformance-sample.ts';

const scenario = (
  name: string,
  verdict: 'pass' | 'fail' | 'inconclusive',
  ...output: string[]
) => ({
  name,
  verdict,
  exitCode: 1,
  missing: [],
  ...(output.length > 0 && { output }),
});

it('the output of a client is shown once, and with each scenario that failed', () => {
  const before = [scenario('a', 'pass'), scenario('b', 'inconclusive', 'one', 'two')];
  const sameAs = (...given: Parameters<typeof scenario>) =>
    sameOutputAs(scenario(...given), before);
  expect(sameAs('c', 'inconclusive', 'one', 'two')).toBe('b');
  expect(sameAs('c', 'fail', 'one', 'two')).toBeNull();
  expect(sameAs('c', 'inconclusive', 'one')).toBeNull();
  expect(sameAs('c', 'pass')).toBeNull();
});

describe('the part of a rule that was tried', () => {
  const leftOut = [{ rule: 'token/nostr-length', parts: 33, of: 33, carriers: [] }];
  const document = serviceSample({ leftOut });

  it('stands in words beside what passed, and nowhere else', () => {
    expect(triedWords(document, 'token/nostr-length')).toBe('1 of 34 ways tried');
    expect(triedWords(document, 'token/nostr-case')).toBeNull();
    expect(triedWords(serviceSample(), 'token/nostr-length')).toBeNull();
  });

  it('stands on the page and in JUnit', () => {
    expect(toHtml([document]).match(/1 of 34 ways tried/g)).toHaveLength(1);
    expect(toJunit(document).match(/pass: 1 of 34 ways tried/g)).toHaveLength(1);
  });
});
