import { expect, it } from 'vitest';
import { usageBetween } from '../../../src/load/record/usage.ts';

const reading = (atMs: number, coreWaitMs: number | null) => ({
  atNs: atMs * 1e6,
  spunNs: 0,
  idleMs: atMs / 2,
  activeMs: atMs / 2,
  cpuNs: atMs * 1e5,
  coreWaitNs: coreWaitMs === null ? null : coreWaitMs * 1e6,
});

it.each([
  { before: 100, after: 350, share: 0.25 },
  { before: 0, after: 1000, share: 1 },
  // A wait that began before is counted when it ends.
  { before: 0, after: 1820, share: 1 },
  { before: null, after: null, share: null },
])('waits for a core for a share of the time, at most all: $share', ({ before, after, share }) => {
  expect(usageBetween(reading(0, before), reading(1000, after))).toMatchObject({
    coreWait: share,
    cpu: 0.1,
  });
});

it('is unknown where no time has passed', () => {
  const now = reading(1000, 100);
  expect(usageBetween(now, now)).toMatchObject({ coreWait: null, cpu: null });
});
