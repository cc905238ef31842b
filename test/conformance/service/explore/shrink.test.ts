import { expect, it } from 'vitest';
import type {
  EstimateStep,
  Step,
  TokenStep,
  Walk,
} from '../../../../src/conformance/service/contract/walk.ts';
import { doubleNames } from '../../../../src/conformance/service/explore/rows.ts';
import { shrink } from '../../../../src/conformance/service/explore/shrink.ts';
import fc from '../../../support/property.ts';

const token = (id: number): TokenStep => ({
  id,
  do: 'token',
  partner: 0,
  grant: 'platform',
  twists: [],
});
const wait = (id: number): Step => ({ id, do: 'wait', seconds: 3600 });
const estimate = (id: number, of: number): EstimateStep => ({
  id,
  do: 'estimate',
  partner: 0,
  as: 'platform',
  of,
  twists: [],
});

const idsOf = ({ steps }: Walk): number[] => steps.map(({ id }) => id);

it('leaves the steps that the surprise needs, by at most 300 requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 2, max: 58 }), { maxLength: 2 }),
      fc.array(fc.boolean(), { minLength: 59, maxLength: 59 }),
      async (needed, waits) => {
        const steps = Array.from({ length: 59 }, (_, at) => {
          const id = at + 1;
          return id > 1 && waits[at] && !needed.includes(id) ? wait(id) : token(id);
        });
        const walk = { startsAt: 0, longLock: false, steps: [...steps, estimate(60, 1)] };
        let requests = 0;
        const shrunk = await shrink(walk, async (one) => {
          requests += one.steps.filter((step) => step.do !== 'wait').length;
          return [...needed, 1, 60].every((id) => idsOf(one).includes(id));
        });
        expect(requests).toBeLessThanOrEqual(300);
        expect(idsOf(shrunk).length).toBeLessThanOrEqual(1.5 * (needed.length + 2));
      },
    ),
    { numRuns: 60 },
  );
});

it('joins waits, and leaves out twists that matter not', async () => {
  const twists = [
    { name: 'with an imei', seed: 1 },
    { name: 'with the map_type soso', seed: 2 },
  ];
  const steps: Step[] = [
    token(1),
    wait(2),
    wait(3),
    { id: 4, do: 'estimate', partner: 0, as: 'platform', of: 1, twists },
  ];
  const shrunk = await shrink({ startsAt: 0, longLock: false, steps }, async (one) => {
    const last = one.steps.at(-1);
    const seconds = one.steps.reduce(
      (sum, step) => sum + (step.do === 'wait' ? step.seconds : 0),
      0,
    );
    return (
      seconds === 7200 && last?.do === 'estimate' && last.twists.some(({ seed }) => seed === 2)
    );
  });
  expect(shrunk.steps).toEqual([
    token(1),
    { ...wait(2), seconds: 7200 },
    { id: 4, do: 'estimate', partner: 0, as: 'platform', of: 1, twists: twists.slice(1) },
  ]);
});

it('has each way to vary a request once', () => {
  for (const grant of ['platform', 'user', 'refresh'] as const)
    expect(doubleNames({ ...token(1), grant })).toEqual([]);
  for (const as of ['platform', 'user'] as const)
    expect(doubleNames({ ...estimate(2, 1), as })).toEqual([]);
});
