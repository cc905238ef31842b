import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { TargetProfile } from '../../../src/interface/index.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../src/interface/limits.ts';
import {
  type LoadOptions,
  type RunContext,
  runLoad,
  systemClock,
} from '../../../src/load/index.ts';
import { type Ledger, type LedgerSource, memoryLedger } from '../../../src/spending/index.ts';
import { openedLedger } from '../../support/lock-world.ts';
import { unhurriedClock } from '../../support/unhurried-clock.ts';
import { type FakeBehaviour, type FakeTarget, startFakeTarget } from '../fake-target.ts';

let fake: FakeTarget;
let control: Server | undefined;
afterEach(async () => {
  await fake.close();
  control?.closeAllConnections();
  await new Promise((resolve) => (control ? control.close(resolve) : resolve(null)));
  control = undefined;
});

/** A ledger in memory; records the number of token requests at the time of each charge. */
class Purse {
  readonly taken: (readonly [what: string, sentBefore: number])[] = [];
  readonly source: LedgerSource;

  /** @param most requests of each kind that a partner has left, up to those of a day */
  constructor(most: number, usedCodes: readonly string[] = []) {
    const ledger = memoryLedger();
    for (const partner of ['p-100', 'p-1', 'p-2']) {
      for (const kind of ALLOWANCE_KINDS)
        for (let left = ALLOWANCE_PER_DAY[kind]; left > most; left--)
          ledger.spend('', partner, [kind], Date.now());
      for (const code of usedCodes) ledger.useCode('', partner, code, Date.now());
    }
    const spend: Ledger['spend'] = (target, partner, kinds, atMs) => {
      ledger.spend(target, partner, kinds, atMs);
      this.taken.push([`${partner} ${kinds.join()}`, fake.tokenRequests.length]);
    };
    this.source = openedLedger({ ...ledger, spend });
  }
}

async function start(
  behaviour: FakeBehaviour = {},
  partners: readonly string[] = ['p-100'],
): Promise<TargetProfile> {
  fake = await startFakeTarget(behaviour);
  const authCodes = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
  return {
    ...fake.profile,
    partners: partners.map((id) => ({ id, signingKey: 'key', use: 'general', authCodes })),
  };
}

const run = (profile: TargetProfile, options: Partial<LoadOptions & RunContext>) =>
  runLoad({
    ledger: 'none',
    profile,
    clock: unhurriedClock(systemClock()),
    seed: 1,
    placement: 'inline',
    warmup: '0',
    duration: '100ms',
    timeout: '1s',
    rate: 50,
    ...options,
  });

const sentCodes = (): (string | undefined)[] =>
  fake.tokenRequests.map(({ auth_code }) => auth_code);

describe('the allowance of a run', () => {
  it('is charged before the token request is sent', async () => {
    const profile = await start();
    const allowance = new Purse(10);
    await run(profile, { ledger: allowance.source });
    expect(allowance.taken).toEqual([['p-100 platform', 0]]);
    expect(fake.tokenRequests).toHaveLength(1);
  });

  it('sends nothing once it is used up', async () => {
    const profile = await start();
    const started = run(profile, { ledger: new Purse(0).source });
    await expect(started).rejects.toMatchObject({ code: 'ALLOWANCE_USED_UP' });
    expect(fake.tokenRequests).toHaveLength(0);
    expect(fake.paths).toHaveLength(0);
  });

  it('is charged for each refresh of the run, too', { tags: ['long'] }, async () => {
    const profile = await start({ expiresInSeconds: 1 });
    const allowance = new Purse(10);
    await run(profile, { ledger: allowance.source, duration: '1800ms' });
    const refreshes = fake.tokenRequests.length - 1;
    expect(refreshes).toBeGreaterThan(0);
    expect(allowance.taken).toEqual([
      ['p-100 platform', 0],
      ...Array.from({ length: refreshes }, (_, index) => ['p-100 refresh', index + 1]),
    ]);
  });

  it('without a refresh left ends the run before it begins', async () => {
    const profile = await start({ expiresInSeconds: 1 });
    const allowance = new Purse(1);
    const started = run(profile, { ledger: allowance.source, duration: '3s' });
    await expect(started).rejects.toMatchObject({ code: 'TOKEN_TOO_SHORT' });
    expect(fake.paths).toHaveLength(0);
  });

  it('of a user skips codes that were sent before, also the sixth and the seventh', async () => {
    const profile = await start();
    await run(profile, {
      as: 'user',
      ledger: new Purse(5, ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']).source,
    });
    expect(sentCodes()).toEqual(['c7']);
  });

  it('of a user is charged for each refused code, and never exceeded', async () => {
    const profile = await start({ tokenStatus: 400 });
    const allowance = new Purse(3);
    const started = run(profile, { as: 'user', ledger: allowance.source });
    await expect(started).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
    expect(sentCodes()).toEqual(['c1', 'c2', 'c3']);
    await expect(run(profile, { as: 'user', ledger: allowance.source })).rejects.toMatchObject({
      code: 'ALLOWANCE_USED_UP',
    });
    expect(sentCodes()).toEqual(['c1', 'c2', 'c3']);
  });

  it('of a user without a ledger tries no more codes than a day allows', async () => {
    const profile = await start({ tokenStatus: 400 });
    await expect(run(profile, { as: 'user', ledger: 'none' })).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
    });
    expect(sentCodes()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
  });

  it('uses another partner if one has nothing left', async () => {
    const profile = await start({}, ['p-1', 'p-2']);
    const allowance = new Purse(1);
    expect((await run(profile, { ledger: allowance.source })).workload.partnerId).toBe('p-1');
    expect((await run(profile, { ledger: allowance.source })).workload.partnerId).toBe('p-2');
    expect(new Set(fake.authorizations)).toEqual(
      new Set(['Bearer p-1|token-1', 'Bearer p-2|token-2']),
    );
    await expect(run(profile, { ledger: allowance.source })).rejects.toThrow(
      'of partner p-1 was not sent',
    );
  });

  it.each(['platform', 'user'] as const)(
    'lets a fresh partner of the control API do where none has anything left: %s',
    async (identity) => {
      const profile = await start();
      const calls: string[] = [];
      control = createServer((request, response) => {
        calls.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        const isCode = request.url === '/auth-codes';
        const made = isCode ? { authCode: 'fresh-code' } : { partnerId: 'p-f', signingKey: 'k' };
        response.writeHead(201).end(JSON.stringify(made));
      });
      const listening = control;
      await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
      const allowance = new Purse(0);
      const metered = { ...profile, control: { url, token: 't' } };
      const { workload } = await run(metered, { as: identity, ledger: allowance.source });
      expect(workload.partnerId).toBe('p-f');
      const made = ['POST /partners Bearer t'];
      expect(calls).toEqual(identity === 'user' ? [...made, 'POST /auth-codes Bearer t'] : made);
      expect(sentCodes()).toEqual([identity === 'user' ? 'fresh-code' : undefined]);
    },
  );

  it('reports an error of the control API', async () => {
    const profile = await start();
    const metered = { ...profile, control: { url: fake.profile.baseUrl } };
    const started = run(metered, { ledger: new Purse(0).source });
    await expect(started).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });
});
