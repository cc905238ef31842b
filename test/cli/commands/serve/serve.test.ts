import { createHash } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readProfileFile } from '../../../../src/app/files/profile.ts';
import { KnownSecrets } from '../../../../src/app/known-secrets.ts';
import { runCommandLine } from '../../../../src/cli/main.ts';
import { EXIT } from '../../../../src/cli/output/exit-codes.ts';
import { SERVICE_RULES } from '../../../../src/interface/index.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const secrets = new KnownSecrets();

const folder = temporaryFolderOfFile();

interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs `serve`, acts once it listens, and stops it as a signal would. */
async function serve(
  args: readonly string[],
  act: (stdout: string) => Promise<void> = async () => {},
  env: Record<string, string> = {},
): Promise<Outcome> {
  const stop = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const text = { stdout: '', stderr: '' };
  stderr.on('data', (chunk) => (text.stderr += String(chunk)));
  stdout.on('data', (chunk) => {
    text.stdout += String(chunk);
    acting ??= act(text.stdout).finally(() => stop.abort('SIGTERM'));
  });
  let acting: Promise<void> | undefined;
  const exitCode = await runCommandLine(['serve', ...args], {
    stdin: new PassThrough(),
    stdout,
    stderr,
    env,
    cwd: folder,
    color: false,
    interactive: false,
    interruption: () => stop.signal,
  });
  await acting;
  return { exitCode, ...text };
}

const FREE = ['--port', '0'];
const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return name;
};

describe('fareproof serve', () => {
  it('--json prints one line, serves, and stops with exit code 0', async () => {
    const { exitCode, stdout } = await serve([...FREE, '--json'], async (line) => {
      const said = JSON.parse(line) as { baseUrl: string; partners: unknown[] };
      expect(said).toMatchObject({ controlUrl: null, controlToken: null });
      expect(said.partners[0]).toMatchObject({
        partnerId: 'demo',
        signingKey: 'signing-key-of-demo',
        authCodes: expect.arrayContaining(['demo-code-1']),
      });
      expect((await fetch(`${said.baseUrl}/healthz`)).status).toBe(200);
    });
    expect([exitCode, stdout.split('\n').length]).toEqual([EXIT.passed, 2]);
  });

  it('prints a token request that can be pasted', async () => {
    await serve(FREE, async (greeting) => {
      const url = /'(http:[^']*oauth\/token)'/.exec(greeting)?.[1] ?? '';
      const [contentType, authorization] = [...greeting.matchAll(/-H '[\w-]+: ([^']*)'/g)].map(
        ([, value]) => value ?? '',
      );
      const body = /-d '([^']*)'/.exec(greeting)?.[1] ?? '';
      const headers = { 'Content-Type': contentType ?? '', Authorization: authorization ?? '' };
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    });
  });

  it('names the mistake of a wrong signature in its answer, and the rule in the access log', async () => {
    const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
    const { stderr } = await serve([...FREE, '--json', '--access-log'], async (line) => {
      const { baseUrl } = JSON.parse(line) as { baseUrl: string };
      const fields = {
        _: new Date().toISOString(),
        grant_type: 'client_credentials',
        nostr: 'a1B2c3',
      };
      const text = Object.entries(fields)
        .map(([name, value]) => `${name}=${value}`)
        .join('&');
      const answer = async (sign: string): Promise<string> => {
        const answered = await fetch(`${baseUrl}/v1/oauth/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer demo|${sign}` },
          body: JSON.stringify(fields),
        });
        expect(answered.status).toBe(401);
        return answered.text();
      };
      const once = await answer(md5(`${text}signing-key-of-demo`));
      expect(once).toContain(
        'SIGN is not the signature of this body: it is a single MD5 (single-md5).',
      );
      expect(once).not.toContain('signing-key-of-demo');
      expect(await answer(md5('anything'))).toContain('SIGN is not the signature of this body.');
    });
    expect(stderr).toMatch(/ POST \/v1\/oauth\/token 401 \d+ms signature\/invalid-refused$/m);
  });

  it('--write-profile writes a valid profile, readable by its owner only', async () => {
    const args = [...FREE, '--control-port', '0', '--json', '--write-profile', 'server.yaml'];
    const env = { FAREPROOF_CONTROL_TOKEN: 'open sesame' };
    const check = async (line: string): Promise<void> => {
      const said = JSON.parse(line) as { baseUrl: string; controlUrl: string };
      const profile = await readProfileFile('server.yaml', { cwd: folder, env, secrets });
      expect(profile).toMatchObject({
        baseUrl: said.baseUrl,
        control: { url: said.controlUrl, token: 'open sesame' },
      });
      expect((await fetch(`${said.controlUrl}/partners`, { method: 'POST' })).status).toBe(401);
    };
    expect((await serve(args, check, env)).exitCode).toBe(EXIT.passed);
    expect(await readFile(join(folder, 'server.yaml'), 'utf8')).not.toContain('open sesame');
    expect((await stat(join(folder, 'server.yaml'))).mode & 0o777).toBe(0o600);
  });

  it('--write-profile leaves no profile readable that was', async () => {
    const path = join(folder, await file('shared.yaml', 'a former profile'));
    await chmod(path, 0o644);
    const args = [...FREE, '--control-port', '0', '--json', '--write-profile', 'shared.yaml'];
    await serve(args, async () => {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
    expect(await readFile(path, 'utf8')).toContain('signingKey');
  });

  it('prints a random control token, and writes it to the profile', async () => {
    const args = [...FREE, '--control-port', '0', '--write-profile', 'random.yaml'];
    const profileToken = async () =>
      (await readProfileFile('random.yaml', { cwd: folder, env: {}, secrets })).control?.token;
    await serve([...args, '--json'], async (line) => {
      const said = JSON.parse(line) as { controlUrl: string; controlToken: string };
      expect(said.controlToken).toMatch(/^[\w-]{32}$/);
      expect(await profileToken()).toBe(said.controlToken);
      const headers = { Authorization: `Bearer ${said.controlToken}` };
      const reply = await fetch(`${said.controlUrl}/partners`, { method: 'POST', headers });
      expect(reply.status).toBe(201);
    });
    await serve(args, async (greeting) => {
      expect(/Its token is ([\w-]{32})$/m.exec(greeting)?.[1]).toBe(await profileToken());
    });
    const chosen = await serve(args, undefined, { FAREPROOF_CONTROL_TOKEN: 'open sesame' });
    expect(chosen.stdout).toContain('Its token is that of FAREPROOF_CONTROL_TOKEN');
    expect(chosen.stdout).not.toContain('open sesame');
  });

  it('prints no key and no auth code of a file', async () => {
    const text = '- { id: p-1, signingKey: secret-key, authCodes: [secret-code] }\n';
    const partners = await file('secret-partners.yaml', text);
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await serve([...FREE, '--partners', partners, ...more]);
      expect(stdout).toContain('p-1');
      expect(stdout + stderr).not.toMatch(/secret-key|secret-code/);
    }
  });

  it('accepts partners, answers to the gaps, faults and other options', async () => {
    const partners = await file(
      'partners.yaml',
      'partners:\n  - { id: p-1, signingKey: "${KEY}" }\n',
    );
    const behaviour = await file('behaviour.yaml', 'token-type-spelling: bear\n');
    const flags = `--json --partners ${partners} --behaviour ${behaviour} --expires-in 1m
      --environment test --fault token/nostr-required --access-log --no-fast-path --no-shared-read-buffer --seed 7`;
    const args = [...FREE, ...flags.split(/\s+/)];
    const check = async (line: string): Promise<void> => {
      const said = JSON.parse(line) as { baseUrl: string; partners: unknown[] };
      // Keys of a file are not printed.
      expect(said.partners).toEqual([{ partnerId: 'p-1' }]);
      const { sign } = await import('../../../../src/interface/index.ts');
      const fields = { grant_type: 'client_credentials', _: 'now' };
      const reply = await fetch(`${said.baseUrl}/v1/oauth/token`, {
        method: 'POST',
        headers: { Authorization: `Bearer p-1|${sign(fields, 'k')}` },
        body: JSON.stringify(fields),
      });
      expect(await reply.json()).toMatchObject({ expires_in_second: 60, token_type: 'bear' });
    };
    const { stderr } = await serve(args, check, { KEY: 'k' });
    expect(stderr).toContain('the rule token/nostr-required is broken on purpose');
    expect(stderr).toMatch(/127\.0\.0\.1 POST \/v1\/oauth\/token 200 /);
  });

  it.each([
    ['--fault estimate/user', '--fault'],
    ['--live', '--live'],
    ['--behaviour limited.yaml', 'the gap estimate-rate-limit'],
  ])('says that there is one worker because of %s', async (flags, what) => {
    await file('limited.yaml', 'estimate-rate-limit: { perSecond: 5 }');
    const { exitCode, stderr } = await serve([...FREE, '--workers', '2', ...flags.split(' ')]);
    expect(exitCode).toBe(EXIT.passed);
    expect(stderr).toContain(
      `warning: one worker, not as many as --workers says: ${what} is not shared between processes.`,
    );
  });

  it('refuses a number of workers that cannot be', async () => {
    const { exitCode, stderr } = await serve([...FREE, '--workers', 'two']);
    expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining('--workers')]);
  });

  it('warns if other machines can reach it', async () => {
    const { stderr } = await serve([...FREE, '--host', '0.0.0.0']);
    expect(stderr).toContain('warning: 0.0.0.0 is not loopback');
  });

  it('--list-faults lists a fault for every service rule, and the forms of each', async () => {
    const { stdout, exitCode } = await serve(['--list-faults']);
    const listed = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '');
    expect(listed.filter((id) => !id.includes('#'))).toEqual(SERVICE_RULES.map(({ id }) => id));
    expect(listed.filter((id) => id.includes('#')).length).toBeGreaterThan(150);
    expect(exitCode).toBe(EXIT.passed);
    const { stdout: json } = await serve(['--list-faults', '--json']);
    const faults = JSON.parse(json) as { id: string; rule: string }[];
    expect(faults.map(({ id }) => id)).toEqual(listed);
    expect(faults.map(({ rule }) => rule)).toEqual(listed.map((id) => id.split('#')[0]));
  });

  it('accepts several faults at once', async () => {
    const forms = ['token/nostr-length#refresh', 'record/pay-type#express'];
    const args = [...FREE, '--json', ...forms.flatMap((form) => ['--fault', form])];
    const { stderr, exitCode } = await serve(args);
    expect(exitCode).toBe(EXIT.passed);
    for (const form of forms) expect(stderr).toContain(`is broken on purpose (${form})`);
  });

  it.each([
    [['--fault', 'token/nostr-lenght'], /FAULT_UNKNOWN.*did you mean token\/nostr-length/],
    [['--fault', 'client/nostr'], /FAULT_UNKNOWN/],
    [['--fault', 'token/nostr-length#refrsh'], /did you mean token\/nostr-length#refresh/],
    [['--port', 'http'], /FLAG_VALUE: --port: must be an integer from 0 to 65,535, not "http"/],
    [['--port', '70000'], /FLAG_VALUE/],
    [['--expires-in', '0'], /FLAG_VALUE: --expires-in/],
    [['--workers', '257'], /FLAG_VALUE: --workers: .* from 1 to 256/],
    [['--cert', 'cert.pem'], /TLS_INCOMPLETE/],
    [['--environment', 'staging'], /Allowed choices are production, test/],
    [['--partners', 'none.yaml'], /FILE_NOT_READ: none\.yaml/],
    [['--write-profile', 'no/such/folder.yaml'], /PROFILE_NOT_WRITTEN/],
  ])('%j is wrong usage', async (args, message) => {
    const { exitCode, stderr } = await serve([...FREE, ...args]);
    expect(exitCode).toBe(EXIT.usage);
    expect(stderr).toMatch(message);
  });

  it.each([
    [
      'partners',
      'partners:\n  - id: a\n    signingKey: k\n    use: other\n',
      /:4: partners\[0\]\.use: /,
    ],
    ['partners', '- id: "a|b"\n  signingKey: k\n', /:1: \[0\]\.id: must hold no \|/],
    ['partners', 'partner: []\n', /partners: /],
    ['behaviour', 'nostr-replay: accepted\nday-boundary: never\n', /:2: day-boundary: /],
    ['behaviour', 'nostr-replay: accepted\nday-border: never\n', /:2: unknown key/],
    // It may be a file of another kind, with secrets for keys.
    ['behaviour', 'day-border: never\n', /:1: unknown key; known are [a-z-]+, .*, …/],
  ])('a wrong file of %s is named, with its line and field', async (flag, text, message) => {
    const { exitCode, stderr } = await serve([
      ...FREE,
      `--${flag}`,
      await file('wrong.yaml', text),
    ]);
    expect(exitCode).toBe(EXIT.usage);
    expect(stderr).toContain('wrong.yaml:');
    expect(stderr).toMatch(message);
  });

  it('says that a port is in use', async () => {
    await serve([...FREE, '--json'], async (line) => {
      const { port } = new URL((JSON.parse(line) as { baseUrl: string }).baseUrl);
      const { exitCode, stderr } = await serve(['--port', port]);
      expect([exitCode, stderr.includes('error PORT_IN_USE')]).toEqual([EXIT.usage, true]);
    });
  });
});
