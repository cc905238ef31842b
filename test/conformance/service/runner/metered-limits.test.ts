// @module-tag long

import { describe, expect, it } from 'vitest';
import { withVerdict } from '../../../independent-service/judge.ts';
import { MeteredRun, verdicts } from '../../../independent-service/metered-run.ts';
import { STYLES, type Style } from '../../../independent-service/style.ts';
import { watchedClock } from '../../../independent-service/world.ts';
import { SEED } from '../../../support/property.ts';

type Uses = ConstructorParameters<typeof MeteredRun>[2];

const ONE: Uses = ['general'];
const FOUR: Uses = ['general', 'general', 'witness', 'spendable'];
const SIX: Uses = ['general', 'general', 'general', 'witness', 'spendable', 'spendable'];

/** A limit by the minute on both endpoints, as firewalls have one, that answers with a status of its own. */
const limitedTo = (most: number, status: number, per?: 'partner'): Pick<Style, 'limit'> => ({
  limit: {
    status,
    per,
    byOwnClock: true,
    periodMs: 60_000,
    isOver: (_number, recentMs) => recentMs.length >= most,
  },
});

async function judge(style: Style, broken: readonly string[], uses: Uses) {
  const run = new MeteredRun(style, broken, uses, { allowBan: true });
  await run.service.start();
  try {
    return await run.judge('start');
  } finally {
    await run.service.stop();
  }
}

describe('a target that limits all requests by the minute, without a control API', {
  timeout: 120_000,
}, () => {
  const cases = [
    { most: 3, status: 403, per: undefined, uses: FOUR },
    { most: 4, status: 502, per: 'partner', uses: FOUR },
    { most: 5, status: 403, per: undefined, uses: FOUR },
    { most: 6, status: 404, per: 'partner', uses: FOUR },
    { most: 9, status: 500, per: undefined, uses: ONE },
    { most: 12, status: 403, per: 'partner', uses: FOUR },
    { most: 25, status: 500, per: undefined, uses: SIX },
    { most: 60, status: 500, per: undefined, uses: SIX },
  ].map((one, at) => {
    // Each style with some of the limits; another seed gives other pairs.
    const style = STYLES[(at + SEED) % STYLES.length]!;
    return { style, name: style.name, partners: one.uses.length, ...one };
  });

  it.each(cases)(
    'is not accused: $name, $most a minute, status $status, per $per, $partners partners',
    async ({ style, most, status, per, uses }) => {
      const limit = limitedTo(most, status, per as 'partner' | undefined);
      const result = await judge({ ...style, ...limit }, [], uses);
      expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    },
  );
});

describe('a target that limits its rate, and refuses user estimates for another reason', {
  timeout: 120_000,
}, () => {
  it.each([4, 8, 11])('is accused of nothing else (%i a minute)', async (most) => {
    const style = { ...STYLES[0]!, ...limitedTo(most, 403, 'partner') };
    const result = await judge(style, ['estimate/user'], FOUR);
    const others = withVerdict(result, 'fail', 'warn').filter((id) => id !== 'estimate/user');
    expect(others).toEqual([]);
  });
});

describe('a target without a limit, without a control API', () => {
  it.each(['token/grant-client-credentials', 'estimate/platform'])(
    'is accused of refusing what %s has it accept',
    async (rule) => {
      const result = await judge(STYLES[0]!, [rule], SIX);
      expect(verdicts(result)[rule]).toBe('fail');
    },
  );
});

it('a profile with a wrong signing key gets no rest of a minute', {
  timeout: 120_000,
}, async () => {
  const run = new MeteredRun(STYLES[0]!, [], ONE);
  run.partners.splice(0, 1, { ...run.partners[0]!, signingKey: 'wrong' });
  await run.service.start();
  const pausesMs: number[] = [];
  try {
    await run.judge('start', {
      clock: watchedClock(run.clock, (forMs) => pausesMs.push(forMs)),
    });
  } finally {
    await run.service.stop();
  }
  expect(run.service.bodies.length).toBeGreaterThan(0);
  expect(pausesMs.filter((forMs) => forMs >= 60_000)).toEqual([]);
});
