// @module-tag long
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import { DOCKERFILE, instructionsOf, lastOf, OPTIONAL, stagesOf } from './dockerfile.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT_MS = 120_000;

/** Without a builder of containers, the steps of the Dockerfile run in a folder in place of its root. */
const folder = temporaryFolderOfFile();
const stages = stagesOf(DOCKERFILE);
const serve = instructionsOf(stages, 'serve');

/** The user `node` of the image, or who runs the tests if that is not root. */
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: 1000, gid: 1000 } : {};

let port = '0';
const localized = (text: string): string =>
  text.replaceAll('8080', port).replaceAll(/(?<=[\s="])\/(?=packed|data)/g, `${folder}/`);

function environment(): Record<string, string> {
  const pairs = localized(` ${lastOf(serve, 'ENV')}`).matchAll(/(\w+)=(\S+)/g);
  return {
    ...Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value])),
    PATH: `${folder}/prefix/bin:${process.env['PATH']}`,
    HOME: '/nonexistent',
  };
}

/** Runs a command of the image with the user, the folder and the environment that it states. */
function run(...args: string[]) {
  const options = { ...user, cwd: join(folder, 'data'), env: environment(), timeout: LIMIT_MS };
  const [entry = ''] = JSON.parse(lastOf(serve, 'ENTRYPOINT')) as string[];
  return spawnSync(entry, args, { ...options, encoding: 'utf8' });
}

let server: ChildProcess | null = null;
afterAll(() => server?.kill('SIGKILL'));

beforeAll(async () => {
  port = `${await freePort()}`;
  chmodSync(folder, 0o755);
  for (const name of ['prefix', 'npm']) mkdirSync(join(folder, name));
  // The stage that builds, but from what is installed and built already.
  const pack = localized(lastOf(instructionsOf(stages, 'build'), 'RUN')).replace(
    /^npm ci .*? && /,
    '',
  );
  // It would replace the packages that other tests use.
  if (pack.includes('npm ci')) throw new Error(`The Dockerfile installs in another way: ${pack}`);
  const isBuilt = { ...process.env, npm_config_ignore_scripts: 'true' };
  execFileSync('bash', ['-ec', pack], {
    cwd: ROOT,
    env: isBuilt,
    stdio: 'pipe',
    timeout: LIMIT_MS,
  });
  // The image has a user `node`; this machine may have none.
  const prelude = isRoot
    ? 'install() { shift 5; command install -d -o 1000 -g 1000 "$@"; }'
    : 'install() { shift 5; command install -d "$@"; }';
  const script = `${prelude}\n${localized(lastOf(serve, 'RUN'))}`;
  const env = {
    ...process.env,
    npm_config_prefix: join(folder, 'prefix'),
    npm_config_cache: join(folder, 'npm'),
    npm_config_update_notifier: 'false',
  };
  execFileSync('bash', ['-ec', script], { cwd: folder, env, stdio: 'pipe', timeout: LIMIT_MS });
}, LIMIT_MS);

describe('the image', { timeout: LIMIT_MS }, () => {
  it('serves, and its health check tells whether it does', async () => {
    const [, check = '[]'] = /CMD (\[.*\])$/.exec(localized(lastOf(serve, 'HEALTHCHECK'))) ?? [];
    const [command = '', ...args] = JSON.parse(check) as string[];
    const health = () => spawnSync(command, args, { env: environment(), timeout: LIMIT_MS }).status;
    expect(health()).toBe(1);
    const [entry = ''] = JSON.parse(lastOf(serve, 'ENTRYPOINT')) as string[];
    const options = { ...user, cwd: join(folder, 'data'), env: environment() };
    const child = spawn(entry, JSON.parse(localized(lastOf(serve, 'CMD'))) as string[], options);
    server = child;
    let output = '';
    for await (const part of child.stdout) {
      output += String(part);
      if (output.includes('Ctrl-C')) break;
    }
    expect(health()).toBe(0);
  });

  it('checks that server, with its report and its ledger on the volumes', () => {
    const profile = JSON.stringify({
      name: 'server',
      baseUrl: `http://127.0.0.1:${port}`,
      partners: [{ id: 'demo', signingKey: 'signing-key-of-demo' }],
    });
    const target = join(folder, 'data/state/target.yaml');
    execFileSync('bash', ['-c', 'cat > "$0"', target], { ...user, input: profile });
    const { status, stdout, stderr } = run(
      ...'check --rule token/nostr-* --out reports/check --target'.split(' '),
      target,
    );
    expect(stderr + stdout).toContain('CONFORMANT');
    expect(status).toBe(0);
    expect(readdirSync(join(folder, 'data/reports/check'))).toContain('junit.xml');
    expect(readdirSync(join(folder, 'data/state'))).toContain('fareproof');
  });

  it('has the optional packages beside the command, where it finds them', () => {
    const installed = readdirSync(join(folder, 'prefix/lib/node_modules'), { recursive: true });
    for (const name of OPTIONAL) expect(installed).toContain(name);
  });

  it('ends with the signal that a container is stopped with', async () => {
    if (server === null) throw new Error('There is no server');
    const ended = once(server, 'close');
    server.kill('SIGTERM');
    const [code, signal] = (await ended) as [number | null, string | null];
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
});
