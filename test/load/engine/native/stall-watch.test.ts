import { expect, it } from 'vitest';
import { StallWatch } from '../../../../src/load/engine/native/stall-watch.ts';

/** A watch for stalls of 5 and more, and the stalls that it told of. */
function watched() {
  const stalls: [fromNs: number, untilNs: number | null][] = [];
  const watch = new StallWatch(5, {
    stall: (fromNs) => void stalls.push([fromNs, null]),
    endStall: (untilNs) => void (stalls.at(-1)![1] = untilNs),
  });
  return { watch, stalls };
}

it('a generator is late that is not awake when it was to be', () => {
  const { watch } = watched();
  watch.wakeAt(100);
  expect([90, 100, 104, 109, 110].map((at) => watch.lateNs(at))).toEqual([0, 0, 0, 5, 0]);
});

it('a stall ends once its backlog was sent, and no more is in flight than before', () => {
  const { watch, stalls } = watched();
  watch.begin(40, 20, 2, 60);
  watch.endIfOver(55, 2, 61);
  watch.endIfOver(65, 9, 70);
  watch.endIfOver(75, 3, 75);
  expect(stalls).toEqual([[40, null]]);
  watch.endIfOver(85, 2, 80);
  watch.endIfOver(85, 0, 90);
  expect(stalls).toEqual([[40, 80]]);
});

it('a stall has an end where the target never catches up: then the target is what is slow', () => {
  const { watch, stalls } = watched();
  watch.begin(40, 20, 2, 60);
  watch.endIfOver(300, 50, 259);
  expect(stalls).toEqual([[40, null]]);
  watch.endIfOver(300, 50, 260);
  expect(stalls).toEqual([[40, 260]]);
});

it('the end of one does not put off that of the next', () => {
  const { watch, stalls } = watched();
  watch.begin(0, 50, 2, 50);
  watch.endIfOver(Number.POSITIVE_INFINITY, 2, 60);
  watch.begin(95, 5, 2, 100);
  watch.endIfOver(Number.POSITIVE_INFINITY, 9, 150);
  expect(stalls).toEqual([
    [0, 60],
    [95, 150],
  ]);
});

it('a stall with nothing due and nothing in flight is over at once', () => {
  const { watch, stalls } = watched();
  watch.begin(60, 5, 0, 60);
  watch.endIfOver(Number.POSITIVE_INFINITY, 0, 60);
  expect(stalls).toEqual([[60, 60]]);
});

it('another one before its end makes it longer, and is over at the same number in flight', () => {
  const { watch, stalls } = watched();
  watch.begin(40, 20, 1, 60);
  watch.endIfOver(65, 4, 62);
  watch.begin(63, 20, 4, 80);
  watch.endIfOver(70, 1, 81);
  watch.endIfOver(Number.POSITIVE_INFINITY, 4, 82);
  expect(stalls).toEqual([[40, null]]);
  watch.endIfOver(Number.POSITIVE_INFINITY, 1, 83);
  expect(stalls).toEqual([[40, 83]]);
});
