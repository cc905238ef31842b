import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBroker } from '../../src/app/load/broker.ts';
import { print } from '../../src/cli/io.ts';
import type { LoadDocument } from '../../src/documents/load.ts';
import { capturedIo, runCaptured } from '../support/captured-io.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();

const KEY = 'k3y1';
const CODE = 'c0d1';
const HEADER = 'h3d1';
const COOKIE = 'c00k';
const ALL = [KEY, CODE, HEADER, COOKIE];

/** A service that answers each request with all secrets, in some spellings. */
let service: Server;
let status = 401;

beforeEach(async () => {
  status = 401;
  const echo = [
    ...ALL,
    ...ALL.map((one) => Buffer.from(`user:${one}`).toString('base64')),
    ...ALL.map((one) => Buffer.from(one).toString('hex')),
  ].join(' , ');
  service = createServer((_, response) => {
    response.statusCode = status;
    response.end(echo);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  writeProfile();
});

afterEach(() => {
  service.closeAllConnections();
  service.close();
});

function writeProfile(more: { readonly accessToken?: string } = {}): void {
  const { port } = service.address() as AddressInfo;
  const profile = {
    name: 'echo',
    baseUrl: `http://127.0.0.1:${port}`,
    local: true,
    partners: [{ id: 'p', signingKey: KEY, authCodes: [CODE], ...more }],
    headers: { 'X-Api-Key': HEADER, Cookie: `sid=${COOKIE}` },
    estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
  };
  writeFileSync(join(folder, 'profile.yaml'), JSON.stringify(profile));
}

/** Secrets that a text has, whichever way they are written. */
const shownIn = (text: string): string[] =>
  ALL.filter((one) =>
    [one, Buffer.from(one).toString('hex'), Buffer.from(`user:${one}`).toString('base64')].some(
      (spelled) => text.includes(spelled),
    ),
  );

it.each([
  ['load', '--target profile.yaml --duration 1s --rate 1 --out out'],
  ['load', '--target profile.yaml --duration 1s --rate 1 --out out --as user'],
  ['check', '--target profile.yaml --rule token/nostr-length --out out'],
])(
  '%s shows no short secret of a profile that its target answers with: %s',
  async (name, flags) => {
    const args = [...name.split(' '), ...flags.split(' ')];
    const { stdout, stderr, exitCode } = await runCaptured(args, { cwd: folder });
    expect(exitCode).not.toBe(0);
    expect(stderr + stdout).toMatch(/\[signing_key p\]|out/);
    expect(shownIn(stdout + stderr)).toEqual([]);
  },
);

it('a sample of a malformed answer to a load shows none either', async () => {
  status = 200;
  writeProfile({ accessToken: 't0k1' });
  const args = '--target profile.yaml --duration 200ms --warmup 0s --rate 20 --out out --json';
  const { stdout, stderr } = await runCaptured(['load', ...args.split(' ')], { cwd: folder });
  expect((JSON.parse(stdout) as LoadDocument).faultSamples?.[0]?.body).toMatch(
    /^\[signing_key p\]/,
  );
  expect(shownIn(stdout + stderr)).toEqual([]);
});

it('sign shows no key where it fails', async () => {
  const env = { FAREPROOF_SIGNING_KEY: 'k3y1-Qw9Zx4m' };
  const { stdout, stderr } = await runCaptured(['sign'], { stdin: '"k3y1-Qw9Zx4m"', env });
  expect(stdout + stderr).not.toContain('k3y1-Qw9');
});

it('no line shows the credentials of a broker', async () => {
  writeFileSync(
    join(folder, 'agent.creds'),
    '-----BEGIN NATS USER JWT-----\neyJ0eXAiOiJKV1QifQ.abc\n------END NATS USER JWT------\n\nSUAKeyOfTheAgent\n',
  );
  const { io, captured } = capturedIo({
    cwd: folder,
    env: { FAREPROOF_NATS_CREDS: 'agent.creds' },
  });
  await readBroker('nats://127.0.0.1', '--join', io);
  io.note('refused: SUAKeyOfTheAgent');
  const other = capturedIo({ env: { FAREPROOF_JOIN_TOKEN: 't0k1' } });
  await readBroker('nats://127.0.0.1', '--join', other.io);
  print(other.io, 'refused by a controller: dDBrMQ== t0k1');
  expect(captured.stderr).toBe('refused: [join_token 2]\n');
  expect(other.captured.stdout).toBe('refused by a controller: [join_token 1]== [join_token 1]\n');
});

it('quotes no credentials of a broker that were set in place of their path', async () => {
  const seed = 'SUAKeyOfTheAgent7Qw9Zx4m';
  const env = { FAREPROOF_NATS_CREDS: seed };
  const { exitCode, stdout, stderr } = await runCaptured(['agent', '--join', 'nats://127.0.0.1'], {
    cwd: folder,
    env,
  });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('the path in FAREPROOF_NATS_CREDS: there is no such file');
  expect(stdout + stderr).not.toContain(seed);
});
