import { describe, expect, it } from 'vitest';
import { AcceptBatching } from '../../../src/server/http/accept-batching.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets the loop turn until that many are served, as far as that takes less than a thousand turns. */
async function until(served: readonly number[], count: number): Promise<void> {
  for (let turns = 0; turns < 1000 && served.length < count; turns++) await turn();
}

describe('new connections', () => {
  it('are served together, in their order, after a turn of the loop without another', async () => {
    const batching = new AcceptBatching();
    const served: number[] = [];
    for (const number of [1, 2, 3]) {
      batching.add(() => served.push(number));
      await turn();
      expect(served).toEqual([]);
    }
    await until(served, 1);
    expect(served).toEqual([1, 2, 3]);
  });

  it('are served after a while even if more keep arriving', async () => {
    const batching = new AcceptBatching();
    const served: number[] = [];
    for (let number = 0; number < 1000; number++) {
      batching.add(() => served.push(number));
      await turn();
    }
    expect(served.length).toBeGreaterThan(200);
    await until(served, 1000);
    expect(served).toEqual(Array.from({ length: 1000 }, (_, number) => number));
  });

  it('wait again after others were served', async () => {
    const batching = new AcceptBatching();
    const served: number[] = [];
    batching.add(() => served.push(1));
    await until(served, 1);
    batching.add(() => served.push(2));
    expect(served).toEqual([1]);
    await until(served, 2);
    expect(served).toEqual([1, 2]);
  });
});
