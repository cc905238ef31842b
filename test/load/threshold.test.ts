import { describe, expect, it } from 'vitest';
import {
  isTrue,
  judgeThreshold,
  type Observation,
  parseObjective,
  parseThreshold,
  refuseUnknownPart,
  withErrorBound,
} from '../../src/load/threshold.ts';

const observation = (over: Partial<Observation> = {}): Observation => ({
  ratePerS: 1000,
  errorShare: 0,
  reconnectedShare: 0.002,
  part: () => null,
  latencyUs: (of, at) => (of === 'service' ? 500 : at === 99.9 ? 30_000 : 20_000),
  ...over,
});

const judge = (expression: string, over: Partial<Observation> = {}) =>
  judgeThreshold(parseThreshold(expression), observation(over));

describe('parseThreshold', () => {
  it.each([
    ['p99<20ms', 'p99', 'us', '<', 20_000, { of: 'response', at: 99 }],
    ['p99.9 <= 0.1s', 'p99.9', 'us', '<=', 100_000, { of: 'response', at: 99.9 }],
    ['p99_9<1s', 'p99.9', 'us', '<', 1_000_000, { of: 'response', at: 99.9 }],
    ['service.p99<800us', 'service.p99', 'us', '<', 800, { of: 'service', at: 99 }],
    ['response.mean<5ms', 'mean', 'us', '<', 5000, { of: 'response', at: 'mean' }],
    ['max<1s', 'max', 'us', '<', 1_000_000, { of: 'response', at: 'max' }],
    ['service.max<1s', 'service.max', 'us', '<', 1_000_000, { of: 'service', at: 'max' }],
    ['rate>1000/s', 'rate', 'requests/s', '>', 1000, null],
    ['rate>=1000', 'rate', 'requests/s', '>=', 1000, null],
    ['rate>1000rps', 'rate', 'requests/s', '>', 1000, null],
    ['rps>1000', 'rate', 'requests/s', '>', 1000, null],
    ['errors<0.1%', 'errors', 'share', '<', 0.001, null],
    ['reconnected<1%', 'reconnected', 'share', '<', 0.01, null],
    ['min<1ms', 'min', 'us', '<', 1000, { of: 'response', at: 'min' }],
    ['p100<1ms', 'p100', 'us', '<', 1000, { of: 'response', at: 100 }],
    ['p99.99<1ms', 'p99.99', 'us', '<', 1000, { of: 'response', at: 99.99 }],
  ])('parses %s', (expression, metric, unit, comparison, bound, latency) => {
    const threshold = parseThreshold(expression);
    expect(threshold).toMatchObject({ expression, metric, unit, comparison, latency });
    expect(threshold.bound).toBeCloseTo(bound, 12);
  });

  it.each([
    ['p99\u2039800\u03bcs', 'p99<800us'],
    ['p99<800\u00b5s', 'p99<800us'],
    ['p99\uff1c800us', 'p99<800us'],
    ['max\u22641s', 'max<=1s'],
    ['rps\u203a1000', 'rate>1000/s'],
    ['rate\uff1e\u00a01000', 'rate>1000/s'],
    ['rate\u22651000rps', 'rate>=1000/s'],
  ])('parses %s as %s, and keeps it as it was written', (expression, plain) => {
    expect(parseThreshold(expression)).toEqual({ ...parseThreshold(plain), expression });
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
    ['p99=20ms', 'a comparison (<, <=, > or >=)'],
    ['p99<1_000us', 'write a metric'],
    ['rate>5rpm', '(/s or rps), not in "rpm"'],
    ['rp<5', 'rate (or rps), errors, or reconnected'],
    ['p99<-1ms', 'write a metric'],
    ['', 'write a metric'],
    ['p99<20ms junk', 'write a metric'],
    ['1 p99<20ms', 'write a metric'],
    ['xp99<20ms', 'no metric "xp99"'],
    ['p99x<20ms', 'no metric "p99x"'],
    ['p1000<20ms', 'no metric "p1000"'],
    ['my.service.p99<20ms', 'no metric "my.service.p99"'],
  ])('refuses %s and names it', (expression, why) => {
    expect(() => parseThreshold(expression)).toThrow(
      expect.objectContaining({
        code: 'THRESHOLD_INVALID',
        message: expect.stringContaining(`threshold: '${expression}'`),
      }),
    );
    expect(() => parseThreshold(expression)).toThrow(why);
  });

  it.each([
    ['p99{carpoolSeats}<30ms', 'p99{carpoolSeats}', { shape: 'carpoolSeats' }],
    ['service.p50 { shape: plain } < 1ms', 'service.p50{plain}', { shape: 'plain' }],
    ['service.p50{shape : plain}<1ms', 'service.p50{plain}', { shape: 'plain' }],
    ['errors{stage:2}<1%', 'errors{stage:2}', { stage: 2 }],
    ['errors{stage:120}<1%', 'errors{stage:120}', { stage: 120 }],
  ])('parses the part in %s', (expression, metric, part) => {
    expect(parseThreshold(expression)).toMatchObject({ expression, metric, ...part });
  });

  it.each([
    ['p99{carpoolSeat}<30ms', 'there is no shape "carpoolSeat"; did you mean carpoolSeats'],
    ['p99{xyz}<30ms', 'there is no shape "xyz"; there are plain, express, carpool'],
    ['p99{}<30ms', 'there is no shape ""'],
    ['p99{x\nplain}<30ms', 'there is no shape'],
    ['p99{stages:2}<30ms', 'not named by "stages"; did you mean stage?'],
    ['p99{url:2}<30ms', 'not named by "url"; name a shape, as in {plain}, or a stage'],
    ['p99{stage:0}<30ms', 'there is no stage "0"; stages are counted from 1'],
    ['p99{stage:1x}<30ms', 'there is no stage "1x"'],
    ['p99{stage:x1}<30ms', 'there is no stage "x1"'],
    ['p99{stage:1234567}<30ms', 'there is no stage "1234567"'],
    ['x.p99<30ms', 'there is no metric "x.p99"'],
    ['p99{stage:last}<30ms', 'there is no stage "last"'],
    ['rate{plain}>5/s', 'the rate is of the whole run'],
    ['p99{plain<30ms', 'write a metric'],
  ])('refuses %s and says why', (expression, why) => {
    expect(() => parseThreshold(expression)).toThrow(why);
    expect(() => parseThreshold(expression)).not.toThrow('?.');
  });

  it('ignores blanks around it', () => {
    expect(parseThreshold('  p99 < 20ms ')).toEqual({
      ...parseThreshold('p99<20ms'),
      expression: 'p99 < 20ms',
    });
  });

  it('reads an objective, and names the part that is wrong', () => {
    expect(parseObjective('p99<20ms,errors<0.1%')).toHaveLength(2);
    expect(() => parseObjective('p99<20ms,oops')).toThrow("findMax: 'oops'");
  });
});

describe('judgeThreshold', () => {
  it.each([
    ['p99<20ms', 20_000, false],
    ['p99<=20ms', 20_000, true],
    ['p99<=19.999ms', 20_000, false],
    ['p99>19.999ms', 20_000, true],
    ['p99>=20.001ms', 20_000, false],
    ['p99<20.001ms', 20_000, true],
    ['p99.9<20ms', 30_000, false],
    ['service.p99<501us', 500, true],
    ['rate>1000/s', 1000, false],
    ['rate>=1000/s', 1000, true],
    ['reconnected<0.2%', 0.002, false],
    ['reconnected<=0.2%', 0.002, true],
    ['errors<0.1%', 0.001, false],
    ['errors<=0.1%', 0.001, true],
  ])('%s over %d is %s', (expression, observed, held) => {
    const over = expression.startsWith('errors') ? { errorShare: 0.001 } : {};
    expect(judge(expression, over)).toMatchObject({ expression, observed, held });
  });

  it('keeps the text with the parsed terms', () => {
    expect(judge('service.p99‹800μs')).toEqual({
      expression: 'service.p99‹800μs',
      metric: 'service.p99',
      unit: 'us',
      comparison: '<',
      bound: 800,
      observed: 500,
      held: true,
    });
  });

  it('is of the part that it names, and missed if that part is not known', () => {
    const part = ({ shape }: { shape?: string | undefined }) =>
      shape === 'plain' ? { latencyUs: () => 7, errorShare: 0.25, reconnectedShare: 0.5 } : null;
    expect(judge('p75{plain}<1ms', { part })).toMatchObject({ observed: 7, held: true });
    expect(judge('errors{plain}<1%', { part })).toMatchObject({ observed: 0.25, held: false });
    expect(judge('reconnected{plain}<1%', { part })).toMatchObject({ observed: 0.5, held: false });
    expect(judge('p99{express}<1s', { part })).toMatchObject({ observed: null, held: false });
    expect(judge('errors{stage:1}<1%', { part })).toMatchObject({ observed: null, held: false });
  });

  describe('with failed requests, of which there are 2 in 100', () => {
    /** 98 successes, after 1 to 98 ms. */
    const latencyUs: Observation['latencyUs'] = (_of, at) =>
      typeof at === 'number'
        ? 1000 * Math.ceil((at / 100) * 98)
        : { min: 1000, mean: 49_500, max: 98_000 }[at];
    const over = { errorShare: 0.02, latencyUs };

    it.each([
      { given: 'p49<50ms', observed: 49_000, ofSuccesses: 49_000, held: true },
      { given: 'p98<=98ms', observed: 98_000, ofSuccesses: 97_000, held: true },
      { given: 'p98<98ms', observed: 98_000, ofSuccesses: 97_000, held: false, short: true },
      { given: 'p98<97ms', observed: 98_000, ofSuccesses: 97_000, held: false },
      { given: 'p98.1<1s', observed: null, ofSuccesses: 97_000, held: false, short: true },
      { given: 'service.max<1s', observed: null, ofSuccesses: 98_000, held: false, short: true },
      { given: 'mean<1s', observed: null, ofSuccesses: 49_500, held: false, short: true },
      // Slow failures do not help to hold it either.
      { given: 'p99>98ms', observed: null, ofSuccesses: 98_000, held: false },
      { given: 'p98>=97ms', observed: 98_000, ofSuccesses: 97_000, held: true },
    ])('counts them as slower than $given', ({ given, observed, ofSuccesses, held, short }) => {
      const { shortByFailures, ...result } = judge(given, over);
      expect(result).toMatchObject({ observed, held });
      expect(result.ofSuccesses ?? result.observed).toBe(ofSuccesses);
      expect(shortByFailures).toBe(short);
    });

    it('does not tell the successes apart where failures make no difference', () => {
      expect(judge('min<2ms', over)).toEqual({
        ...judge('min<2ms'),
        observed: 1000,
        held: true,
      });
    });

    it('misses a bound where none succeeded', () => {
      const none = { errorShare: 1, latencyUs: () => null };
      for (const expression of ['min<1s', 'p50<1s', 'max<1s', 'mean<1s', 'p50>1us']) {
        expect(judge(expression, none)).toMatchObject({ observed: null, held: false });
      }
    });

    it('makes a condition that ends a run true, which is no bound to hold', () => {
      const met = (expression: string) => isTrue(parseThreshold(expression), observation(over));
      expect(met('p99>98ms')).toBe(true);
      expect(met('p98>98ms')).toBe(false);
      expect(met('p50<1s')).toBe(true);
      expect(met('errors>1%')).toBe(true);
    });
  });

  it('is missed if nothing was measured', () => {
    expect(judge('p99<20ms', { latencyUs: () => null })).toMatchObject({
      observed: null,
      held: false,
    });
    expect(judge('errors<5%', { errorShare: null })).toMatchObject({ observed: null, held: false });
  });
});

describe('parseObjective', () => {
  it('accepts only bounds that a higher rate makes harder to meet', () => {
    const objective = parseObjective('p99<20ms,errors<=0.1%');
    expect(objective.map(({ expression }) => expression)).toEqual(['p99<20ms', 'errors<=0.1%']);
  });

  it.each([
    ['p99>5ms', 'no rate is the highest'],
    ['p99<20ms,max>=1s', 'write p99<20ms'],
    ['errors>1%', 'write errors<0.1%'],
    ['rate>5', 'what is looked for'],
    ['p99<20ms,rate<5', 'what is looked for'],
  ])('refuses %s, of which there is no highest rate', (objective, why) => {
    expect(() => parseObjective(objective)).toThrow(
      expect.objectContaining({ code: 'OBJECTIVE_INVALID', message: expect.stringContaining(why) }),
    );
  });
});

describe('refuseUnknownPart', () => {
  const refuse = (expression: string, stages: number) => () =>
    refuseUnknownPart(
      parseThreshold(expression),
      { shapes: ['plain', 'express'], stages },
      'threshold',
    );

  it.each([
    ['p99<20ms', 0],
    ['p99{plain}<20ms', 0],
    ['p99{stage:1}<20ms', 2],
    ['p99{stage:2}<20ms', 2],
  ])('takes %s of %i stages', (expression, stages) => {
    expect(refuse(expression, stages)).not.toThrow();
  });

  it.each([
    ['p99{carpoolSeats}<20ms', 0, 'carpoolSeats'],
    ['p99{stage:1}<20ms', 0, 'has no stages'],
    ['p99{stage:3}<20ms', 2, '3'],
  ])('refuses %s of %i stages', (expression, stages, named) => {
    expect(refuse(expression, stages)).toThrow(named);
    expect(refuse(expression, stages)).toThrow(`threshold: '${expression}'`);
  });
});

describe('withErrorBound', () => {
  it('bounds the errors where nothing else does, and says that it is the default', () => {
    const p99 = parseThreshold('p99<20ms');
    const added = withErrorBound([p99]);
    expect(added).toEqual([p99, { ...parseThreshold('errors<1%'), isDefault: true }]);
    const own = [p99, parseThreshold('errors<5%')];
    expect(withErrorBound(own)).toEqual(own);
    expect(withErrorBound([])).toHaveLength(1);
  });

  it('takes a bound on a part for no bound on the whole', () => {
    const ofPart = parseThreshold('errors{plain}<5%');
    expect(withErrorBound([ofPart])).toHaveLength(2);
  });
});
