import { describe, expect, it } from 'vitest';
import type { SeenToken } from '../../../../../src/conformance/service/contract/observation.ts';
import { signatureObservations } from '../../../../../src/conformance/service/rules/signature/checks.ts';
import { createRandom } from '../../../../../src/load/seeded-random.ts';
import { judged, token } from '../seen.ts';

const REFUSED = { outcome: 'refused', status: 520, body: '' } as const;

const verdictOf = (accepted: number, refused: number, body = ''): string => {
  const every = Math.floor((accepted + refused) / Math.max(refused, 1));
  return verdictOn(
    Array.from({ length: accepted + refused }, (_, at) =>
      at % every === every - 1 && at < refused * every ? token({ ...REFUSED, body }) : token(),
    ),
  );
};

const verdictOn = (answers: readonly SeenToken[]): string => {
  const requests = answers.map((one, at) => ({
    ...one,
    answer: { ...one.answer, sentAtMs: 1000 - at },
    firstOfFresh: true,
  }));
  // In whatever order they are told of.
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

  it.each([
    [1, 60, 3],
    [4, 15, 30],
    [20, 3, 10],
  ])(
    'is not broken by refusals in %i rows, each after %i accepted: %i',
    (rows, accepted, refused) => {
      const row = [
        ...Array.from({ length: accepted }, () => token()),
        ...Array.from({ length: refused }, () => token(REFUSED)),
      ];
      expect(verdictOn(Array.from({ length: rows }, () => row).flat())).toBe('inconclusive');
    },
  );

  it('is broken where refusals lie at random places, of nearly all seeds', () => {
    const broken = Array.from({ length: 200 }, (_, seed) => {
      const random = createRandom(seed, 'places');
      const list = Array.from({ length: 160 }, () =>
        random() < 1 / 12 ? token(REFUSED) : token(),
      );
      return verdictOn(list);
    }).filter((verdict) => verdict === 'violated');
    expect(broken.length).toBeGreaterThan(170);
  });

  it('is not broken where only a metered partner is refused that is accepted for nothing', () => {
    const body = '{"error":"invalid signature"}';
    const refused = { ...token({ ...REFUSED, body }), partnerId: 'p-2' };
    const refresh = token({}, { grant_type: 'refresh_token' });
    const verdict = (...requests: readonly SeenToken[]): string =>
      judged(signatureObservations, 'signature/valid-accepted', { requests }).verdict;
    expect(verdict(refused, refresh)).toBe('inconclusive');
    expect(verdict(refused, { ...refresh, partnerId: 'p-2' })).toBe('violated');
  });

  it.each([true, false])(
    'is broken where all are refused only if the answer names the cause (metered: %s)',
    (metered) => {
      const verdict = (body: string, status: number): string =>
        judged(signatureObservations, 'signature/valid-accepted', {
          requests: [1, 2, 3].map(() => token({ ...REFUSED, body, status })),
          facts: { shapes: ['plain'], metered },
        }).verdict;
      expect(verdict('{"error":"invalid signature"}', 403)).toBe('violated');
      expect(verdict('slow down', 403)).toBe('inconclusive');
      // With a control API, the keys are right, and nobody is banned.
      expect(verdict('{"error":"invalid request"}', 400)).toBe(
        metered ? 'inconclusive' : 'violated',
      );
    },
  );
});
