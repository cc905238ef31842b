import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { ProfilePartner } from '../../../../src/interface/index.ts';
import { describeProfile, type RunningServer, startServer } from '../../../../src/server/index.ts';
import { type Outcome, runCaptured } from '../../../support/captured-io.ts';
import { faultsOf } from '../../../support/judged-generators.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

// The server shares this thread, so the generator may rightly be found late.
const GENERATORS = { findFaults: faultsOf({ late: false }) };

const CODES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
const PARTNERS: ProfilePartner[] = [
  { id: 'p-100', signingKey: 'key', use: 'general', authCodes: CODES },
];

let server: RunningServer;
let cwd: string;
beforeEach(async () => {
  cwd = temporaryFolder();
  server = await startServer({ partners: PARTNERS });
  write('target.yaml', { ...describeProfile(server), control: undefined, local: undefined });
});
afterEach(() => server.close());

const write = (name: string, content: unknown): void =>
  writeFileSync(join(cwd, name), stringify(JSON.parse(JSON.stringify(content))));

const BRIEF = ['--rate', '20', '--duration', '100ms', '--warmup', '0s', '--out', 'out'];
const DEFAULT_PLACE = '.state/fareproof/ledger.jsonl';
const load = (...more: string[]): Promise<Outcome> =>
  runCaptured(['load', '--target', 'target.yaml', ...BRIEF, ...more], { cwd, load: GENERATORS });
/** Load on the service of a profile with `local: true`. */
const loadLocal = (...more: string[]): Promise<Outcome> => {
  write('local.yaml', { ...describeProfile(server), control: undefined });
  return runCaptured(['load', '--target', 'local.yaml', ...BRIEF, ...more], {
    cwd,
    load: GENERATORS,
  });
};
const ledgerIn = (path: string): { kinds?: string[]; code?: string }[] =>
  readFileSync(join(cwd, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('load and the allowance of a day', () => {
  it('sends ten token requests a day over several runs, and not the eleventh', {
    tags: ['long'],
  }, async () => {
    for (let run = 1; run <= 10; run++) expect((await load()).exitCode).toBe(0);
    const refused = await load();
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toMatch(/^error ALLOWANCE_USED_UP: .*p-100/);
    // In the order of how soon each helps.
    expect(refused.stderr).toMatch(
      /used up.* restart .*local: true.*declared as restarted; .*control API; .*another partner.*; or wait until \d{4}-\d\d-\d\dT\d\d:\d\dZ\./,
    );
    // The partner is not banned: its remaining allowance can still be used.
    expect((await load('--as', 'user')).exitCode).toBe(0);
    expect((await load('--ledger', 'other.jsonl')).exitCode).toBe(3);
    expect(ledgerIn('other.jsonl')).toMatchObject([{ kinds: ['platform'] }]);
  });

  it('tells by the first refusal that a service of its own was not restarted', {
    tags: ['long'],
  }, async () => {
    for (let run = 1; run <= 10; run++) expect((await loadLocal()).exitCode).toBe(0);
    for (const _again of [1, 2]) {
      const refused = await loadLocal();
      expect(refused.exitCode).toBe(3);
      expect(refused.stderr).toMatch(
        /^error TOKEN_REFUSED: .* answered 4\d\d .* p-100 \(.+\)\. The profile says .* its allowances are used up: restart it, or give it a control API\.$/m,
      );
    }
    // The partner is not banned: its remaining allowance can still be used.
    expect((await loadLocal('--as', 'user')).exitCode).toBe(0);
  });

  it.each([
    ['local: true', () => loadLocal('--as', 'user'), () => loadLocal()],
    [
      '--service-restarted',
      () => load('--as', 'user', '--service-restarted'),
      () => load('--service-restarted'),
    ],
  ])(
    'begins anew with a restarted service, by %s',
    { tags: ['long'] },
    async (_by, asUser, asPlatform) => {
      for (let run = 1; run <= 10; run++) expect((await load()).exitCode).toBe(0);
      for (let run = 1; run <= 5; run++) await load('--as', 'user');
      expect((await load()).exitCode).toBe(3);
      const { port } = server;
      await server.close();
      server = await startServer({ partners: PARTNERS, port });
      expect((await asPlatform()).exitCode).toBe(0);
      expect((await asUser()).exitCode).toBe(0);
    },
  );

  it('uses the ledger of check, which counts it', { tags: ['long'] }, async () => {
    await load();
    expect(ledgerIn(DEFAULT_PLACE)).toMatchObject([{ kinds: ['platform'] }]);
    for (let run = 2; run <= 10; run++) await load();
    const check = ['check', '--target', 'target.yaml', '--suite', 'smoke', '--plan'];
    const { stdout } = await runCaptured(check, { cwd });
    const fresh = await runCaptured([...check, '--ledger', 'none.jsonl'], { cwd });
    expect(stdout).not.toBe(fresh.stdout);
  });

  it('sends each auth code once over all runs of a day', { tags: ['long'] }, async () => {
    await load('--as', 'user');
    await load('--as', 'user');
    const codes = ledgerIn(DEFAULT_PLACE).filter(({ code }) => code);
    expect(codes).toHaveLength(2);
    // The file contains no code.
    expect(JSON.stringify(codes)).not.toMatch(/"c\d"/);
    for (let run = 3; run <= 5; run++) expect((await load('--as', 'user')).exitCode).toBe(0);
    const refused = await load('--as', 'user');
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain('ALLOWANCE_USED_UP');
    expect((await load()).exitCode).toBe(0);
  });

  it('reports that each code was sent before', async () => {
    write('target.yaml', {
      ...describeProfile(server),
      control: undefined,
      local: undefined,
      partners: [{ ...PARTNERS[0], authCodes: ['c1'] }],
    });
    expect((await load('--as', 'user')).exitCode).toBe(0);
    const refused = await load('--as', 'user');
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain('AUTH_CODES_USED_UP');
  });

  it('requests no token with an accessToken, and writes no ledger', async () => {
    write('target.yaml', {
      ...describeProfile(server),
      control: undefined,
      local: undefined,
      partners: [{ ...PARTNERS[0], accessToken: 'own' }],
    });
    expect((await load()).exitCode).toBe(1);
    expect(existsSync(join(cwd, '.state'))).toBe(false);
  });

  it('records nothing for the embedded server', async () => {
    const { exitCode } = await runCaptured(['load', ...BRIEF], { cwd, load: GENERATORS });
    expect(exitCode).toBe(0);
    expect(existsSync(join(cwd, '.state'))).toBe(false);
  });

  it('creates a fresh partner if the target has a control API', { tags: ['long'] }, async () => {
    await server.close();
    server = await startServer({ partners: PARTNERS, controlPort: 0 });
    write('target.yaml', describeProfile(server));
    for (let run = 1; run <= 11; run++) expect((await load()).exitCode).toBe(0);
    const { partnerId } = JSON.parse(readFileSync(join(cwd, 'out/run.json'), 'utf8')).workload;
    expect(partnerId).not.toBe('p-100');
  });
});
