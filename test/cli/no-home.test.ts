import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { describeProfile, startServer } from '../../src/server/index.ts';
import { type Outcome, runCaptured } from '../support/captured-io.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cwd: string;
let requests: number;

beforeEach(() => {
  cwd = temporaryFolder();
  requests = 0;
  // Where it is empty, the system says that there is no home directory, and so does a user without an entry.
  vi.stubEnv('HOME', '');
});

/** Runs a command for a user without a home directory. */
function run(line: string, env: Record<string, string> = {}): Promise<Outcome> {
  return runCaptured(line.split(' '), { cwd, env: { XDG_STATE_HOME: '', ...env } });
}

/** Writes the profile of a server whose token requests count, `target.yaml`. */
async function serve(): Promise<void> {
  const server = await startServer({ accessLog: () => void requests++ });
  onTestFinished(() => server.close(0));
  writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(describeProfile(server)));
}

it.each([
  'check --rule record/pay-type --out out',
  'load --connections 1 --duration 100ms --warmup 0 --threshold p99<10s --out out',
  'rules --json',
])('a command that keeps nothing needs no home directory: %s', async (line) => {
  const { exitCode, stderr } = await run(line);
  expect(stderr).not.toContain('error');
  expect(exitCode).not.toBe(2);
});

it.each([
  'check --target target.yaml --rule record/pay-type --out out',
  'check --target target.yaml --rule record/pay-type --ledger ledger.jsonl --out out',
  'load --target target.yaml --connections 1 --duration 100ms --out out',
])('a command that spends says where to keep that, and sends nothing: %s', async (line) => {
  await serve();
  const { exitCode, stderr } = await run(line);
  expect(stderr).toContain('error STATE_DIRECTORY_UNKNOWN: this user has no home directory');
  expect(stderr).toContain('set FAREPROOF_STATE_DIR');
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: 0 });
});

it('a state directory that is named needs no home directory', async () => {
  await serve();
  const line = 'check --target target.yaml --rule record/pay-type --out out';
  const { exitCode, stderr } = await run(line, { FAREPROOF_STATE_DIR: 'kept' });
  expect(stderr).not.toContain('error');
  expect(exitCode).toBe(0);
});
