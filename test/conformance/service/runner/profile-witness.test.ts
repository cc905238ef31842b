import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { type CheckServiceOptions, checkService } from '../../../../src/conformance/index.ts';
import { FareproofError } from '../../../../src/interface/errors.ts';
import {
  describeProfile,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../../../src/server/index.ts';
import { type Ledger, openLedger } from '../../../../src/spending/index.ts';
import { RUN, withVerdict } from '../../../independent-service/judge.ts';
import { runClock } from '../../../independent-service/run-clock.ts';
import { lockWorld } from '../../../support/lock-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const RULE = 'signature/valid-accepted';

async function open(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ controlPort: 0, clock: { now: () => NOON }, ...options });
  onTestFinished(() => server.close(0));
  return server;
}

type Options = CheckServiceOptions;

/** Judges a service by a control API, which may be that of another one. */
const judge = (
  server: RunningServer,
  { control, ...options }: Partial<Options> & { control?: Options['target']['control'] } = {},
) => {
  const target = describeProfile(server);
  return checkService({
    ...RUN,
    only: ['token/nostr-length'],
    clock: runClock(() => NOON),
    target: { ...target, control: control ?? target.control },
    ...options,
  });
};

const CONTROL_FAILED = {
  code: 'CONTROL_FAILED',
  message: expect.stringMatching(
    /^The target's control API failed: every token request of its partners was refused \(status 40\d\), and \S+ of the profile got a token/,
  ) as string,
};

it('a service is not accused for partners of a control API that is not its own', async () => {
  const [server, other] = await Promise.all([open(), open()]);
  const control = describeProfile(other).control;
  await expect(judge(server, { control })).rejects.toMatchObject(CONTROL_FAILED);
});

/** A control API whose clock is another one than that of its service. */
async function controlAt(time: string, { controlUrl, controlToken }: RunningServer) {
  let nowMs = Date.parse(time);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    if (url === '/clock') {
      nowMs += 1000 * ((JSON.parse(body) as { advanceSeconds?: number }).advanceSeconds ?? 0);
      response.end(JSON.stringify({ now: new Date(nowMs).toISOString() }));
      return;
    }
    const sent = { authorization: headers.authorization ?? '', 'content-type': 'application/json' };
    const right = await fetch(`${controlUrl}${url}`, { method, headers: sent, body });
    response.writeHead(right.status).end(await right.text());
  };
  const front = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void front.close());
  const { port } = front.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, token: controlToken ?? '' };
}

it('a service is not accused for a control API whose clock is not its own', async () => {
  const server = await open();
  const control = await controlAt('2026-01-31T09:00:00.000Z', server);
  await expect(judge(server, { control })).rejects.toMatchObject(CONTROL_FAILED);
});

it('a service that refuses the partners of its profile too has broken the rule', async () => {
  const server = await open({ faults: [RULE] });
  expect(withVerdict(await judge(server, { only: [RULE] }), 'fail')).toEqual([RULE]);
});

it('nothing is sent as a partner of the profile that cannot be recorded, and the run is judged', async () => {
  const [server, other] = await Promise.all([open(), open()]);
  const run = { control: describeProfile(other).control, only: [RULE] };
  const full = new FareproofError('LEDGER_NOT_WRITABLE', 'the disk is full');
  const unopened = await judge(server, {
    ...run,
    ledger: { open: () => Promise.reject(full) },
  });
  expect(withVerdict(unopened, 'fail')).toEqual([RULE]);
  const ledger: Ledger = {
    ...(await openLedger(`${temporaryFolder()}/ledger.jsonl`, lockWorld({ wall: () => NOON }))),
    spend: () => {
      throw full;
    },
  };
  const unspent = await judge(server, { ...run, ledger: { open: async () => ledger } });
  expect(unspent.exchanges.some(({ part }) => part?.check === 'profile-witness')).toBe(false);
});

it('the partner of the profile is in the ledger before it is sent, and sends nothing beyond an allowance', async () => {
  const [server, other] = await Promise.all([open(), open()]);
  const control = describeProfile(other).control;
  const path = `${temporaryFolder()}/ledger.jsonl`;
  const openIt = (): Promise<Ledger> => openLedger(path, lockWorld({ wall: () => NOON }));
  const run = { control, ledger: { open: openIt } };
  await expect(judge(server, run)).rejects.toMatchObject(CONTROL_FAILED);
  const spentOf = async (): Promise<number[]> => {
    const ledger = await openIt();
    const spent = server.partners.map(
      ({ id }) => ledger.spentOf(server.baseUrl, id, NOON).platform,
    );
    ledger.close();
    return spent;
  };
  const [first, ...others] = await spentOf();
  expect(first).toBe(1);
  expect(Math.max(...others)).toBe(0);
  const ledger = await openIt();
  for (const { id } of server.partners) ledger.ban(server.baseUrl, id, NOON + 3_600_000, NOON);
  ledger.close();
  await expect(judge(server, run)).resolves.toBeDefined();
  expect(await spentOf()).toEqual([first, ...others]);
});

it('a run that spares the profile sends nothing as its partners', async () => {
  const [server, other] = await Promise.all([open(), open()]);
  const run = { control: describeProfile(other).control, only: [RULE], sparesProfile: true };
  const spared = await judge(server, run);
  expect(withVerdict(spared, 'fail')).toEqual([RULE]);
  expect(spared.exchanges.some(({ part }) => part?.check === 'profile-witness')).toBe(false);
});
