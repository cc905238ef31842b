import { expect, it } from 'vitest';
import { parseAnswer } from '../../../../src/conformance/client/evidence/exchange-parser.ts';
import fc from '../../../support/property.ts';

it('parses any answer', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      const { estimateIds } = parseAnswer(body);
      expect(Array.isArray(estimateIds)).toBe(true);
    }),
  );
});
