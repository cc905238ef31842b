import { describe, expect } from 'vitest';
import { describeProfile, startServer } from '../../src/server/index.ts';
import { assertConforms, assertHoldsLoad } from '../../src/testing/matchers.ts';
import { serviceTest } from '../../src/testing/vitest.ts';
import { CLOSED_ADDRESS } from '../support/closed-address.ts';

const sound = serviceTest();
const faulty = serviceTest({ faults: ['token/nostr-required'] });

describe('toConform', () => {
  sound('passes for a service that keeps the rules', async ({ service }) => {
    await expect(service).toConform({ rules: 'token/nostr-*' });
    await assertConforms(describeProfile(service), { rules: ['token/nostr-required'] });
  });

  faulty('fails for one that breaks a rule, and says which', async ({ service }) => {
    await expect(service).not.toConform({ rules: 'token/nostr-required' });
    const broken = /to conform; it broke 1 of 1 rules:\n {2}token\/nostr-required: \S/;
    await expect(expect(service).toConform({ rules: 'token/nostr-required' })).rejects.toThrow(
      broken,
    );
    await expect(assertConforms(service, { rules: 'token/nostr-required' })).rejects.toMatchObject({
      name: 'AssertionError',
      message: expect.stringMatching(broken),
    });
  });

  sound('says why nothing could be judged of a service with another key', async ({ service }) => {
    const profile = describeProfile(service);
    const [partner] = profile.partners;
    const wrong = {
      ...profile,
      control: undefined,
      partners: [{ ...partner!, signingKey: 'another key' }],
    };
    const judged = expect(wrong).toConform({ rules: 'token/*', ledger: 'none' });
    await expect(judged).rejects.toMatchObject({
      code: 'NOT_JUDGED',
      message: expect.stringMatching(
        /diagnosis: The target refuses every well-formed token request of \S+\..* Check partner id, signingKey.*no well-formed token request was accepted/s,
      ),
    });
  });

  sound('says that a service passed which should not', async ({ service }) => {
    const passed = expect(service).not.toConform({ rules: 'token/nostr-required' });
    await expect(passed).rejects.toThrow('not to conform; it passed all 1 rules');
  });

  sound('neither passes nor fails if nothing could be judged', async ({ service }) => {
    const gone = { ...describeProfile(service), baseUrl: CLOSED_ADDRESS, control: undefined };
    await expect(expect(gone).not.toConform()).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
    });
    // Without a control API and without a partner that may be banned, this rule cannot be judged.
    const metered = {
      ...describeProfile(service),
      control: undefined,
      partners: [service.partners[0]!],
    };
    const banned = { rules: 'quota/ban-lasts-24h' };
    const notJudged = {
      code: 'NOT_JUDGED',
      message: expect.stringMatching(/ {2}quota\/ban-lasts-24h: .* → .*spendable/),
    };
    await expect(expect(metered).toConform(banned)).rejects.toMatchObject(notJudged);
    await expect(expect(metered).not.toConform(banned)).rejects.toMatchObject(notJudged);
    await expect(expect(7).not.toConform()).rejects.toMatchObject({
      code: 'TARGET_INVALID',
    });
    await expect(expect(service).toConform({ rules: 'no/such' })).rejects.toMatchObject({
      code: 'RULE_UNKNOWN',
    });
  });
});

const SHORT = { connections: 1, duration: '200ms', warmup: '0s' } as const;

describe('toHoldLoad', () => {
  sound('is about the thresholds', async ({ service }) => {
    const never = { ...SHORT, thresholds: 'max<1us' };
    const outcome = await assertHoldsLoad(service, never).catch((error: unknown) => error);
    // On a busy machine the run may be invalid, which is neither.
    expect(String(outcome)).toMatch(
      /max<1us: not held, observed [\d.]+ (µs|ms)|LOAD_INVALID|says nothing/,
    );
  });

  sound('is not about a load that was interrupted', async ({ service }) => {
    // Long enough for a run of that length to hold.
    const signal = AbortSignal.timeout(1_500);
    const cut = { rate: 50, duration: '20s', warmup: 0, thresholds: 'errors<100%', signal };
    await expect(assertHoldsLoad(service, cut)).rejects.toMatchObject({
      code: 'LOAD_INVALID',
      message: expect.stringContaining('says nothing about it: ') as string,
    });
  });

  sound('names a wrong option as the library does', async ({ service }) => {
    await expect(expect(service).toHoldLoad({ rate: -1 })).rejects.toMatchObject({
      field: 'rate',
      message: 'rate: give requests per second above 0 and at most 10,000,000.',
    });
  });

  sound('needs permission beyond loopback', async ({ service }) => {
    const far = { ...describeProfile(service), baseUrl: 'https://fares.example' };
    await expect(expect(far).toHoldLoad(SHORT)).rejects.toMatchObject({
      code: 'LOAD_NOT_PERMITTED',
    });
  });
});

describe('the fixture', () => {
  let address = '';
  sound('starts a server for the test', async ({ service }) => {
    address = service.baseUrl;
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  sound('closes it afterwards', async () => {
    await expect(fetch(`${address}/healthz`)).rejects.toThrow('fetch failed');
    const again = await startServer();
    await again.close(0);
  });
});
