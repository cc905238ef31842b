import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCaptured } from '../../../support/captured-io.ts';

const env = { FAREPROOF_SIGNING_KEY: '8f14e45fceea167a5a36dedd4bea2543' };
const sign = (pairs: unknown, ...args: string[]) =>
  runCaptured(['sign', ...args], { stdin: JSON.stringify(pairs), env });

interface Vector {
  name: string;
  pairs: Record<string, unknown>;
  signingKey: unknown;
  expect: object | null;
}
const vectors = JSON.parse(
  readFileSync(new URL('../../../vectors/signature.json', import.meta.url), 'utf8'),
) as Vector[];

describe('fareproof sign', () => {
  const textKeys = vectors.filter(({ signingKey }) => typeof signingKey === 'string');
  it.each(textKeys.map((vector) => [vector.name, vector] as const))(
    '--json: %s',
    async (_, vector) => {
      const { stdout, exitCode } = await runCaptured(['sign', '--json'], {
        stdin: JSON.stringify(vector.pairs),
        env: { FAREPROOF_SIGNING_KEY: vector.signingKey as string },
      });
      const none = { canonical: null, innerMd5: null, signature: null };
      expect(JSON.parse(stdout)).toEqual(vector.expect ?? none);
      expect(exitCode).toBe(vector.expect ? 0 : 1);
    },
  );

  it('prints the signature and nothing else', async () => {
    expect(await sign({ c: 'x', a: null })).toEqual({
      exitCode: 0,
      stdout: 'ba6ccb44ea1fc6e82c336db0c918e4d1\n',
      stderr: '',
    });
  });

  it('--explain shows each step, but not the key', async () => {
    const { stdout } = await sign({ b: '', a: ' 1 ' }, '--explain');
    expect(stdout).toContain('3 skipped     "b"');
    expect(stdout).toContain('5 text S      a=1');
    expect(stdout).not.toContain(env.FAREPROOF_SIGNING_KEY);
  });

  it('--expect confirms a right signature', async () => {
    const outcome = await sign({ c: 'x' }, '--expect', 'ba6ccb44ea1fc6e82c336db0c918e4d1');
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'right\n' });
  });

  it('--expect names the mistake and exits 1', async () => {
    // MD5 of MD5("a=&c=x") and the key: with the empty value.
    const { createHash } = await import('node:crypto');
    const md5 = (text: string) => createHash('md5').update(text).digest('hex');
    const wrong = md5(md5('a=&c=x') + env.FAREPROOF_SIGNING_KEY);
    const { stdout, exitCode } = await sign({ c: 'x', a: '' }, '--expect', wrong);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('leaves empty values in');
    expect(stdout).toContain('signed text  a=&c=x\nright text   c=x\n');
  });

  it('--expect finds a time that was read twice, as certify does', async () => {
    const fields = { grant_type: 'client_credentials', _: '2026-11-21T22:00:10Z', nostr: 'a1B2c3' };
    const signed = await sign({ ...fields, _: '2026-11-21T22:00:09Z' });
    const { stdout, exitCode } = await sign(fields, '--json', '--expect', signed.stdout.trim());
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'explained',
      mistakes: [{ id: 'other-value:_' }],
      signedText: '_=2026-11-21T22:00:09Z&grant_type=client_credentials&nostr=a1B2c3',
    });
  });

  it('--expect does not show the key of a client that signs it', async () => {
    const pairs = { grant_type: 'client_credentials', nostr: 'a1B2c3' };
    const key = env.FAREPROOF_SIGNING_KEY;
    const signed = await sign({ ...pairs, key });
    const { stdout } = await sign(pairs, '--expect', signed.stdout.trim());
    expect(stdout).toContain('includes a field that was not sent, "key"');
    expect(stdout).toContain('key=[signing key]&nostr=a1B2c3');
    expect(stdout).not.toContain(key);
  });

  it('--expect accepts a signature with another answer to a gap', async () => {
    const { createHash } = await import('node:crypto');
    const md5 = (text: string) => createHash('md5').update(text).digest('hex');
    const plain = md5(md5('a=["b/c"]') + env.FAREPROOF_SIGNING_KEY);
    const { stdout, exitCode } = await sign({ a: ['b/c'] }, '--expect', plain);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^right, under.*slash-in-list/)]);
  });

  it('--expect names the partner id, or says that the end of a key may be one', async () => {
    const key = 'key-of-demo';
    const signed = await runCaptured(['sign'], {
      stdin: JSON.stringify({ c: 'x' }),
      env: { FAREPROOF_SIGNING_KEY: 'demo' },
    });
    const expected = async (more: Record<string, string>) => {
      const { stdout } = await runCaptured(['sign', '--expect', signed.stdout.trim()], {
        stdin: JSON.stringify({ c: 'x' }),
        env: { FAREPROOF_SIGNING_KEY: key, ...more },
      });
      return stdout;
    };
    expect(await expected({ FAREPROOF_PARTNER_ID: 'demo' })).toContain(
      'takes the partner id for the signing key',
    );
    expect(await expected({})).toContain(
      'takes only the last 4 characters of the signing key, or a partner id that is the same',
    );
  });

  it('--expect does not guess', async () => {
    const { stdout, exitCode } = await sign({ a: '%41' }, '--expect', '0'.repeat(32));
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('no known mistake')]);
  });

  it.each([
    ['{"a":', 'PAIRS_NOT_JSON'],
    ['[1]', 'PAIRS_NOT_OBJECT'],
    ['{"imei":123456789012345678901}', 'PAIRS_NUMBER_INEXACT: stdin: imei'],
  ])('refuses %s with exit 2', async (stdin, message) => {
    const { exitCode, stderr } = await runCaptured(['sign'], { stdin, env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('asks for the key if it is not set', async () => {
    const { exitCode, stderr } = await runCaptured(['sign'], { stdin: '{"a":"1"}' });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('FAREPROOF_SIGNING_KEY is not set');
  });
});
