import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedServers } from '../../../../src/app/embedded/server.ts';
import type { TargetProfile } from '../../../../src/interface/index.ts';
import { startFakeTarget } from '../../../load/fake-target.ts';
import { runScript, useShim } from '../../../load/k6/run-script.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { LOOPBACK_TLS } from '../../../support/loopback-certificate.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();
let profile: TargetProfile;
let close: () => Promise<void>;

beforeAll(async () => {
  const servers = await startEmbeddedServers([{}]);
  [profile] = servers.profiles as [TargetProfile];
  ({ close } = servers);
  writeFileSync(join(folder, 'target.yaml'), JSON.stringify(profile));
  writeFileSync(join(folder, 'embedded.yaml'), JSON.stringify({ ...profile, baseUrl: 'embedded' }));
});
afterAll(() => close());

const exportK6 = (...flags: readonly string[]) =>
  runCaptured(['export', 'k6', '--target', 'target.yaml', ...flags], { cwd: folder });

describe('export k6', { timeout: 120_000 }, () => {
  it('writes a script whose requests the target accepts', async () => {
    const flags = [
      '--rate',
      '40',
      '--duration',
      '2s',
      '--validate',
      '1',
      '--threshold',
      'p99<20ms',
    ];
    const { exitCode, stdout, stderr } = await exportK6(...flags, '--out', 'open');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`wrote ${join('open', 'script.js')}`);
    useShim(join(folder, 'open'));
    const run = await runScript(join(folder, 'open', 'script.js'), Date.now());
    expect(run.requests.map(({ status }) => status)).toEqual(Array(120).fill(200));
    expect(new Set(run.requests.map(({ tags }) => tags['shape']))).toEqual(
      new Set(['plain', 'express', 'carpoolSeats', 'carpoolNoSeats']),
    );
    expect(run.checks).toHaveLength(240);
    expect(run.checks.filter(({ isPassed }) => !isPassed)).toEqual([]);
    expect(run.counters).toEqual({ estimates_ok: 80, estimates_malformed: 0 });
    expect(run.options.thresholds).toMatchObject({
      'estimates_duration{scenario:measured}': ['p(99)<20'],
      'http_req_duration{scenario:measured}': [],
      'http_req_duration{scenario:measured,expected_response:true}': [],
      'http_req_failed{scenario:measured}': ['rate<0.01'],
    });
  });

  it('keeps the token in a file that only its owner can read, and prints no secret', async () => {
    const { stdout, stderr } = await exportK6('--as', 'user', '--out', 'user');
    const requests = join(folder, 'user', 'requests.json');
    expect(statSync(requests).mode & 0o777).toBe(0o600);
    const { target } = JSON.parse(readFileSync(requests, 'utf8')) as {
      target: { accessToken: string; validUntil: string };
    };
    const script = readFileSync(join(folder, 'user', 'script.js'), 'utf8');
    const { signingKey } = profile.partners[0]!;
    for (const text of [script, stdout, stderr]) {
      expect(text).not.toContain(target.accessToken);
      expect(text).not.toContain(signingKey);
    }
    expect(readFileSync(requests, 'utf8')).not.toContain(signingKey);
    expect(stdout).toContain(`valid until ${target.validUntil}`);
    expect(script).toContain(`valid until ${target.validUntil}`);
  });

  it('names what k6 has nothing for, on stderr and in the script', async () => {
    writeFileSync(
      join(folder, 'suite.yaml'),
      'name: own\nload: { rate: 20, workers: 2, engine: native, abortOn: rate<5/s }\n',
    );
    const { exitCode, stderr } = await exportK6('--suite', 'suite.yaml', '--out', 'suite');
    expect(exitCode).toBe(0);
    const script = readFileSync(join(folder, 'suite', 'script.js'), 'utf8');
    for (const text of ["the condition 'rate<5/s'", 'workers: 2', 'engine: native']) {
      expect(stderr).toContain(`warning: not translated: ${text}`);
      expect(script).toContain(`// - ${text}`);
    }
  });

  it('trusts the issuer of the profile, by a file beside the script', async () => {
    writeFileSync(join(folder, 'ca.pem'), LOOPBACK_TLS.cert);
    writeFileSync(join(folder, 'client.pem'), LOOPBACK_TLS.cert);
    writeFileSync(join(folder, 'client-key.pem'), LOOPBACK_TLS.key);
    const partner = { ...profile.partners[0]!, accessToken: 'token-of-the-profile' };
    const secured = {
      ...profile,
      baseUrl: 'https://127.0.0.1:1/prefix',
      partners: [partner],
      ca: './ca.pem',
      cert: './client.pem',
      key: './client-key.pem',
    };
    writeFileSync(join(folder, 'secured.yaml'), JSON.stringify(secured));
    const flags = ['--target', 'secured.yaml', '--rate', '5', '--out', 'tls'];
    const { exitCode, stderr } = await exportK6(...flags);
    const read = (name: string): string => readFileSync(join(folder, 'tls', name), 'utf8');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(read('issuer.pem')).toBe(LOOPBACK_TLS.cert);
    expect(read('script.js')).toContain('SSL_CERT_FILE=issuer.pem GODEBUG=http2client=0 k6 run');
    expect(read('script.js')).toContain(
      '"tlsAuth": [{ "cert": target.certificate, "key": target.key }]',
    );
    expect(read('script.js')).not.toContain('PRIVATE KEY');
    const { target, requests } = JSON.parse(read('requests.json')) as {
      target: object;
      requests: { path: string }[];
    };
    expect(target).toMatchObject({
      origin: 'https://127.0.0.1:1',
      accessToken: 'token-of-the-profile',
      validUntil: null,
      certificate: LOOPBACK_TLS.cert,
      key: LOOPBACK_TLS.key,
    });
    expect(requests[0]?.path).toMatch(/^\/prefix\/v1\/estimates\/prices\?/);
  });

  it.each([
    {
      flags: ['--rate', '9', '--arrivals', 'poisson'],
      said: /^error K6_LACKS_OPTION: --arrivals: /,
    },
    {
      flags: ['--suite', 'find-max'],
      said: /K6_LACKS_OPTION: .*find-max\.yaml:\d+: load\.findMax: /,
    },
    { flags: ['--warmup', '999ms'], said: /^error K6_LACKS_OPTION: --warmup: / },
    { flags: ['--duration', '0.5s'], said: /^error K6_LACKS_OPTION: --duration: / },
    { flags: ['--target', 'embedded.yaml'], said: /^error EXPORT_WITHOUT_TARGET: --target: / },
    { flags: ['--threshold', 'p99<20'], said: /^error THRESHOLD_INVALID: --threshold: 'p99<20'/ },
  ])('refuses $flags before it asks for a token', async ({ flags, said }) => {
    const { exitCode, stderr } = await exportK6(...flags, '--out', 'refused');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(said);
    expect(() => statSync(join(folder, 'refused'))).toThrow('ENOENT');
  });

  it('asks for no token if it could not write it', async () => {
    const fake = await startFakeTarget();
    onTestFinished(() => fake.close());
    writeFileSync(join(folder, 'fake.yaml'), JSON.stringify(fake.profile));
    const flags = ['--target', 'fake.yaml', '--rate', '5', '--out'];
    const { exitCode, stderr } = await exportK6(...flags, join('fake.yaml', 'k6'));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error RUN_FOLDER_NOT_WRITABLE: ');
    expect(fake.tokenRequests).toEqual([]);
    expect(await exportK6(...flags, 'fake')).toMatchObject({ exitCode: 0 });
    expect(fake.tokenRequests).toHaveLength(1);
  });

  it.each([
    { args: ['k6'], said: "required option '--target <profile>' not specified" },
    { args: ['k7', '--target', 'target.yaml'], said: "'k7' is invalid for argument 'tool'" },
    { args: ['k6', '--target', 'target.yaml', '--agents', '2'], said: "unknown option '--agents'" },
  ])('refuses $args', async ({ args, said }) => {
    const { exitCode, stderr } = await runCaptured(['export', ...args], { cwd: folder });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
  });
});
