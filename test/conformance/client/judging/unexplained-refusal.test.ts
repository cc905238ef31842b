import { expect, it } from 'vitest';
import { unexplainedRefusals } from '../../../../src/conformance/client/judging/unexplained-refusal.ts';
import { trafficOf } from '../../../../src/conformance/client/traffic/traffic.ts';
import { estimate, observe, type Twist, tokenRequest } from '../client-traffic.ts';

/** The requests that nothing explains after a slow answer with a token of two seconds. */
function unexplained(refused: Twist): number {
  const exchanges = [
    tokenRequest('a', { took: 400 }, 2),
    estimate('a', { status: 401, ...refused }),
  ];
  return unexplainedRefusals(trafficOf(observe(exchanges), null, true), new Set()).length;
}

it('expects a refusal at the end of a token, however late its answer or that of the estimate', () => {
  expect(unexplained({ at: 2100 })).toBe(0);
  expect(unexplained({ at: 1500, took: 300 })).toBe(0);
});

it('explains no refusal long before the end of a token', () => {
  expect(unexplained({ at: 1500 })).toBe(1);
});
