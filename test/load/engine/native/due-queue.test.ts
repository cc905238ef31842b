import { expect, it } from 'vitest';
import { DueQueue } from '../../../../src/load/engine/native/due-queue.ts';
import fc from '../../../support/property.ts';

/** Numbers pushed, or removed where negative, in turn. */
const anyUse = fc.array(fc.integer({ min: -1500, max: 1500 }), { maxLength: 30 });

it('a queue of due requests gives back what was pushed, in that order, however long and often it is filled', () => {
  fc.assert(
    fc.property(anyUse, (use) => {
      const queue = new DueQueue();
      let pushed = 0;
      let removed = 0;
      for (const count of use) {
        for (let one = 0; one < count; one++) queue.push(pushed * 10, pushed++);
        for (let one = 0; one > count && removed < pushed; one--) {
          expect([queue.oldestNs, queue.oldestSlot]).toEqual([removed * 10, removed]);
          queue.shift();
          removed++;
        }
        expect(queue.length).toBe(pushed - removed);
      }
    }),
  );
});
