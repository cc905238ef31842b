import { describe, expect, it } from 'vitest';
import { signatureObservations } from '../../../../../src/conformance/service/rules/signature/checks.ts';
import { judged, token } from '../seen.ts';

const REFUSED = { outcome: 'refused', status: 520, body: '' } as const;

const verdictOf = (accepted: number, refused: number, body = ''): string => {
  const answers = [
    ...Array.from({ length: accepted }, () => token()),
    ...Array.from({ length: refused }, () => token({ ...REFUSED, body })),
  ];
  const requests = answers.map((one) => ({ ...one, firstOfFresh: true }));
  return judged(signatureObservations, 'signature/valid-accepted', { requests }).verdict;
};

describe('signature/valid-accepted', () => {
  it.each([
    [60, 1],
    [8, 2],
    [300, 5],
  ])('is not broken where of %i and %i requests a few are refused', (accepted, refused) => {
    expect(verdictOf(accepted, refused)).toBe('inconclusive');
  });

  it.each([
    [60, 3],
    [200, 20],
  ])('is broken where beside %i requests %i are refused', (accepted, refused) => {
    expect(verdictOf(accepted, refused)).toBe('violated');
  });

  it('is broken where all are refused only if the answer names the cause', () => {
    expect(verdictOf(0, 3, '{"error":"invalid signature"}')).toBe('violated');
    expect(verdictOf(0, 3, '{"error":"invalid request"}')).toBe('inconclusive');
    expect(verdictOf(0, 3)).toBe('inconclusive');
  });
});
