import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { requireMd5 } from '../../src/interface/signature.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/fareproof.js', import.meta.url));

/** Makes a process without MD5, as Node.js is in FIPS mode: a module that is loaded first. */
const WITHOUT_MD5 = `
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
for (const name of ['hash', 'createHash']) {
  const whole = crypto[name];
  crypto[name] = (algorithm, ...rest) => {
    if (algorithm === 'md5') throw new Error('error:0308010C:digital envelope routines::unsupported');
    return whole(algorithm, ...rest);
  };
}
syncBuiltinESMExports();
`;

/** Runs the command in a process without MD5. */
function run(args: readonly string[]): Promise<{ code: unknown; text: string }> {
  const first = `data:text/javascript,${encodeURIComponent(WITHOUT_MD5)}`;
  return new Promise((resolve) => {
    const env = { ...process.env, FAREPROOF_SIGNING_KEY: 'secret' };
    const options = { env, timeout: 60_000 };
    const child = execFile(
      process.execPath,
      ['--import', first, LAUNCHER, ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    );
    child.stdin?.end('{"nostr":"a1B2c3"}');
  });
}

it.each([
  [['serve', '--port', '0']],
  [['check']],
  [['certify', '--', 'true']],
  [['load', '--duration', '1s']],
  [['sign']],
])('%j without MD5 says so, with exit code 2', { timeout: 90_000 }, async (args) => {
  const { code, text } = await run(args);
  expect(text).toContain('error MD5_MISSING: this Node.js has no MD5');
  expect([code, text.includes('bug')]).toEqual([2, false]);
});

it('what needs no signature runs without MD5', async () => {
  expect((await run(['rules', '--json'])).code).toBe(0);
});

it('is asked of the digests of the machine', () => {
  expect(() => requireMd5()).not.toThrow();
  const unsupported = (): never => {
    throw new Error('unsupported');
  };
  expect(() => requireMd5(unsupported)).toThrow(expect.objectContaining({ code: 'MD5_MISSING' }));
});
