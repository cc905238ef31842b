import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProfile } from '../../../src/app/files/profile.ts';
import { KnownSecrets } from '../../../src/app/known-secrets.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PARTNER = { FAREPROOF_PARTNER_ID: 'p', FAREPROOF_SIGNING_KEY: 'the-key' };

const read = (address: string, env: Record<string, string>, secrets = new KnownSecrets()) =>
  readProfile(address, { cwd: '/', env, secrets });

describe('an address in place of a profile', () => {
  it('has a partner from the environment, and everything else at its default', async () => {
    const secrets = new KnownSecrets();
    const profile = await read('https://rides.example.test/api/', PARTNER, secrets);
    expect(profile).toMatchObject({
      name: 'rides.example.test',
      baseUrl: 'https://rides.example.test/api',
      environment: 'production',
      partners: [{ id: 'p', signingKey: 'the-key', use: 'general', authCodes: [] }],
      signature: { tokenFields: 'all', estimateFields: 'all' },
    });
    expect(profile.local).toBeUndefined();
    expect(secrets.hideIn('of the-key')).not.toContain('the-key');
    const more = { FAREPROOF_AUTH_CODE: 'c', FAREPROOF_ACCESS_TOKEN: 't' };
    const { partners } = await read('http://127.0.0.1:1', { ...PARTNER, ...more });
    expect(partners).toMatchObject([{ authCodes: ['c'], accessToken: 't' }]);
  });

  it.each([
    ['no partner', {}, 'FAREPROOF_PARTNER_ID is not set'],
    ['no key', { FAREPROOF_PARTNER_ID: 'p' }, 'FAREPROOF_SIGNING_KEY is not set'],
    ['an empty key', { ...PARTNER, FAREPROOF_SIGNING_KEY: '' }, 'FAREPROOF_SIGNING_KEY is not'],
  ])('with %s in the environment is wrong configuration', async (_, env, message) => {
    await expect(read('http://127.0.0.1:1', env)).rejects.toMatchObject({
      code: 'ENVIRONMENT_MISSING',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['http://user:secret-of-url@host', 'must not contain a user or password'],
    ['http://', 'must be an http or https URL'],
    ['https://host/?q', 'must end with its path'],
  ])('%s is refused, without a secret in it', async (address, message) => {
    const given = { cwd: temporaryFolder(), env: PARTNER };
    for (const command of ['check', 'load']) {
      const { exitCode, stderr } = await runCaptured([command, '--target', address], given);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain('secret-of-url');
    }
  });
});

it('a profile whose key is an empty variable is refused, as a job without its secret has it', async () => {
  const cwd = temporaryFolder();
  const partners = [{ id: 'p', signingKey: '${KEY}' }];
  const profile = { name: 'mine', baseUrl: 'http://127.0.0.1:1', partners };
  writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(profile));
  const args = ['check', '--target', 'target.yaml'];
  const { exitCode, stderr } = await runCaptured(args, { cwd, env: { KEY: '' } });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/target\.yaml.*partners\[0\]\.signingKey.*is empty/s);
});
