import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCaptured } from '../../../support/captured-io.ts';
import { NATS_SERVER, type NatsServer, startNatsServer } from '../../../support/nats-server.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();
const NOWHERE = 'nats://127.0.0.1:1';

describe('agent', () => {
  it.each([
    [[], /required option '--join <url>'/],
    [['--join', 'broker'], /error BROKER_URL: --join/],
    [['--join', NOWHERE, '--name', 'a.b'], /error AGENT_NAME:/],
    [['--join', NOWHERE, '--workers', '0'], /error FLAG_VALUE: --workers/],
  ])('refuses %j', async (flags, error) => {
    const { exitCode, stderr } = await runCaptured(['agent', ...flags]);
    expect(stderr).toMatch(error);
    expect(exitCode).toBe(2);
  });

  it('takes no credentials from its flags, and does not repeat them', async () => {
    const { exitCode, stderr } = await runCaptured(['agent', '--join', 'nats://sam:key-7@broker']);
    expect(stderr).toContain('error BROKER_URL:');
    expect(stderr).toContain('FAREPROOF_JOIN_TOKEN');
    expect(stderr).not.toContain('key-7');
    expect(exitCode).toBe(2);
  });

  it('reads a credentials file, and does not repeat what is in it', async () => {
    writeFileSync(join(folder, 'agent.creds'), 'not-a-seed-7');
    const env = { FAREPROOF_NATS_CREDS: 'agent.creds' };
    const { exitCode, stderr } = await runCaptured(['agent', '--join', NOWHERE], {
      env,
      cwd: folder,
    });
    expect(stderr).toContain('error NATS_CREDS_FORMAT: FAREPROOF_NATS_CREDS');
    expect(stderr).not.toContain('not-a-seed-7');
    expect(exitCode).toBe(2);
  });

  it.each([
    [{ FAREPROOF_NATS_CREDS: 'none.creds' }, 'FILE_NOT_READ'],
    [{ FAREPROOF_NATS_CREDS: 'none.creds', FAREPROOF_JOIN_TOKEN: 'x' }, 'BROKER_CREDENTIALS'],
  ])('refuses the environment %j', async (env, code) => {
    const given = { env, cwd: folder };
    const { exitCode, stderr } = await runCaptured(['agent', '--join', NOWHERE], given);
    expect(stderr).toContain(`error ${code}:`);
    expect(exitCode).toBe(2);
  });
});

describe.runIf(NATS_SERVER !== null)('with a broker', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer('authorization { token: right-7 }');
  });
  afterAll(() => server.stop());

  it('an agent with wrong credentials ends, and does not repeat them', async () => {
    const env = { FAREPROOF_JOIN_TOKEN: 'wrong-7' };
    const { exitCode, stderr } = await runCaptured(['agent', '--join', server.url], { env });
    expect(stderr).toContain('error BROKER_REFUSED:');
    expect(stderr).not.toContain('wrong-7');
    expect(exitCode).toBe(2);
  });

  it.each([
    ['agent', ['--join'], 0, 'waiting for a load --via nats://127.0.0.1'],
    ['load', ['--agents', '2', '--via'], 130, 'waiting for 2 agents on nats://127.0.0.1'],
  ])('%s waits until an interruption', async (command, flags, code, line) => {
    const interruption = new AbortController();
    const interrupt = (text: string): void => {
      if (text.includes(line)) interruption.abort('SIGINT');
    };
    const { exitCode } = await runCaptured([command, ...flags, server.url], {
      env: { FAREPROOF_JOIN_TOKEN: 'right-7' },
      interruption: interruption.signal,
      onStdout: interrupt,
      onStderr: interrupt,
    });
    expect(exitCode).toBe(code);
  });
});

describe('load --via', () => {
  it.each([
    [['--via', NOWHERE], 'LOAD_OPTIONS_INVALID'],
    [['--agents', '2', '--join-timeout', '5s'], 'LOAD_OPTIONS_INVALID'],
    [['--agents', '2', '--via', NOWHERE, '--join-timeout', '0s'], 'LOAD_OPTIONS_INVALID'],
    [['--agents', '2', '--via', 'http://broker'], 'BROKER_URL'],
  ])('refuses %j', async (flags, code) => {
    const { exitCode, stderr } = await runCaptured(['load', ...flags]);
    expect(stderr).toContain(`error ${code}:`);
    expect(exitCode).toBe(2);
  });

  it('asks for permission before it waits for agents', async () => {
    const profile = join(folder, 'far.yaml');
    const partner = '{ id: p, signingKey: k, use: general }';
    writeFileSync(profile, `name: far\nbaseUrl: https://fares.example\npartners: [${partner}]\n`);
    const flags = ['--target', profile, '--agents', '2', '--via', NOWHERE];
    const { stderr } = await runCaptured(['load', ...flags]);
    expect(stderr).toContain('error LOAD_NOT_PERMITTED:');
  });
});
