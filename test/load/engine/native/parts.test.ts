import { afterEach, describe, expect, it } from 'vitest';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { ESTIMATE_BODY, type FakeTarget } from '../../fake-target.ts';
import { closeTargets, expectConsistent, load, startFake } from './engine-run.ts';

afterEach(closeTargets);

describe('the parts of a run', () => {
  const mixOf = (target: FakeTarget) => ({
    ...target.profile,
    estimates: {
      plain: { product_type: 'private-car' },
      express: { product_type: 'express-car' },
    },
  });

  it('have the requests of their shape and stage, in the open model', {
    tags: ['long'],
  }, async () => {
    const fake = await startFake({
      estimate: (request, response) => {
        const isExpress = request.url?.includes('express-car') === true;
        response.statusCode = isExpress ? 503 : 200;
        response.end(ESTIMATE_BODY);
      },
    });
    const stages = '100/300ms,400/200ms';
    const result = await load(fake, {
      profile: mixOf(fake),
      stages,
      duration: undefined,
      warmup: '100ms',
      workers: 2,
    });
    expectConsistent(result);
    const { achieved, shapes = [] } = result;
    expect(result.stages).toMatchObject([{ planned: 30 }, { planned: 80 }]);
    expect(shapes).toMatchObject([
      { shape: 'plain', ok: achieved.ok, failed: 0 },
      { shape: 'express', ok: 0, failed: achieved.failed },
    ]);
    expect(achieved.ok).toBeGreaterThan(30);
    expect(achieved.failed).toBeGreaterThan(30);
    expect(shapes[1]?.latencyUs).toMatchObject({
      response: { count: 0 },
      all: { count: achieved.failed },
    });
  });

  it.each([
    ['open', { rate: 200 }],
    ['closed', { connections: 4 }],
  ])('share the requests without a connection, in the %s model', async (_, model) => {
    const fake = await startFake();
    const profile = { ...mixOf(fake), baseUrl: CLOSED_ADDRESS };
    const partners = profile.partners.map((partner) => ({ ...partner, accessToken: 't' }));
    const result = await load(fake, { profile: { ...profile, partners }, ...model });
    const { shapes = [], achieved } = result;
    expect(shapes.map(({ ok }) => ok)).toEqual([0, 0]);
    expect(shapes.reduce((sum, { failed }) => sum + failed, 0)).toBe(achieved.failed);
    expect(Math.min(...shapes.map(({ failed }) => failed))).toBeGreaterThan(0);
  });
});
