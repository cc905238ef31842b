import { describe, expect, it } from 'vitest';
import {
  judgeThreshold,
  type Observation,
  parseObjective,
  parseThreshold,
  parseThresholds,
} from '../../src/load/threshold.ts';

const observation = (over: Partial<Observation> = {}): Observation => ({
  ratePerS: 1000,
  errorShare: 0.001,
  latencyUs: (of, at) => (of === 'service' ? 500 : at === 99.9 ? 30_000 : 20_000),
  ...over,
});

const judge = (expression: string, over: Partial<Observation> = {}) =>
  judgeThreshold(parseThreshold(expression), observation(over));

describe('parseThreshold', () => {
  it.each([
    ['p99<20ms', { kind: 'latency', of: 'response', at: 99 }, '<', 20_000],
    ['p99.9 <= 0.1s', { kind: 'latency', of: 'response', at: 99.9 }, '<=', 100_000],
    ['p99_9<1s', { kind: 'latency', of: 'response', at: 99.9 }, '<', 1_000_000],
    ['service.p99<800us', { kind: 'latency', of: 'service', at: 99 }, '<', 800],
    ['response.mean<5ms', { kind: 'latency', of: 'response', at: 'mean' }, '<', 5000],
    ['max<1s', { kind: 'latency', of: 'response', at: 'max' }, '<', 1_000_000],
    ['service.max<1s', { kind: 'latency', of: 'service', at: 'max' }, '<', 1_000_000],
    ['rate>1000/s', { kind: 'rate' }, '>', 1000],
    ['rate>=1000', { kind: 'rate' }, '>=', 1000],
    ['errors<0.1%', { kind: 'errors' }, '<', 0.001],
  ])('reads %s', (expression, metric, comparison, bound) => {
    const threshold = parseThreshold(expression);
    expect(threshold).toMatchObject({ expression, metric, comparison });
    expect(threshold.bound).toBeCloseTo(bound, 12);
  });

  it.each([
    ['p99<20', 'needs a unit'],
    ['p99<20%', 'not in "%"'],
    ['p99<20m', 'not in "m"'],
    ['p101<20ms', 'no metric "p101"'],
    ['p0<20ms', 'no metric "p0"'],
    ['median<20ms', 'no metric "median"'],
    ['service.rate>5/s', 'no metric "service.rate"'],
    ['errors<0.1', 'not in "plain numbers"'],
    ['errors<5ms', 'not in "ms"'],
    ['rate>5%', 'not in "%"'],
    ['p99=20ms', 'write a metric'],
    ['p99<-1ms', 'write a metric'],
    ['', 'write a metric'],
    ['p99<20ms junk', 'write a metric'],
  ])('refuses %s and names it', (expression, why) => {
    expect(() => parseThreshold(expression)).toThrow(
      expect.objectContaining({
        code: 'THRESHOLD_INVALID',
        message: expect.stringContaining(`--threshold '${expression}'`),
      }),
    );
    expect(() => parseThreshold(expression)).toThrow(why);
  });

  it('reads an objective, and names the part that is wrong', () => {
    expect(parseThresholds('p99<20ms,errors<0.1%', '--find-max')).toHaveLength(2);
    expect(() => parseThresholds('p99<20ms,oops', '--find-max')).toThrow("--find-max 'oops'");
  });
});

describe('judgeThreshold', () => {
  it.each([
    ['p99<20ms', 20_000, false],
    ['p99<=20ms', 20_000, true],
    ['p99<20.001ms', 20_000, true],
    ['p99.9<20ms', 30_000, false],
    ['service.p99<501us', 500, true],
    ['rate>1000/s', 1000, false],
    ['rate>=1000/s', 1000, true],
    ['errors<0.1%', 0.001, false],
    ['errors<=0.1%', 0.001, true],
  ])('%s over %d is %s', (expression, observed, held) => {
    expect(judge(expression)).toEqual({ expression, observed, held });
  });

  it('does not hold where nothing was measured', () => {
    expect(judge('p99<20ms', { latencyUs: () => null })).toMatchObject({
      observed: null,
      held: false,
    });
    expect(judge('errors<5%', { errorShare: null })).toMatchObject({ observed: null, held: false });
  });
});

describe('parseObjective', () => {
  it('reads what a higher rate makes harder to hold', () => {
    const objective = parseObjective('p99<20ms,errors<=0.1%', '--find-max');
    expect(objective.map(({ expression }) => expression)).toEqual(['p99<20ms', 'errors<=0.1%']);
  });

  it.each([
    ['p99>5ms', 'there is no highest'],
    ['p99<20ms,max>=1s', 'there is no highest'],
    ['errors>1%', 'write errors<0.1%'],
    ['rate>5', 'what is looked for'],
    ['p99<20ms,rate<5', 'what is looked for'],
  ])('refuses %s, of which there is no highest rate', (objective, why) => {
    expect(() => parseObjective(objective, '--find-max')).toThrow(
      expect.objectContaining({ code: 'OBJECTIVE_INVALID', message: expect.stringContaining(why) }),
    );
  });
});
