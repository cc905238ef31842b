import { expect, it, onTestFinished } from 'vitest';
import { type FaultId, startServer } from '../../../src/server/index.ts';
import { Caller, NOON } from '../caller.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A partner of a server with a fault, and its clock. */
async function partnerOf(fault: string): Promise<{ caller: Caller; wait: (ms: number) => void }> {
  let nowMs = NOON;
  const clock = { now: () => nowMs };
  const server = await startServer({ controlPort: 0, clock, faults: [fault as FaultId] });
  onTestFinished(() => server.close(0));
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { caller: await Caller.fresh(server), wait };
}

it.each([
  ['an-hour-after-issue', HOUR_MS],
  ['a-day', DAY_MS],
  ['a-week', 7 * DAY_MS],
  ['thirty-days', 30 * DAY_MS],
  ['ninety-days', 90 * DAY_MS],
  ['a-year', 366 * DAY_MS],
])('a refresh_token that dies after %s lives until then', async (form, lifeMs) => {
  const { caller, wait } = await partnerOf(`lifecycle/refresh-never-expires#${form}`);
  const first = (await caller.platform()).body.refresh_token;
  wait(lifeMs);
  const { status, body } = await caller.refresh(first);
  expect(status).toBe(200);
  wait(lifeMs + 1);
  expect((await caller.refresh(body.refresh_token)).status).not.toBe(200);
});

it.each([
  ['at-once', [9999], [10_000]],
  ['after-a-minute', [MINUTE_MS + 1], [MINUTE_MS]],
  ['after-an-hour', [HOUR_MS + 1], [HOUR_MS]],
  ['after-a-day', [DAY_MS + 1], [DAY_MS]],
  ['twice', [0], [0, 0]],
])('a used refresh_token that passes %s is refused otherwise', async (form, passes, fails) => {
  const { caller, wait } = await partnerOf(`lifecycle/refresh-single-use#${form}`);
  const statusAfter = async (waits: readonly number[]): Promise<number> => {
    const first = (await caller.platform()).body.refresh_token;
    let { status } = await caller.refresh(first);
    for (const ms of waits) {
      wait(ms);
      ({ status } = await caller.refresh(first));
    }
    return status;
  };
  expect(await statusAfter(passes)).toBe(200);
  expect(await statusAfter(fails)).not.toBe(200);
});

it('a refresh that gives the old refresh_token again gives each first token one of its own', async () => {
  const { caller } = await partnerOf('lifecycle/refresh-rotates#refresh-token');
  const [first, other] = [await caller.platform(), await caller.platform()];
  const refreshed = await caller.refresh(first.body.refresh_token);
  expect(refreshed.body.refresh_token).toBe(first.body.refresh_token);
  expect(first.body.refresh_token).toMatch(/./);
  expect(other.body.refresh_token).not.toBe(first.body.refresh_token);
});
