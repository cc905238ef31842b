import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readProfileFile } from '../../../src/app/files/profile.ts';
import { KnownSecrets } from '../../../src/app/known-secrets.ts';
import { runCommandLine } from '../../../src/cli/main.ts';
import { type FaultId, startServer } from '../../../src/server/index.ts';
import { capturedIo, runCaptured } from '../../support/captured-io.ts';
import { CLOSED_ADDRESS } from '../../support/closed-address.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KEY = 'signing-key-of-demo';
const ENV = { FAREPROOF_PARTNER_ID: 'demo', FAREPROOF_SIGNING_KEY: KEY };

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

async function serve(...faults: FaultId[]): Promise<string> {
  const server = await startServer({ faults });
  onTestFinished(() => server.close(0));
  return server.baseUrl;
}

/** Runs `init --from`, on a terminal if something is typed. */
async function initFrom(
  address: string,
  env: Record<string, string>,
  typed?: string,
  flags: readonly string[] = [],
) {
  const { io, captured } = capturedIo({ cwd, env });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  if (typed !== undefined) stdin.end(typed);
  const terminal = typed === undefined ? {} : { stdin, interactive: true };
  const exitCode = await runCommandLine(['init', '--from', address, ...flags], {
    ...io,
    ...terminal,
  });
  return { exitCode, ...captured };
}

const written = (name: string): string => readFileSync(join(cwd, name), 'utf8');

const profile = (env: Record<string, string> = ENV) =>
  readProfileFile('target.yaml', { cwd, env, secrets: new KnownSecrets() });

describe('fareproof init --from', () => {
  it('writes the profile of a service, with the shapes that it answers and no secret', async () => {
    const address = await serve('estimate/express-car');
    const env = { ...ENV, FAREPROOF_AUTH_CODE: 'code-of-demo', FAREPROOF_ACCESS_TOKEN: '' };
    const { exitCode, stdout, stderr } = await initFrom(address, env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'The service answers the shapes plain; no response for express, carpoolSeats, carpoolNoSeats.',
    );
    const { baseUrl, partners, estimates } = await profile(env);
    expect(baseUrl).toBe(address);
    expect(partners).toMatchObject([{ id: 'demo', signingKey: KEY, authCodes: ['code-of-demo'] }]);
    expect(Object.keys(estimates)).toEqual(['plain']);
    for (const text of [stdout, stderr, written('target.yaml'), written('suite.yaml')])
      expect(text).not.toMatch(/signing-key-of-demo|code-of-demo/);
    const spent = written('.state/fareproof/ledger.jsonl').match(/"platform"/g);
    expect(spent).toHaveLength(1);
  });

  it('spends by the ledger that is named', async () => {
    await initFrom(await serve(), ENV, undefined, ['--ledger', 'own.jsonl']);
    expect(written('own.jsonl').match(/"platform"/g)).toHaveLength(1);
  });

  it('asks on a terminal for what the environment lacks, and shows no key', async () => {
    const address = await serve();
    const { exitCode, stdout, stderr } = await initFrom(address, {}, `demo\n${KEY}\n`);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^Partner id: \nSigning key \(not shown, not written\): \n/);
    expect(`${stdout}${stderr}${written('target.yaml')}`).not.toContain(KEY);
    const { partners, estimates } = await profile();
    expect(partners).toMatchObject([{ id: 'demo', signingKey: KEY }]);
    expect(Object.keys(estimates)).toEqual(['plain', 'express', 'carpoolSeats', 'carpoolNoSeats']);
  });

  it('asks for an auth code, and shows what the next command needs', async () => {
    const address = await serve();
    const typed = await initFrom(address, {}, `demo\n${KEY}\ncode-of-demo\n`);
    expect(typed.stderr).toMatch(
      /^Auth code of a user, .*\(not shown, not written; Enter for none\): $/m,
    );
    expect(typed.stdout).toContain(
      [
        'Continue with:',
        '',
        '  export FAREPROOF_SIGNING_KEY=...   # the signing key of partner demo',
        '  export FAREPROOF_AUTH_CODE=...   # an auth code of one of its users',
        '  fareproof check --target target.yaml --suite suite.yaml --plan',
        '',
      ].join('\n'),
    );
    expect(`${typed.stdout}${typed.stderr}${written('target.yaml')}`).not.toContain('code-of-demo');
    const env = { ...ENV, FAREPROOF_AUTH_CODE: 'code-of-demo' };
    expect((await profile(env)).partners).toMatchObject([{ authCodes: ['code-of-demo'] }]);
    const plan = ['check', '--target', 'target.yaml', '--suite', 'suite.yaml', '--plan'];
    expect((await runCaptured(plan, { cwd, env })).exitCode).toBe(0);
  });

  it('needs nothing more where all is set, and no code where none is typed', async () => {
    const address = await serve();
    const { stdout } = await initFrom(address, ENV, '\n');
    expect(stdout).toContain('Continue with:\n\n  fareproof check --target target.yaml');
    expect((await profile()).partners).toMatchObject([{ authCodes: [] }]);
  });

  it.each([
    ['elsewhere', undefined],
    ['when the input ends', 'demo\n'],
  ])('is wrong usage without a key %s, and sends nothing', async (_, typed) => {
    const { exitCode, stderr } = await initFrom(CLOSED_ADDRESS, {}, typed);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error ENVIRONMENT_MISSING');
  });

  it('says why a service accepts nothing, and that the shapes are a guess', async () => {
    const env = { ...ENV, FAREPROOF_SIGNING_KEY: 'another-key' };
    const { exitCode, stdout } = await initFrom(await serve(), env);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('the shapes in the profile are a guess.');
    expect(stdout).toContain('The target refuses every well-formed token request of demo.');
    expect(Object.keys((await profile()).estimates)).toEqual(['plain', 'express']);
  });

  it('writes nothing for a service that does not answer', async () => {
    const { exitCode, stderr } = await initFrom(CLOSED_ADDRESS, ENV);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('error TARGET_UNREACHABLE');
    expect(() => written('target.yaml')).toThrow('ENOENT');
  });
});
