import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServiceResult } from '../../../../src/conformance/index.ts';
import { createRandom } from '../../../../src/load/seeded-random.ts';
import { SERVICE_SHAPES } from '../../../independent-service/estimates.ts';
import { middayNow } from '../../../independent-service/midday.ts';
import { secretsIn, secretsOf } from '../../../independent-service/secrets.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { compiledPackage } from '../../../support/compiled.ts';
import { SEED } from '../../../support/property.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const compiled = compiledPackage();
let service: OutsideService;
/** Folder with the profile of its partners. */
let folder: string;
const children = new Set<ChildProcess>();

/** Runs the program with the clock of the service: near a quarter of an hour it would wait. */
function launcherAtMidday(): string {
  const launcher = JSON.stringify(pathToFileURL(compiled.path('cli/launch.js')).href);
  return `const Machine = Date;
globalThis.Date = class extends Machine {
  static now() { return Machine.now() + ${middayNow() - Date.now()}; }
  constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); }
};
const { launch } = await import(${launcher});
await launch();
`;
}

beforeEach(startService);

async function startService(): Promise<void> {
  folder = temporaryFolder();
  writeFileSync(join(folder, 'launch.mjs'), launcherAtMidday());
  service = await new OutsideService(STYLES[1]!, []).start();
  const partners = (['general', 'general', 'witness', 'spendable', 'spendable'] as const).map(
    (use, at) => {
      const authCodes = Array.from({ length: 6 }, (_, number) => `code-${at}-${number}`);
      const { id, key } = service.addPartner(`partner-${at}`, authCodes);
      return { id, signingKey: key, use, authCodes };
    },
  );
  const { baseUrl, style } = service;
  const signature = { tokenFields: style.tokenFields };
  const profile = { name: 'outside', baseUrl, partners, signature, estimates: SERVICE_SHAPES };
  writeFileSync(join(folder, 'profile.yaml'), JSON.stringify(profile));
}

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await service.stop();
});

interface Ended {
  code: number | null;
  signal: string | null;
  stderr: string;
}

/** Runs the shipped program; `onStart` gets the process. */
function run(args: readonly string[], onStart: (child: ChildProcess) => void = () => undefined) {
  return new Promise<Ended>((resolve) => {
    const child = spawn(process.execPath, [join(folder, 'launch.mjs'), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], XDG_STATE_HOME: join(folder, 'state') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.add(child);
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('close', (code, signal) => {
      children.delete(child);
      resolve({ code, signal, stderr });
    });
    onStart(child);
  });
}

const RUN_FILES = ['junit.xml', 'report.html', 'run.json', 'summary.md'];

/** Expects that the folder of the run may be published, and that its state has the tokens. */
function expectPublishable(files: readonly string[]): void {
  const secrets = secretsOf(service);
  const published = secretsIn(join(folder, 'out'), secrets);
  expect(Object.keys(published).sort()).toEqual([...files].sort());
  expect(Object.values(published).flat()).toEqual([]);
  expect(Object.values(secretsIn(statesPath(), secrets)).flat()).not.toEqual([]);
}

const RESUME = ['check', '--resume', 'out'];
const CHECK = ['check', '--target', 'profile.yaml', '--out', 'out', '--timeout', '60000'];

function documentOf(): ServiceResult {
  return JSON.parse(readFileSync(join(folder, 'out', 'run.json'), 'utf8')) as ServiceResult;
}

/** Folder of the states of unfinished runs. */
const statesPath = (): string => join(folder, 'state', 'fareproof', 'runs');

/** Ids of the runs that have a state. */
function unfinishedRuns(): string[] {
  return existsSync(statesPath()) ? readdirSync(statesPath()) : [];
}

/** Number of answered token requests, as recorded by the run. */
function answeredTokenRequests(): number {
  const paths = unfinishedRuns().map((id) => join(statesPath(), id, 'progress.jsonl'));
  const lines = paths
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'));
  return lines.filter((line) => line.startsWith('{"exchange"') && line.includes('"POST"')).length;
}

function killWhenSeen(number: number, signal: NodeJS.Signals) {
  return (child: ChildProcess): void => {
    let seen = 0;
    service.onRequest = () => {
      if (++seen === number) child.kill(signal);
    };
  };
}

it('an interrupted run writes its results, exits with 130, and can be resumed', {
  tags: ['long'],
}, async () => {
  const first = await run(CHECK, killWhenSeen(40, 'SIGINT'));
  service.onRequest = () => undefined;
  expect(first.code).toBe(130);
  expect(first.stderr).toContain('--resume');
  expect(documentOf().interrupted).toBe(true);
  expect(documentOf().summary.fail).toBe(0);
  expectPublishable(['run-id', ...RUN_FILES]);
  const second = await run(['check', '--resume', 'out']);
  expect(second.stderr).not.toContain('error');
  const document = documentOf();
  expect(document.interrupted).toBeUndefined();
  expect(document.summary).toMatchObject({ fail: 0, warn: 0, inconclusive: 0 });
  expect(document.summary.pass).toBeGreaterThan(60);
  expect(service.bans).toEqual([]);
  // The files that a reader wants are kept; pending rules are reported.
  expect(second.stderr).toContain('quota/daily-reset: pending until');
  expectPublishable(['run-id', ...RUN_FILES]);
});

it('a run that is killed leaves only its id in its folder', async () => {
  const args = [...CHECK, '--rule', 'quota/daily-reset'];
  const { signal } = await run(args, killWhenSeen(9, 'SIGKILL'));
  expect(signal).toBe('SIGKILL');
  expectPublishable(['run-id']);
});

it('a run is not resumed without its state, and the error names both', async () => {
  await run([...CHECK, '--rule', 'quota/daily-reset'], killWhenSeen(9, 'SIGKILL'));
  const id = readFileSync(join(folder, 'out', 'run-id'), 'utf8').trim();
  renameSync(join(folder, 'state'), join(folder, 'elsewhere'));
  const { code, stderr } = await run(RESUME);
  expect(code).toBe(2);
  expect(stderr).toContain(`error RESUME_NOTHING: ${join(folder, 'out')}: `);
  expect(stderr).toContain(join(statesPath(), id));
});

it.each([1, 7, 33, 70])(
  'a run that is killed at request %i is resumed, and sends nothing twice that counts',
  { tags: ['long'] },
  async (number) => {
    const args = [...CHECK, '--allow-ban'];
    const first = await run(args, killWhenSeen(number, 'SIGKILL'));
    service.onRequest = () => undefined;
    expect(first.signal).toBe('SIGKILL');
    const before = service.bodies.length;
    const second = await run(RESUME);
    expect(second.stderr).not.toContain('error');
    const document = documentOf();
    expect(document.summary).toMatchObject({ fail: 0, warn: 0 });
    expect(new Set(service.bans)).toEqual(new Set(['partner-3', 'partner-4']));
    // On purpose: one is sent twice, and one six times at once.
    expect(service.replayed.length).toBeLessThanOrEqual(6);
    const earlier = new Set(service.bodies.slice(0, before));
    expect(service.bodies.slice(before).filter((body) => earlier.has(body))).toEqual([]);
    for (const { platform, user, refresh } of Object.values(document.spend)) {
      expect(platform).toBeLessThanOrEqual(11);
      expect(user).toBeLessThanOrEqual(5);
      expect(refresh).toBeLessThanOrEqual(11);
    }
    const third = await run(RESUME);
    expect(third.stderr).toContain('pending until');
    expect(documentOf().rules).toEqual(document.rules);
  },
);

/** 60 by hand: FAREPROOF_KILLS=60 npx vitest run test/cli/commands/check/process.test.ts -t 'random moments' */
const KILLS = Number(process.env['FAREPROOF_KILLS'] ?? 4);

/** Files that a reader wants, and those from which a run is resumed: none may be empty or torn. */
function expectWholeFiles(): void {
  const out = join(folder, 'out');
  for (const name of existsSync(out) ? readdirSync(out) : []) {
    // A draft is a file only once it is renamed.
    if (name.endsWith('.new')) continue;
    expect([name, statSync(join(out, name)).size > 0]).toEqual([name, true]);
    if (name === 'run.json') expect(documentOf()).toHaveProperty('rules');
  }
}

/** Refresh_tokens that the service has exchanged. */
function usedTokens(): Set<string> {
  return new Set(
    [...service.refreshes].flatMap(([text, { usedAt }]) => (usedAt === null ? [] : text)),
  );
}

it(`${KILLS} kills at random moments ban nobody, and use no refresh_token again`, {
  timeout: KILLS * 60_000,
  tags: ['long'],
}, async () => {
  const random = createRandom(SEED, 'kills');
  let [kills, longestMs] = [0, 2_000];
  for (;;) {
    for (let isFinished = false; !isFinished; ) {
      const isResumed = existsSync(join(folder, 'out', 'run-id'));
      const used = usedTokens();
      const replayedBefore = service.replayed.length;
      const startMs = performance.now();
      const afterMs = random() * longestMs;
      const { code, signal, stderr } = await run(isResumed ? RESUME : CHECK, (child) => {
        if (kills < KILLS) setTimeout(() => child.kill('SIGKILL'), afterMs);
      });
      expectWholeFiles();
      const again = service.replayed.slice(replayedBefore).filter((token) => used.has(token));
      expect(again).toEqual([]);
      const left = Object.entries(secretsIn(join(folder, 'out'), secretsOf(service)));
      expect(left.filter(([, secrets]) => secrets.length > 0)).toEqual([]);
      isFinished = signal === null;
      if (isFinished) {
        // The answer of a request under way is lost: a rule may stay inconclusive.
        expect([0, 3]).toContain(code);
        expect(stderr).not.toContain('error ');
        expect(documentOf().summary).toMatchObject({ fail: 0, warn: 0 });
        longestMs = Math.max(longestMs, performance.now() - startMs);
      } else kills++;
    }
    expect(service.bans).toEqual([]);
    if (kills >= KILLS) return;
    await service.stop();
    await startService();
  }
});

it('a run that finished leaves nothing to resume', {
  tags: ['long'],
}, async () => {
  const first = await run([...CHECK, '--rule', 'token/nostr-length']);
  expect(first.code).toBe(0);
  expect(existsSync(join(folder, 'out', 'run-id'))).toBe(false);
  expect(unfinishedRuns()).toEqual([]);
  const again = await run(['check', '--resume', 'out']);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('RESUME_NOTHING');
});

it('--wait exits with 130 when interrupted, and keeps pending rules', {
  tags: ['long'],
}, async () => {
  const only = ['--rule', 'quota/daily-reset'];
  const first = await run([...CHECK, ...only, '--wait'], (child) => {
    // After the last of the ten refreshes comes the wait for the next day.
    const looking = setInterval(() => {
      if (answeredTokenRequests() !== 11) return;
      // Once: a second signal ends the process at once.
      clearInterval(looking);
      child.kill('SIGINT');
    }, 50);
    child.once('close', () => clearInterval(looking));
  });
  expect(first.code).toBe(130);
  const rule = documentOf().rules.find(({ id }) => id === 'quota/daily-reset');
  expect(rule).toMatchObject({ verdict: 'untestable' });
  expect(rule?.reason).toMatch(/^pending until \d{4}-\d\d-\d\dT/);
  expect(service.bodies).toHaveLength(11);
});
