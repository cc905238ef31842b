import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../../../src/conformance/index.ts';
import { type RunningServer, startServer } from '../../../../src/server/index.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { LOOPBACK_TLS } from '../../../support/loopback-certificate.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const RULES = ['--rule', 'token/nostr-length', '--rule', 'estimate/platform'];
let folder: string;
let server: RunningServer;
const fronts: Server[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer({ controlPort: 0 });
});

afterEach(async () => {
  for (const front of fronts.splice(0)) {
    front.closeAllConnections();
    front.close();
  }
  await server.close(0);
});

/**
 * A gate in front of the server; it sees each request, and answers those that it does not let
 * through.
 */
async function place(
  front: Server,
  lets: (request: IncomingMessage) => boolean = () => true,
  prefix = '',
): Promise<number> {
  front.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!lets(request) || !request.url?.startsWith(prefix)) {
      response.writeHead(407).end();
      return;
    }
    const { method, headers } = request;
    const url = server.baseUrl + request.url.slice(prefix.length);
    const onward = plainRequest(url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward.on('error', () => response.destroy()));
  });
  fronts.push(front);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return (front.address() as AddressInfo).port;
}

function profile(baseUrl: string, more: object = {}): string {
  const path = join(folder, 'profile.yaml');
  const control = { url: server.controlUrl, token: server.controlToken };
  const estimates = { plain: { product_type: 'private-car', ride_type: 'compact' } };
  writeFileSync(path, JSON.stringify({ name: 'front', baseUrl, control, estimates, ...more }));
  return path;
}

function pem(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return `./${name}`;
}

const check = (path: string, ...args: string[]) =>
  runCaptured(['check', '--target', path, '--out', join(folder, 'out'), ...RULES, ...args], {
    cwd: folder,
  });

function result(): ServiceResult {
  return JSON.parse(readFileSync(join(folder, 'out', 'run.json'), 'utf8')) as ServiceResult;
}

describe('a target behind TLS', () => {
  it('of an unknown issuer is a clear error, and accepted with its ca', {
    timeout: 120_000,
  }, async () => {
    const port = await place(createTlsServer(LOOPBACK_TLS));
    const base = `https://127.0.0.1:${port}`;
    const unknown = await check(profile(base));
    expect(unknown.exitCode).toBe(3);
    expect(unknown.stderr).toContain('error TARGET_UNREACHABLE');
    expect(unknown.stderr).toContain('Name its issuer as "ca" in the profile.');
    const known = await check(profile(base, { ca: pem('ca.pem', LOOPBACK_TLS.cert) }));
    expect(known.stderr).not.toContain('error');
    expect(known.exitCode).toBe(0);
  });

  it('that requests a client certificate gets that of the profile', {
    tags: ['long'],
  }, async () => {
    const asks = { ca: LOOPBACK_TLS.cert, requestCert: true, rejectUnauthorized: true };
    const port = await place(createTlsServer({ ...LOOPBACK_TLS, ...asks }));
    const base = `https://127.0.0.1:${port}`;
    const ca = pem('ca.pem', LOOPBACK_TLS.cert);
    const bare = await check(profile(base, { ca }));
    expect(bare.exitCode).toBe(3);
    expect(bare.stderr).toContain('"cert" and "key"');
    const own = {
      cert: pem('client.pem', LOOPBACK_TLS.cert),
      key: pem('key.pem', LOOPBACK_TLS.key),
    };
    const named = await check(profile(base, { ca, ...own }));
    expect(named.exitCode).toBe(0);
    expect(readFileSync(join(folder, 'out', 'run.json'), 'utf8')).not.toContain('PRIVATE KEY');
  });

  it('whose certificate file is missing is wrong configuration', async () => {
    const missing = await check(profile('https://127.0.0.1:1', { ca: './nowhere.pem' }));
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain('nowhere.pem');
  });
});

describe('certificates of a profile', () => {
  const other = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
  const good = { cert: LOOPBACK_TLS.cert, key: LOOPBACK_TLS.key };

  it.each([
    ['a key of another certificate', { ...good, key: other }, 'key', 'is not the key of'],
    ['a key that is none', { ...good, key: 'no key' }, 'key', 'contains no PEM private key'],
    ['a certificate that is none', { ...good, cert: 'x' }, 'cert', 'contains no PEM certificate'],
    [
      'a garbled issuer',
      { ca: '-----BEGIN CERTIFICATE-----\nAAAA' },
      'ca',
      'contains no PEM certificate',
    ],
    ['no such issuer', { ca: null }, 'ca', 'there is no such file'],
  ])('%s is wrong configuration, by file, line and field', async (_name, files, field, why) => {
    const lines = Object.entries(files).map(([name, text]) => {
      if (text !== null) pem(`${name}.pem`, text);
      return `${name}: ./${name}.pem`;
    });
    const path = join(folder, 'tls.yaml');
    writeFileSync(path, ['name: t', 'baseUrl: https://127.0.0.1:1', ...lines, ''].join('\n'));
    const { exitCode, stderr } = await check(path);
    expect(exitCode).toBe(2);
    const line = 3 + Object.keys(files).indexOf(field);
    expect(stderr).toContain(`tls.yaml:${line}: ${field}: ./${field}.pem: `);
    expect(stderr).toContain(why);
  });
});

describe('a target behind a gate', () => {
  it('gets the headers of the profile with each request, redacted in the report', {
    timeout: 120_000,
  }, async () => {
    const gate = (request: IncomingMessage): boolean => request.headers['x-gate'] === 'open-sesame';
    const port = await place(createPlainServer(), gate);
    const base = `http://127.0.0.1:${port}`;
    const shut = await check(profile(base));
    expect(shut.exitCode).not.toBe(0);
    const open = await check(
      profile(base, { headers: { 'X-Gate': 'open-sesame', accept: 'application/json' } }),
    );
    expect(open.exitCode).toBe(0);
    const text = readFileSync(join(folder, 'out', 'run.json'), 'utf8');
    expect(text).not.toContain('open-sesame');
    expect(text).toContain('[header 1]');
    expect(text).toContain('"accept":"application/json"');
  });

  it('is found under a path prefix, with a slash at its end or none', {
    timeout: 120_000,
  }, async () => {
    const port = await place(createPlainServer(), undefined, '/deep/inside');
    for (const end of ['', '/']) {
      const { exitCode } = await check(profile(`http://127.0.0.1:${port}/deep/inside${end}`));
      expect(exitCode).toBe(0);
    }
    const { exchanges } = result();
    expect(exchanges.every(({ request }) => request.url.includes('/deep/inside/v1/'))).toBe(true);
  });
});

describe('custom rules', () => {
  const module = (text: string): string => {
    const name = `rules-${Math.abs(text.length)}.mjs`;
    writeFileSync(join(folder, name), text);
    return name;
  };
  const rule = (id: string, level: string, finding: string): string => `({
    id: '${id}', level: '${level}', statement: 'an estimate carries a request id',
    check: { baseRequest: 'estimate', spends: () => ({}), run: async (ctx) => {
      const answer = await ctx.estimate({ purpose: 'an estimate', query: ctx.query() });
      return ${finding};
    } },
  })`;
  const PASS = "{ verdict: 'pass', reason: 'seen ' + answer.status }";
  const FAIL =
    "{ verdict: 'violated', reason: 'none', expected: 'an id', keyExchange: answer.exchange }";

  it('are run, judged and shown with the others', async () => {
    const rules = module(
      `export const rules = [${rule('house/seen', 'must', PASS)}, ${rule('house/id', 'must', FAIL)}, ${rule('house/nice', 'should', FAIL)}];`,
    );
    const path = profile(server.baseUrl);
    const all = await check(path, '--rules-module', rules, '--rule', 'house/*');
    expect(all.exitCode).toBe(1);
    const verdicts = Object.fromEntries(result().rules.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts).toMatchObject({
      'house/seen': 'pass',
      'house/id': 'fail',
      'house/nice': 'warn',
      'estimate/platform': 'pass',
    });
    expect(result().rules.find(({ id }) => id === 'house/id')?.shownBy).toMatch(/^x\d+$/);
    expect(readFileSync(join(folder, 'out', 'junit.xml'), 'utf8')).toContain('house/id');
    expect(all.stdout).toContain('an estimate carries a request id');
    const warned = await check(path, '--rules-module', rules, '--rule', 'house/nice');
    expect(warned.exitCode).toBe(0);
  });

  it.each([
    ['nothing', 'export const others = [];'],
    ['no rule', 'export const rules = [{ id: "house/x" }];'],
    ['a broken module', 'export const rules = ['],
  ])('that are %s are wrong configuration', async (_name, text) => {
    const { exitCode, stderr } = await check(
      profile(server.baseUrl),
      '--rules-module',
      module(`${text} // ${_name}`),
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error RULES_MODULE');
  });

  it('that name no base request are told which there are', async () => {
    const rules = module(
      `export const rules = [${rule('house/old', 'must', PASS).replace("'estimate'", "'none'")}];`,
    );
    const { exitCode, stderr } = await check(profile(server.baseUrl), '--rules-module', rules);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('house/old: check.baseRequest is none of platform,');
  });
});

describe('flags of a run', () => {
  it.each([
    ['--max-rate', '0'],
    ['--max-rate', 'fast'],
    ['--timeout', '0'],
    ['--seed', '1.5'],
  ])('%s %s is wrong usage', async (flag, value) => {
    const { exitCode, stderr } = await check(profile(server.baseUrl), flag, value);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(flag);
  });

  it('--resume of a folder without an unfinished run, or beside --out, is wrong usage', async () => {
    const none = await runCaptured(['check', '--resume', folder], { cwd: folder });
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain('RESUME_NOTHING');
    const both = await runCaptured(['check', '--resume', folder, '--out', 'x'], { cwd: folder });
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain('--out');
  });
});
