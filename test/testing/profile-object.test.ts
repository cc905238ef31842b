import { describe, expect, it } from 'vitest';
import { checkService, runLoad, startServer, type Target } from '../../src/index.ts';
import { type TargetProfileInput, targetProfileSchema } from '../../src/interface/index.ts';
import { assertConforms, assertHoldsLoad } from '../../src/testing/matchers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PARTNER = { id: 'p-1', signingKey: 'a key of nobody' };

/** The least that a profile can have; load needs a query too. */
const PROFILE = {
  name: 'mine',
  baseUrl: 'https://127.0.0.1:1',
  partners: [PARTNER],
  estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
} satisfies TargetProfileInput;

/** Does something with the profile of a server with one partner; it is expected not to throw. */
async function expectTaken(act: (profile: TargetProfileInput) => Promise<unknown>): Promise<void> {
  const server = await startServer({ partners: [PARTNER] });
  try {
    await act({ ...PROFILE, baseUrl: `${server.baseUrl}/` });
  } finally {
    await server.close(0);
  }
}

const LOAD = { duration: '50ms', warmup: 0, connections: 1, ledger: 'none' as const };

/** Each function that takes a profile as an object. */
const DOORS: Readonly<Record<string, (profile: TargetProfileInput) => Promise<unknown>>> = {
  checkService: async (target) => {
    const { summary } = await checkService({
      target,
      rules: 'token/nostr-required',
      ledger: 'none',
    });
    expect(summary.pass).toBe(1);
  },
  'checkService with a suite': async (target) => {
    const suite = { name: 'mine', rules: { include: ['token/nostr-required'] } };
    expect(await checkService({ target, suite, ledger: 'none' })).toMatchObject({
      target: { name: 'mine', environment: 'production' },
      summary: { pass: 1 },
    });
  },
  runLoad: async (target) => {
    const document = await runLoad({ ...LOAD, target });
    expect(document.target).toMatchObject({ name: 'mine', environment: 'production' });
  },
  assertConforms: (profile) =>
    assertConforms(profile, { rules: 'token/nostr-required', ledger: 'none' }),
  assertHoldsLoad: (profile) =>
    assertHoldsLoad(profile, {
      connections: 1,
      duration: '50ms',
      warmup: '0s',
      thresholds: ['errors<100%'],
      ledger: 'none',
    }).catch((error: { code?: string }) => {
      // So short a run may say nothing about the service, or be over before an answer comes.
      if (error.code !== 'LOAD_INVALID' && error.code !== 'ERR_ASSERTION') throw error;
    }),
};

describe.each(Object.entries(DOORS))('%s', (_, door) => {
  it('takes a profile with all that has a default left out', async () => {
    await expectTaken(door);
  });

  it('names the field of a profile that is wrong', async () => {
    const { signingKey: _key, ...keyless } = PARTNER;
    const wrong = { ...PROFILE, partners: [keyless], color: 'red' };
    await expect(door(wrong as unknown as TargetProfileInput)).rejects.toMatchObject({
      code: 'PROFILE_INVALID',
      message: expect.stringMatching(
        /partners\[0\]\.signingKey: is missing.*unknown key; known are name, baseUrl/s,
      ),
    });
  });

  it('reads the certificates that a profile names', async () => {
    const ca = `${temporaryFolder()}/none.pem`;
    await expect(door({ ...PROFILE, ca })).rejects.toMatchObject({
      code: 'CERTIFICATE_NOT_READ',
      message: expect.stringContaining(`ca: ${ca}`),
    });
  });
});

it('a server says which field of its partners is wrong', async () => {
  const partners = [{ id: 'p|1', signingKey: 'k' }];
  await expect(startServer({ partners })).rejects.toMatchObject({
    code: 'PARTNERS_INVALID',
    message: expect.stringContaining('partners[0].id: must hold no | and no space'),
  });
});

it.each([[null], [7], [[]]])('%j is no service', async (subject) => {
  await expect(assertConforms(subject as unknown as Target)).rejects.toMatchObject({
    code: 'TARGET_INVALID',
  });
});

it('a profile that was read stays as it is when it is read again', () => {
  const profile = targetProfileSchema.parse({
    ...PROFILE,
    baseUrl: 'http://127.0.0.1:1/api/',
    estimates: { plain: { seats: 2 } },
  });
  expect(targetProfileSchema.parse(profile)).toEqual(profile);
});
