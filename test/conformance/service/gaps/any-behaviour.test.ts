// @module-tag long

import { describe, expect, it } from 'vitest';
import { withVerdict } from '../../../independent-service/judge.ts';
import fc from '../../../support/property.ts';
import { anyBehaviour } from './any-behaviour.ts';
import { judgeBehaviour } from './judge-behaviour.ts';

/** Number of behaviours that are judged; more where the odd styles are judged in whole. */
const numRuns = process.env['FAREPROOF_STYLES'] === 'all' ? 40 : 4;

describe('a service that answers the gaps in any way', { timeout: 3_600_000 }, () => {
  it.each(['control', 'metered'] as const)('is not accused (%s)', async (mode) => {
    await fc.assert(
      fc.asyncProperty(anyBehaviour, fc.nat(), async (behaviour, seed) => {
        const result = await judgeBehaviour(behaviour, mode, seed);
        expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
      }),
      { numRuns, endOnFailure: true },
    );
  });
});
