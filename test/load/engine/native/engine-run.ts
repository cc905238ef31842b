import type { Socket } from 'node:net';
import { expect } from 'vitest';
import {
  type LoadOptions,
  type LoadResult,
  type RunContext,
  runLoad,
  systemClock,
} from '../../../../src/load/index.ts';
import { faultsButCores } from '../../../support/judged-generators.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';
import { type FakeBehaviour, type FakeTarget, startFakeTarget } from '../../fake-target.ts';
import { type RawTarget, rawProfile, startRawTarget } from '../../raw-target.ts';

let fake: FakeTarget | undefined;
let raw: RawTarget | undefined;

/** Closes the targets of a test; for `afterEach`. */
export async function closeTargets(): Promise<void> {
  await fake?.close();
  await raw?.close();
  [fake, raw] = [undefined, undefined];
}

export async function startFake(behaviour: FakeBehaviour = {}): Promise<FakeTarget> {
  fake = await startFakeTarget(behaviour);
  return fake;
}

export async function startRaw(
  onRequest: (socket: Socket, count: number) => void,
): Promise<RawTarget> {
  raw = await startRawTarget(onRequest);
  return raw;
}

/** Runs load on a target in this thread, by the native engine. */
export function load(
  target: FakeTarget | RawTarget | string,
  options: Partial<LoadOptions & RunContext> = {},
): Promise<LoadResult> {
  const profile = profileOf(target);
  return runLoad({
    ledger: 'none',
    profile,
    clock: unhurriedClock(systemClock()),
    findFaults: faultsButCores,
    seed: 1,
    placement: 'inline',
    warmup: '0',
    duration: '300ms',
    timeout: '10s',
    ...options,
  });
}

function profileOf(target: FakeTarget | RawTarget | string): RunContext['profile'] {
  if (typeof target === 'string') return rawProfile(target);
  return 'profile' in target ? target.profile : rawProfile(target.url);
}

/** Invariants of every run, whatever the target does and whichever engine sends. */
export function expectConsistent(result: LoadResult): void {
  const { achieved, latencyUs, statuses, errors } = result;
  const sum = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  expect(achieved.ok + achieved.failed).toBe(achieved.planned);
  expect(achieved.sent).toBeLessThanOrEqual(achieved.planned);
  expect(latencyUs.all?.count).toBe(achieved.planned);
  expect(latencyUs.response.count).toBe(achieved.ok);
  expect(latencyUs.service.count).toBe(achieved.ok);
  expect(sum(errors)).toBe(achieved.failed);
  expect(sum(statuses)).toBeLessThanOrEqual(achieved.sent);
  expect(result.series.reduce((total, { failed }) => total + failed, 0)).toBe(achieved.failed);
}
