import { describe, expect, it } from 'vitest';
import { measuredStages, parseStages, stageStartsMs } from '../../src/load/plan.ts';

const STAGES = parseStages('100/2s,100-300/3s,300/500ms');

describe('measuredStages and stageStartsMs', () => {
  it('leave the warm-up out, where there is one', () => {
    const warmup = { fromRate: 100, toRate: 100, durationMs: 1000 };
    const withWarmup = { stages: [warmup, ...STAGES], warmupMs: 1000 };
    expect(measuredStages(withWarmup)).toEqual(STAGES);
    expect(stageStartsMs(withWarmup)).toEqual([0, 2000, 5000]);
    const without = { stages: STAGES, warmupMs: 0 };
    expect(measuredStages(without)).toEqual(STAGES);
    expect(stageStartsMs(without)).toEqual([0, 2000, 5000]);
  });
});

describe('parseStages', () => {
  it.each(['', '100', '100/', '/10s', '100-/10s', '0/10s', '0-0/10s', '100/0s', '100/0s,100/1s'])(
    'refuses %j',
    (text) => {
      expect(() => parseStages(text)).toThrow(/^stages/);
    },
  );

  it.each([
    ['100/1s,100', '"100" is not a stage; write rate/duration'],
    ['100-/10s', '"100-/10s" is not a stage; write rate/duration'],
    ['0/10s,0-0/1s', 'no stage has a rate above 0'],
    ['100/0s,100/1s', 'each stage needs a duration above 0'],
  ])('says of %j that %s', (text, why) => {
    expect(() => parseStages(text)).toThrow(`'${text}': ${why}`);
  });

  it.each(['0-100/10s', '100-0/10s', '0/1s,100/1s'])('takes %j', (text) => {
    expect(parseStages(text).every(({ durationMs }) => durationMs > 0)).toBe(true);
  });
});
