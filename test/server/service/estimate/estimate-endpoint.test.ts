import { afterEach, expect, it } from 'vitest';
import type { BehaviourInput } from '../../../../src/interface/index.ts';
import { type RunningServer, startServer } from '../../../../src/server/index.ts';
import { Caller, frozen, NOON } from '../../caller.ts';
import { tokenOf, userTokenOf } from '../../on-server.ts';

let server: RunningServer | undefined;
afterEach(() => server?.close(0));

/** A fresh partner of a server that answers every estimate by its endpoint. */
async function start(behaviour: BehaviourInput = {}): Promise<Caller> {
  server = await startServer({ controlPort: 0, clock: frozen, behaviour, fastPath: false });
  return Caller.fresh(server);
}

it('is for the departure, or for now', async () => {
  const caller = await start();
  const priceAt = async (departureS: number | null): Promise<number> => {
    const query = departureS === null ? {} : { departure_time: String(departureS) };
    // A token of before would have expired once the clock was moved.
    const { status, body } = await caller.estimate(await tokenOf(caller), { query });
    expect(status).toBe(200);
    return body[0]?.estimate_price as number;
  };
  const now = await priceAt(null);
  expect(await priceAt(NOON / 1000)).toBe(now);
  // Not at a third of a day, which is the same second by microseconds.
  const morningS = NOON / 1000 - 4.5 * 3600;
  expect(await priceAt(morningS)).not.toBe(now);
  server?.clock.advance(19.5 * 3600);
  expect(await priceAt(null)).toBe(await priceAt(morningS));
});

it.each([
  ['accepted', 200],
  ['refused', 401],
] as const)("with a user's token in the platform's header is %s", async (header, status) => {
  const caller = await start({ 'user-token-platform-header': header });
  expect((await caller.estimate(await userTokenOf(caller))).status).toBe(status);
});

it('needs a Content-Type only where the gap says so', async () => {
  const without = { contentType: null };
  const lenient = await start({ 'estimate-content-type-required': 'no' });
  expect((await lenient.estimate(await tokenOf(lenient), without)).status).toBe(200);
  await server?.close(0);
  const strict = await start({ 'estimate-content-type-required': 'yes' });
  const token = await tokenOf(strict);
  expect((await strict.estimate(token)).status).toBe(200);
  const { status, body } = await strict.estimate(token, without);
  expect({ status, field: body.error.field }).toEqual({ status: 400, field: 'Content-Type' });
});
