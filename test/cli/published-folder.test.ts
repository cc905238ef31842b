import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { SERVICE_SHAPES } from '../independent-service/estimates.ts';
import { runClock } from '../independent-service/run-clock.ts';
import { secretsIn, secretsOf } from '../independent-service/secrets.ts';
import { OutsideService } from '../independent-service/service.ts';
import { STYLES } from '../independent-service/style.ts';
import { runCaptured } from '../support/captured-io.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Of `check` in commands/check/process.test.ts.

const RUN_FILES = ['junit.xml', 'report.html', 'run.json', 'summary.md'];

/** Client that gets a token and an estimate, and writes what it knows to `known.json` and to its output. */
const CLIENT = `
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
const { FAREPROOF_BASE_URL: base, FAREPROOF_PARTNER_ID: id, FAREPROOF_SIGNING_KEY: key } = process.env;
const md5 = (text) => createHash('md5').update(text).digest('hex');
const fields = { _: new Date().toISOString(), grant_type: 'client_credentials', nostr: 'aB3dE9' };
const joined = Object.keys(fields).sort().map((name) => name + '=' + fields[name]).join('&');
const answer = await fetch(base + '/v1/oauth/token', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + id + '|' + md5(md5(joined) + key) },
  body: JSON.stringify(fields),
});
const { access_token, refresh_token } = await answer.json();
const query = new URLSearchParams(${JSON.stringify({
  start_lat: '39.9',
  start_lng: '116.4',
  from_name: 'A',
  end_lat: '39.8',
  end_lng: '116.3',
  to_name: 'B',
  product_type: 'private-car',
  ride_type: 'compact',
})});
await fetch(base + '/v1/estimates/prices?' + query, {
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: 'Bearer ' + id + '|' + access_token },
});
const known = JSON.stringify([key, access_token, refresh_token]);
writeFileSync('known.json', known);
console.log(known);
`;

let cwd: string;
let service: OutsideService;

beforeEach(async () => {
  cwd = temporaryFolder();
  service = await new OutsideService(STYLES[0]!, [], 'production', runClock(Date.now)).start();
  onTestFinished(() => service.stop());
  const { id, key } = service.addPartner('partner-0', ['code-0-0']);
  const profile = {
    name: 'outside',
    baseUrl: service.baseUrl,
    local: true,
    partners: [{ id, signingKey: key, authCodes: ['code-0-0'] }],
    estimates: SERVICE_SHAPES,
  };
  writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(profile));
  writeFileSync(join(cwd, 'client.mjs'), CLIENT);
});

/** Expects a run's folder with these files, and none of the secrets. */
function expectPublishable(files: readonly string[], secrets: readonly string[]): void {
  const published = secretsIn(join(cwd, 'out'), secrets);
  expect(Object.keys(published)).toEqual(expect.arrayContaining([...files]));
  expect(Object.values(published).flat()).toEqual([]);
}

it('a load leaves no secret in its folder', async () => {
  const brief = '--rate 20 --duration 200ms --warmup 0 --as user';
  await runCaptured(['load', '--target', 'target.yaml', ...brief.split(' '), '--out', 'out'], {
    cwd,
  });
  expect(service.tokens.size).toBeGreaterThan(0);
  expectPublishable(RUN_FILES, secretsOf(service));
});

it('a certification leaves no secret in its folder', async () => {
  const client = ['--scenario', 'steady-platform', '--', process.execPath, 'client.mjs'];
  await runCaptured(['certify', '--out', 'out', ...client], { cwd });
  const known = JSON.parse(readFileSync(join(cwd, 'known.json'), 'utf8')) as string[];
  expect(known.map((one) => one.length > 10)).toEqual([true, true, true]);
  expectPublishable(RUN_FILES, known);
});

it('a proxy in front of a target leaves no secret in its folder', async () => {
  const interruption = new AbortController();
  let shown = '';
  const args = ['certify', '--port', '0', '--proxy', 'target.yaml', '--out', 'out'];
  const ended = runCaptured(args, {
    cwd,
    interruption: interruption.signal,
    onStdout: (text) => {
      shown += text;
    },
  });
  await expect.poll(() => shown).toMatch(/Ctrl-C/);
  const [partner] = [...service.partners.values()];
  const env = {
    ...process.env,
    FAREPROOF_BASE_URL: /client at (http:\/\/[\d.:]+)/.exec(shown)?.[1],
    FAREPROOF_PARTNER_ID: partner?.id,
    FAREPROOF_SIGNING_KEY: partner?.key,
  };
  await once(spawn(process.execPath, ['client.mjs'], { cwd, env, stdio: 'ignore' }), 'close');
  interruption.abort('SIGINT');
  await ended;
  expect(service.tokens.size).toBe(1);
  expectPublishable(RUN_FILES, secretsOf(service));
});
