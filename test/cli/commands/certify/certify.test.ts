import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { describeProfile, startServer } from '../../../../src/server/index.ts';
import { Caller } from '../../../server/caller.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const env = { PATH: process.env['PATH'] ?? '' };
const certify = (...args: string[]) => runCaptured(['certify', ...args], { cwd: folder, env });

/** A client that sends a signature of its own, or nothing. */
const client = file(
  'client.mjs',
  `import { hash } from 'node:crypto';
const { FAREPROOF_BASE_URL: base, FAREPROOF_PARTNER_ID: id, FAREPROOF_SIGNING_KEY: key, FAREPROOF_ESTIMATES: n } = process.env;
console.log('my key is', key);
const time = new Date().toISOString();
const text = (order) => order.map(([k, v]) => k + '=' + v).join('&');
const pairs = [['_', time], ['grant_type', 'client_credentials'], ['nostr', 'a1B2c3']];
const signed = process.argv[2] === 'wrong' ? text(pairs.toReversed()) : text(pairs);
const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer ' + id + '|' + hash('md5', hash('md5', signed) + key) };
const answer = await fetch(base + '/v1/oauth/token', { method: 'POST', headers, body: JSON.stringify(Object.fromEntries(pairs)) });
if (answer.status !== 200) process.exit(7);
const token = (await answer.json()).access_token;
const query = new URLSearchParams({ start_lat: '1', start_lng: '2', from_name: 'a', end_lat: '3', end_lng: '4', to_name: 'b', product_type: 'private-car', ride_type: 'compact' });
for (let at = 0; at < Number(n); at++) {
  const authorization = 'Bearer ' + id + '|' + token;
  await (await fetch(base + '/v1/estimates/prices?' + query, { headers: { Authorization: authorization, 'Content-Type': 'application/x-www-form-urlencoded' } })).text();
}`,
);

describe('fareproof certify', () => {
  it('judges a command and writes its files', async () => {
    const out = join(folder, 'held');
    const { exitCode, stdout, stderr } = await certify(
      '--scenario',
      'unknown-fields',
      '--out',
      out,
      '--',
      process.execPath,
      client,
    );
    expect([exitCode, stderr, stdout]).toEqual([
      0,
      expect.any(String),
      expect.stringContaining('CONFORMANT'),
    ]);
    expect(stderr).toMatch(/^unknown-fields: pass \(\d+\.\d s\)$/m);
    expect(readdirSync(out).sort()).toEqual([
      'clients',
      'junit.xml',
      'report.html',
      'run.json',
      'summary.md',
    ]);
    const log = readFileSync(join(out, 'clients/unknown-fields.log'), 'utf8');
    expect(log).toBe('my key is [signing_key partner-unknown-fields]\n');
    expect(stdout).toContain('No certificate: it needs every scenario');
  });

  it('prints the command that runs the scenario of a broken rule again', async () => {
    const out = join(folder, 'again');
    const given = ['--scenario', 'ban', '--orders', 'no', '--out', out, '--'];
    const { stdout } = await certify(...given, process.execPath, client, 'wrong');
    expect(stdout).toContain(
      `rerun      fareproof certify --scenario ban --orders no -- ${process.execPath} ${client} wrong`,
    );
  });

  it('names the mistake in a signature, and exits with 1', async () => {
    const out = join(folder, 'wrong');
    const { exitCode, stdout } = await certify(
      '--json',
      '--scenario',
      'steady-platform',
      '--out',
      out,
      '--',
      process.execPath,
      client,
      'wrong',
    );
    expect(exitCode).toBe(1);
    const document = JSON.parse(stdout) as {
      side: string;
      scenarios: unknown[];
      rules: { id: string; verdict: string; reason: string }[];
    };
    expect(document.side).toBe('client');
    expect(document.scenarios).toMatchObject([
      { name: 'steady-platform', verdict: 'fail', exitCode: 7, missing: [] },
    ]);
    const red = document.rules.filter(({ verdict }) => verdict === 'fail');
    expect(red).toMatchObject([
      { id: 'client/signature', reason: expect.stringContaining('(order-') as string },
    ]);
  });

  it('says first that a client sent no request, and why; each rule follows from that', async () => {
    const out = join(folder, 'silent');
    const given = ['--scenario', 'steady-*', '--orders', 'no', '--out', out, '--'];
    const broken = "process.stderr.write('SyntaxError: no such thing\\n'); process.exit(1)";
    const { exitCode, stdout } = await certify(...given, process.execPath, '-e', broken);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      'DIAGNOSIS  The client sent no request in any scenario and ended with exit code 1. It wrote: SyntaxError: no such thing',
    );
    expect(stdout).toMatch(/INCONCLUSIVE {2}\d+ rules\n {2}reason +see the diagnosis\n/);
    expect(stdout.match(/^INCONCLUSIVE/gm)).toHaveLength(1);
    expect(stdout.match(/\| SyntaxError/g)).toHaveLength(1);
    expect(stdout).toMatch(/^ {2}steady-user +inconclusive: .* \(output as in steady-platform\)$/m);
    expect(stdout).not.toContain('log: clients/steady-user.log');
    for (const name of ['report.html', 'summary.md', 'junit.xml']) {
      expect(readFileSync(join(out, name), 'utf8')).toContain('The client sent no request in any');
    }
  });

  it('shows the last lines of a client that failed, redacted, and the path of its log', async () => {
    const args = ['--scenario', 'steady-plat*', '--out', join(folder, 'last-words')];
    const { exitCode, stdout, stderr } = await certify(
      ...args,
      '--',
      process.execPath,
      client,
      'wrong',
    );
    expect(exitCode).toBe(1);
    expect(stdout).toContain('    | my key is [signing_key partner-steady-platform]\n');
    expect(stdout).toContain('log: clients/steady-platform.log');
    expect(stderr).toMatch(/^log of steady-platform: .*clients\/steady-platform\.log$/m);
    const escaped = readFileSync(join(folder, 'last-words/summary.md'), 'utf8');
    const summary = escaped.replaceAll('\\', '');
    expect(summary).toContain('my key is [signing_key partner-steady-platform]');
    expect(summary).toContain('clients/steady-platform.log');
  });

  it('lists the scenarios with their descriptions, and runs nothing', async () => {
    const all = await certify('--list');
    expect(all.exitCode).toBe(0);
    expect(all.stdout).toMatch(/^ban +\S.+$/m);
    expect(all.stdout.trimEnd().split('\n')).toHaveLength(20);
    const some = await certify('--list', '--scenario', 'steady-*', '--json');
    expect(JSON.parse(some.stdout)).toMatchObject([
      { name: 'steady-platform', description: expect.any(String) as string },
      { name: 'steady-user', mode: 'user' },
    ]);
  });

  it('exits with 3 where a client sends nothing', async () => {
    const args = ['--scenario', 'lost-answer', '--out', join(folder, 'silent')];
    const { exitCode, stdout } = await certify(...args, '--', process.execPath, '-e', '0');
    expect(exitCode).toBe(3);
    expect(stdout).toContain('the client did not send a refresh');
  });

  it('terminates a client that does not end, and its child processes', {
    tags: ['long'],
  }, async () => {
    const scenario = file(
      'hangs.yaml',
      'name: hangs\ndescription: x\nmode: platform\nestimates: 1\nintervalMs: 1\natLeast: 1\ntimeLimitMs: 1000\njudges: [client/*]\n',
    );
    const script = `import { spawn } from 'node:child_process';
spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1e6)'], { stdio: 'inherit' });
setTimeout(() => {}, 1e6);`;
    const args = ['--scenario', scenario, '--out', join(folder, 'hangs')];
    const hung = file('hangs.mjs', script);
    const { exitCode, stdout } = await certify(...args, '--', process.execPath, hung);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('was terminated after 1 s');
  });

  it('writes the report when it is interrupted', async () => {
    const interruption = new AbortController();
    const hung = file(
      'waits.mjs',
      `import { writeFileSync } from 'node:fs';
writeFileSync('started', '');
setTimeout(() => {}, 1e6);`,
    );
    const out = join(folder, 'interrupted');
    const ended = runCaptured(['certify', '--out', out, '--', process.execPath, hung], {
      cwd: folder,
      env,
      interruption: interruption.signal,
    });
    await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true);
    interruption.abort('SIGINT');
    expect((await ended).exitCode).toBe(130);
    const document: unknown = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
    expect(document).toMatchObject({ interrupted: true, verdict: 'incomplete' });
    expect(existsSync(join(out, 'certificate.json'))).toBe(false);
  });

  it.each([
    [['--', '/no/such/command'], /COMMAND_NOT_STARTED/],
    [['--scenario', 'no-such', '--', 'true'], /SCENARIO_UNKNOWN.*lost-answer/],
    [['--scenario', 'ban'], /CERTIFY_FLAGS/],
    [['--proxy', 'x.yaml', '--', 'true'], /CERTIFY_FLAGS/],
    [['--public-key', 'x.pem', '--', 'true'], /CERTIFY_FLAGS/],
    [['--sign-key', 'no.pem', '--', 'true'], /FILE_NOT_READ/],
    [['--verify', 'no.json'], /FILE_NOT_READ/],
    [['--verify', 'client.mjs'], /CERTIFICATE_INVALID/],
    [['--port', 'x'], /FLAG_VALUE/],
    [['--orders', 'maybe', '--', 'true'], /--orders.*yes, no/],
    [['--port', '0', '--'], /CERTIFY_FLAGS.*no command after --/],
    [['--port', '0', '--', ''], /CERTIFY_FLAGS.*no command after --/],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { exitCode, stderr } = await certify('--out', join(folder, 'refused'), ...args);
    expect(stderr).toMatch(words);
    expect(exitCode).toBe(2);
  });
});

describe('fareproof certify, listening', () => {
  /** Starts to listen, passes the address to `use`, and ends with Ctrl-C once `last` was judged. */
  async function listenWhile(
    args: string[],
    last: string,
    use: (baseUrl: string) => Promise<void>,
  ) {
    const interruption = new AbortController();
    const shown: string[] = [];
    const ended = runCaptured(['certify', '--port', '0', ...args], {
      cwd: folder,
      env,
      interruption: interruption.signal,
      onStdout: (text) => void shown.push(text),
    });
    await expect.poll(() => shown.join('')).toMatch(/Ctrl-C/);
    const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(shown.join(''))?.[0] ?? '';
    await use(baseUrl);
    await expect.poll(() => shown.join('')).toContain(` ${last} `);
    interruption.abort('SIGINT');
    return ended;
  }

  it('shows each request as it is judged', async () => {
    const out = join(folder, 'listened');
    const { stdout, exitCode } = await listenWhile(['--out', out], 'x3', async (baseUrl) => {
      const caller = new Caller({ baseUrl, clock: { now: Date.now } } as never);
      const { body } = await caller.platform();
      await caller.estimate(body.access_token);
      await caller.platform({}, { signature: '0'.repeat(32) });
    });
    expect(stdout).toMatch(/x1 POST \/v1\/oauth\/token 200 ok\n/);
    expect(stdout).toMatch(/x2 GET \/v1\/estimates\/prices 200 ok\n/);
    expect(stdout).toMatch(/x3 POST .* 401 \n {2}FAIL client\/signature: /);
    expect(exitCode).toBe(1);
    const document = readFileSync(join(out, 'run.json'), 'utf8');
    expect(JSON.parse(document)).toMatchObject({ side: 'client', verdict: 'not-conformant' });
    expect(existsSync(join(out, 'certificate.json'))).toBe(false);
    expect(stdout).toContain('No certificate: the client was only listened to');
  });

  it('forwards requests to a target and judges them', async () => {
    const target = await startServer({ port: 0 });
    try {
      const profile = file('target.yaml', stringify(describeProfile(target)));
      const args = ['--proxy', profile, '--out', join(folder, 'proxied')];
      const { stdout, exitCode } = await listenWhile(args, 'x2', async (baseUrl) => {
        const caller = new Caller({ baseUrl, clock: { now: Date.now } } as never);
        const { body, status } = await caller.platform();
        expect(status).toBe(200);
        expect((await new Caller(target).estimate(body.access_token)).status).toBe(200);
        const estimate = await caller.estimate(body.access_token, { contentType: 'text/plain' });
        expect(estimate.body[0]).toHaveProperty('estimate_id');
      });
      expect(stdout).toMatch(/x1 POST \/v1\/oauth\/token 200 ok\n/);
      expect(stdout).toMatch(/FAIL client\/estimate-content-type: text\/plain/);
      expect(stdout).not.toContain(target.partners[0]?.signingKey ?? '');
      expect(exitCode).toBe(1);
    } finally {
      await target.close(0);
    }
  });
});
