import { describe, expect, it } from 'vitest';
import { checkService, maxRateOf } from '../../../../src/conformance/index.ts';
import {
  boundOf,
  PART_REQUESTS,
  partsWithin,
} from '../../../../src/conformance/service/budget/parts-within.ts';
import type { Check } from '../../../../src/conformance/service/contract/check.ts';
import { checkOf } from '../../../../src/conformance/service/contract/templates.ts';
import { describeProfile, startServer } from '../../../../src/server/index.ts';
import { RUN } from '../../../independent-service/judge.ts';

const part = (id: string, place?: number): Check => ({
  ...checkOf({ rule: 'token/nostr-length', baseRequest: 'platform', run: async () => ({}) }),
  id,
  priority: place === undefined ? undefined : { stage: 'further', rank: place },
});

const [first, second] = Object.keys(PART_REQUESTS).filter((id) => id.includes('@'));

describe('the parts of a run', () => {
  const all = [part('own/rule'), part('unknown/part', 1), part(second!, 2), part(first!, 3)];
  const room = (left: number): number => 5 + left;

  it('are all sent without a number of requests', () => {
    expect(partsWithin(all, [], null)).toMatchObject({ chosen: all, left: [] });
  });

  it('begin with the first part of each rule, whatever the number', () => {
    expect(partsWithin(all, [], 1).chosen.map(({ id }) => id)).toEqual(['own/rule']);
  });

  it('are those that tell most, as long as there is room for them', () => {
    const { chosen, left } = partsWithin(all, [], room(Math.ceil(PART_REQUESTS[first!]!)));
    expect(chosen.map(({ id }) => id)).toEqual(['own/rule', first]);
    expect(left.map(({ id }) => id)).toEqual([second, 'unknown/part']);
  });

  it('begin with those of the last failures, however little they tell', () => {
    const isAskedFirst = ({ id }: Check): boolean => id === second;
    const { chosen } = partsWithin(all, [], room(Math.ceil(PART_REQUESTS[second!]!)), isAskedFirst);
    expect(chosen.map(({ id }) => id)).toEqual(['own/rule', second]);
  });

  it('are counted, with what the run sends besides', () => {
    const both = PART_REQUESTS[first!]! + 5;
    expect(partsWithin([part(first!, 3)], [part('gap/of-test')], null).planned).toBeCloseTo(both);
    expect([boundOf(both), boundOf(10_000)]).toEqual([2_500, 16_000]);
  });

  it('leave room for probes and surveys', () => {
    const probe = part('gap/of-test');
    const { left } = partsWithin(all, [probe], room(Math.ceil(PART_REQUESTS[first!]!)));
    expect(left.map(({ id }) => id)).toContain(first);
  });
});

describe('a run with a control API', () => {
  const judge = async (more: object) => {
    const server = await startServer({ controlPort: 0 });
    try {
      return await checkService({
        ...RUN,
        target: describeProfile(server),
        only: ['token/nostr-length'],
        ...more,
      });
    } finally {
      await server.close(0);
    }
  };

  it('lists the parts that it has no requests for, and judges their rule', async () => {
    const { rules, leftOut } = await judge({ requests: 10 });
    expect(leftOut?.map(({ rule }) => rule)).toContain('token/nostr-length');
    expect(rules.find(({ id }) => id === 'token/nostr-length')?.verdict).toBe('pass');
    expect((await judge({ requests: null })).leftOut).toBeUndefined();
    expect((await judge({ requests: undefined })).leftOut).toBeUndefined();
  });

  it('begins no further part once its time is over', async () => {
    const { rules, leftOut } = await judge({ requests: null, forSeconds: 0 });
    expect(leftOut?.map(({ rule }) => rule)).toContain('token/nostr-length');
    expect(rules.find(({ id }) => id === 'token/nostr-length')?.verdict).toBe('pass');
  });
});

it.each([
  ['https://service.test', undefined, 50],
  ['http://127.0.0.1:80', undefined, null],
  ['https://service.test', null, null],
  ['http://127.0.0.1:80', 7, 7],
])('the rate to %s with a limit of %s is %s', (baseUrl, maxRate, expected) => {
  const target = { baseUrl } as Parameters<typeof maxRateOf>[0]['target'];
  expect(maxRateOf({ target, maxRate })).toBe(expected);
});
