import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FareproofError, type TargetProfile } from '../../../src/interface/index.ts';
import { type Allowance, type LoadOptions, runLoad, systemClock } from '../../../src/load/index.ts';
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

/** An allowance in memory; records the number of token requests at the time of each charge. */
class Purse implements Allowance {
  readonly taken: (readonly [what: string, sentBefore: number])[] = [];
  readonly refusals: string[] = [];
  readonly #most: number;
  readonly #codes: Set<string>;

  constructor(most: number, usedCodes: readonly string[] = []) {
    this.#most = most;
    this.#codes = new Set(usedCodes);
  }

  async left(partnerId: string, kind: string): Promise<number> {
    return this.#most - this.taken.filter(([what]) => what === `${partnerId} ${kind}`).length;
  }

  async spend(partnerId: string, kind: string): Promise<void> {
    if ((await this.left(partnerId, kind)) <= 0) {
      throw new FareproofError('ALLOWANCE_USED_UP', `nothing left of ${partnerId}`);
    }
    this.taken.push([`${partnerId} ${kind}`, fake.tokenRequests.length]);
  }

  async spendCode(partnerId: string, authCodes: readonly string[]): Promise<string> {
    const code = authCodes.find((one) => !this.#codes.has(one));
    if (code === undefined) throw new FareproofError('AUTH_CODES_USED_UP', 'no code left');
    await this.spend(partnerId, 'user');
    this.#codes.add(code);
    return code;
  }

  async refused(partnerId: string): Promise<void> {
    this.refusals.push(partnerId);
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

const run = (profile: TargetProfile, options: Partial<LoadOptions>) =>
  runLoad({
    profile,
    clock: unhurriedClock(systemClock()),
    seed: 1,
    placement: 'inline',
    warmupMs: 0,
    durationMs: 100,
    timeoutMs: 1000,
    rate: 50,
    ...options,
  });

const sentCodes = (): (string | undefined)[] =>
  fake.tokenRequests.map(({ auth_code }) => auth_code);

describe('the allowance of a run', { timeout: 120_000 }, () => {
  it('is charged before the token request is sent', async () => {
    const profile = await start();
    const allowance = new Purse(10);
    await run(profile, { allowance });
    expect(allowance.taken).toEqual([['p-100 platform', 0]]);
    expect(fake.tokenRequests).toHaveLength(1);
  });

  it('sends nothing once it is used up', async () => {
    const profile = await start();
    const started = run(profile, { allowance: new Purse(0) });
    await expect(started).rejects.toMatchObject({ code: 'ALLOWANCE_USED_UP' });
    expect(fake.tokenRequests).toHaveLength(0);
    expect(fake.paths).toHaveLength(0);
  });

  it('is charged for each refresh of the run, too', async () => {
    const profile = await start({ expiresInSeconds: 1 });
    const allowance = new Purse(10);
    await run(profile, { allowance, durationMs: 1800 });
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
    const started = run(profile, { allowance, durationMs: 3000 });
    await expect(started).rejects.toMatchObject({ code: 'TOKEN_TOO_SHORT' });
    expect(fake.paths).toHaveLength(0);
  });

  it('of a user skips codes that were sent before, also the sixth and the seventh', async () => {
    const profile = await start();
    await run(profile, {
      identity: 'user',
      allowance: new Purse(5, ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']),
    });
    expect(sentCodes()).toEqual(['c7']);
  });

  it('of a user is charged for each refused code, and never exceeded', async () => {
    const profile = await start({ tokenStatus: 400 });
    const allowance = new Purse(3);
    const started = run(profile, { identity: 'user', allowance });
    await expect(started).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
    expect(sentCodes()).toEqual(['c1', 'c2', 'c3']);
    await expect(run(profile, { identity: 'user', allowance })).rejects.toMatchObject({
      code: 'ALLOWANCE_USED_UP',
    });
    expect(sentCodes()).toEqual(['c1', 'c2', 'c3']);
  });

  it('of a user without a ledger tries no more codes than a day allows', async () => {
    const profile = await start({ tokenStatus: 400 });
    await expect(run(profile, { identity: 'user' })).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
    });
    expect(sentCodes()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
  });

  it('uses another partner if one has nothing left', async () => {
    const profile = await start({}, ['p-1', 'p-2']);
    const allowance = new Purse(1);
    expect((await run(profile, { allowance })).workload.partnerId).toBe('p-1');
    expect((await run(profile, { allowance })).workload.partnerId).toBe('p-2');
    expect(new Set(fake.authorizations)).toEqual(
      new Set(['Bearer p-1|token-1', 'Bearer p-2|token-2']),
    );
    await expect(run(profile, { allowance })).rejects.toThrow('nothing left of p-1');
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
      const { workload } = await run(metered, { identity, allowance });
      expect(workload.partnerId).toBe('p-f');
      const made = ['POST /partners Bearer t'];
      expect(calls).toEqual(identity === 'user' ? [...made, 'POST /auth-codes Bearer t'] : made);
      expect(sentCodes()).toEqual([identity === 'user' ? 'fresh-code' : undefined]);
    },
  );

  it('reports an error of the control API', async () => {
    const profile = await start();
    const metered = { ...profile, control: { url: fake.profile.baseUrl } };
    const started = run(metered, { allowance: new Purse(0) });
    await expect(started).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });
});
