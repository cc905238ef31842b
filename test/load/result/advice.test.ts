import { describe, expect, it } from 'vitest';
import { adviceFor, withoutAdvice } from '../../../src/load/result/advice.ts';
import { placeOf } from '../../../src/load/target-address.ts';

const NEEDS = ['running', 'threads', 'cores'] as const;
const PLACES = ['embedded', 'this-machine', 'elsewhere'] as const;
const MODELS = ['open', 'closed'] as const;

describe('adviceFor', () => {
  it('names the embedded server where it shares the cores, and what lowers the load', () => {
    expect(adviceFor('cores', 'embedded', 'closed')).toBe(
      'The embedded server shares the cores of this machine: stop other programs, use fewer connections, or put the target on another machine.',
    );
    expect(adviceFor('cores', 'embedded', 'open')).toContain('lower the rate');
  });

  it('names a target on this machine', () => {
    expect(adviceFor('cores', 'this-machine', 'open')).toMatch(
      /^The target shares the cores of this machine: .*lower the rate/,
    );
  });

  it('blames no target on another machine', () => {
    expect(adviceFor('cores', 'elsewhere', 'open')).toMatch(/^Stop other programs on this machine/);
  });

  it('can be removed from a sentence, each of it', () => {
    const sentence = 'The generator was late.';
    for (const needs of NEEDS)
      for (const place of PLACES)
        for (const model of MODELS)
          expect(withoutAdvice(`${sentence} ${adviceFor(needs, place, model)}`)).toBe(sentence);
  });
});

describe('placeOf', () => {
  it.each([
    ['http://127.0.0.1:8080', true, 'embedded'],
    ['http://127.0.0.1:8080', false, 'this-machine'],
    ['https://rides.example.com/x', false, 'elsewhere'],
  ] as const)('%s, embedded: %s, is %s', (baseUrl, isEmbedded, place) => {
    expect(placeOf(baseUrl, isEmbedded)).toBe(place);
  });
});
