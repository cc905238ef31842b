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

it('a stall ends once its backlog was sent, and all that is under way is answered', () => {
  const { watch, stalls } = watched();
  watch.begin(40, 60);
  watch.sentUpTo(55, 1, 61);
  watch.released(61, 62);
  expect(stalls).toEqual([[40, null]]);
  watch.sentUpTo(65, 2, 70);
  watch.released(65, 72);
  watch.released(71, 73);
  expect(stalls).toEqual([[40, null]]);
  watch.released(70, 75);
  watch.released(70, 76);
  expect(stalls).toEqual([[40, 75]]);
});

it('a stall with nothing due and nothing under way is over at once', () => {
  const { watch, stalls } = watched();
  watch.begin(60, 60);
  watch.sentUpTo(Number.POSITIVE_INFINITY, 0, 60);
  expect(stalls).toEqual([[60, 60]]);
});

it('another one before its end makes it longer', () => {
  const { watch, stalls } = watched();
  watch.begin(40, 60);
  watch.sentUpTo(65, 1, 62);
  watch.begin(63, 80);
  watch.released(62, 81);
  watch.sentUpTo(Number.POSITIVE_INFINITY, 0, 82);
  expect(stalls).toEqual([[40, 82]]);
});
