import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offsetOf } from '../../../src/load/agents/remote-agent.ts';

describe('offsetOf', () => {
  const trip = fc.record({
    sentNs: fc.nat(1e9),
    thereNs: fc.integer({ min: 1, max: 1e8 }),
    backNs: fc.integer({ min: 1, max: 1e8 }),
  });

  it('differs from the true offset by at most its error, an hour apart or not', () => {
    fc.assert(
      fc.property(
        fc.array(trip, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: -3.6e12, max: 3.6e12 }),
        (trips, trueOffsetNs) => {
          const { offsetNs, errorNs } = offsetOf(
            trips.map(({ sentNs, thereNs, backNs }) => ({
              sentNs,
              receivedNs: sentNs + thereNs + backNs,
              agentNs: sentNs + thereNs + trueOffsetNs,
            })),
          );
          expect(Math.abs(offsetNs - trueOffsetNs)).toBeLessThanOrEqual(errorNs);
        },
      ),
    );
  });

  it('is that of the shortest round trip', () => {
    const long = { sentNs: 0, receivedNs: 1000, agentNs: 900 };
    const short = { sentNs: 2000, receivedNs: 2010, agentNs: 2105 };
    expect(offsetOf([long, short, long])).toEqual({
      offsetNs: 100,
      errorNs: 5,
      longestTripNs: 1000,
    });
  });

  it('needs a round trip', () => {
    expect(() => offsetOf([])).toThrow(RangeError);
  });
});
