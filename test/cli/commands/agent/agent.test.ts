// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadDocument } from '../../../../src/documents/load.ts';
import { type FakeTarget, startFakeTarget } from '../../../load/fake-target.ts';
import { LOOPBACK_TLS } from '../../../support/loopback-certificate.ts';
import {
  HOW_TO_GET_NATS_SERVER,
  NATS_SERVER,
  type NatsServer,
  startNatsServer,
} from '../../../support/nats-server.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

if (NATS_SERVER === null) console.warn(`\n!!! ${HOW_TO_GET_NATS_SERVER}\n`);

const LAUNCHER = fileURLToPath(new URL('../../../../bin/fareproof.js', import.meta.url));
const folder = temporaryFolderOfFile();
const TOKEN = 'join-token-7';
const AUTHORIZATION = `authorization { token: ${TOKEN} }`;

let server: NatsServer | undefined;
let target: FakeTarget | undefined;
const children: Child[] = [];
afterEach(async () => {
  for (const { process: child } of children.splice(0)) child.kill('SIGKILL');
  await Promise.all([server?.stop(), target?.close()]);
  server = undefined;
  target = undefined;
});

/** A running command, and what it has printed so far. */
interface Child {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly code: Promise<number | null>;
}

function fareproof(args: readonly string[], env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: folder,
    env: { ...process.env, FAREPROOF_JOIN_TOKEN: TOKEN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const code = once(child, 'close').then(([exitCode]) => exitCode as number | null);
  const started = { process: child, output: () => output, code };
  children.push(started);
  return started;
}

const agent = (url: string, name: string, ...flags: readonly string[]): Child =>
  fareproof(['agent', '--join', url, '--name', name, ...flags]);

const load = (url: string, agents: number, ...flags: readonly string[]): Child =>
  fareproof(['load', '--agents', `${agents}`, '--via', url, '--warmup', '0s', ...flags]);

const LASTING = ['--rate', '200', '--duration', '60s'];

const prints = (child: Child, words: string): Promise<boolean> =>
  vi.waitUntil(() => child.output().includes(words), { timeout: 60_000, interval: 10 });

async function documentOf(child: Child): Promise<LoadDocument> {
  return JSON.parse(await text(child.process.stdout!)) as LoadDocument;
}

describe.runIf(NATS_SERVER !== null)('agents over NATS', () => {
  it('join over TLS, say what they do, and stay for the next load', async () => {
    for (const [name, pem] of Object.entries(LOOPBACK_TLS)) {
      writeFileSync(join(folder, `${name}.pem`), pem);
    }
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
    server = await startNatsServer(
      `${AUTHORIZATION}\ntls { cert_file: "${cert}", key_file: "${key}" }`,
    );
    const url = `tls://127.0.0.1:${server.port}/team-a`;
    const env = { NODE_EXTRA_CA_CERTS: cert! };
    const join_ = ['agent', '--join', url, '--name'];
    const stays = fareproof([...join_, 'stays', '--workers', '2'], env);
    const once_ = fareproof([...join_, 'once', '--once'], env);
    const flags = ['--agents', '2', '--via', url, '--rate', '300', '--warmup', '0s'];
    const out = ['--duration', '1s', '--json', '--out', join(folder, 'run')];
    const loading = fareproof(['load', ...flags, ...out], env);
    const run = await documentOf(loading);
    expect(run.achieved).toMatchObject({ planned: 300, ok: 300 });
    expect(loading.output()).toMatch(
      /agent (once|stays) joined, 1 of 2\nagent (once|stays) joined, 2 of 2\n/,
    );
    const parts = run.agents?.map(({ name, workers, sent }) => [name, workers, sent]);
    expect(parts?.toSorted()).toEqual([
      ['once', 1, 100],
      ['stays', 2, 200],
    ]);
    expect(await once_.code).toBe(0);
    const lines = (name: string): RegExp[] =>
      [
        `waiting for a load --via tls://127.0.0.1:${server?.port} (group team-a)`,
        `joined as ${name}`,
        'ready for a run against 127.0.0.1:',
        'run ended',
        'no longer needed',
      ].map((line) => new RegExp(`^${line.replace(/[()]/g, '\\$&')}`));
    const said = once_.output().trimEnd().split('\n');
    expect(said).toEqual(lines('once').map((line) => expect.stringMatching(line)));
    await vi.waitUntil(() => stays.output().split('waiting').length === 3, 60_000);
    stays.process.kill('SIGINT');
    expect(await stays.code).toBe(0);
    for (const child of children) expect(child.output()).not.toContain(TOKEN);
  });

  it('are lost, killed or stopped, and the run is invalid', async () => {
    server = await startNatsServer(AUTHORIZATION);
    const { url } = server;
    target = await startFakeTarget();
    writeFileSync(join(folder, 'target.yaml'), JSON.stringify(target.profile));
    const [killed, stopped] = ['killed', 'stopped', 'whole'].map((name) => agent(url, name));
    const flags = ['--target', 'target.yaml', '--ledger', 'ledger.jsonl', '--rate', '300'];
    const loading = load(url, 3, ...flags, '--duration', '2500ms', '--json', '--out', 'lost');
    const document = documentOf(loading);
    await vi.waitUntil(() => target!.paths.length > 30, { timeout: 60_000, interval: 10 });
    killed!.process.kill('SIGKILL');
    stopped!.process.kill('SIGSTOP');
    const run = await document;
    expect(await loading.code).toBe(3);
    expect(run.verdict).toBe('invalid');
    const losses = Object.fromEntries(
      run.agents!.map(({ name, lost }) => [name, lost?.how ?? 'none']),
    );
    expect(losses).toEqual({ killed: 'ended', stopped: 'silent', whole: 'none' });
    stopped!.process.kill('SIGCONT');
    await prints(stopped!, 'the controller was lost');
  });

  it('end their part when the controller is killed, and with --once their process', async () => {
    server = await startNatsServer(AUTHORIZATION);
    const stays = agent(server.url, 'stays');
    const once_ = agent(server.url, 'once', '--once');
    const loading = load(server.url, 2, ...LASTING);
    await Promise.all([stays, once_].map((one) => prints(one, 'ready')));
    loading.process.kill('SIGKILL');
    expect(await once_.code).toBe(3);
    expect(once_.output()).toContain('error CONTROLLER_LOST:');
    await vi.waitUntil(() => stays.output().split('waiting').length === 3, 60_000);
    expect(stays.output()).toContain('run ended\nthe controller was lost');
    expect(stays.process.exitCode).toBeNull();
  });
});
