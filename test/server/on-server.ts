import type { BehaviourInput } from '../../src/interface/index.ts';
import type { RunningServer } from '../../src/server/index.ts';
import { startServer } from '../../src/server/index.ts';
import { Caller, frozen, type Reply } from './caller.ts';

/** Acts on a server with that behaviour, as a fresh partner. */
export async function withServer(
  behaviour: BehaviourInput,
  act: (caller: Caller, server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await startServer({ controlPort: 0, clock: frozen, behaviour });
  try {
    await act(await Caller.fresh(server), server);
  } finally {
    await server.close(0);
  }
}

/** The status of one request on a server with that behaviour and a fresh partner. */
export async function statusOf(
  behaviour: BehaviourInput,
  act: (caller: Caller, server: RunningServer) => Promise<Reply>,
): Promise<number> {
  let status = 0;
  await withServer(behaviour, async (caller, server) => {
    ({ status } = await act(caller, server));
  });
  return status;
}

export async function tokenOf(caller: Caller): Promise<string> {
  return (await caller.platform()).body.access_token;
}

export async function userTokenOf(caller: Caller): Promise<string> {
  return (await caller.user()).body.access_token;
}

export const stamped = (_: string) => (caller: Caller) => caller.platform({ _ });

export const asked = (query: Record<string, string>) => async (caller: Caller) =>
  caller.estimate(await tokenOf(caller), { query });

/** Sends more platform token requests than a day allows. */
export async function exceed(caller: Caller): Promise<void> {
  for (let sent = 0; sent < 11; sent++) await caller.platform();
}
