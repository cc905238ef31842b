import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../../src/load/index.ts';
import { type FakeBehaviour, type FakeTarget, startFakeTarget } from '../../../load/fake-target.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { faultsOf } from '../../../support/judged-generators.ts';
import { strictProblems } from '../../../support/strict-document.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';

/** True if the generator is to be found late. */
let late = false;

let fake: FakeTarget | undefined;
let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});
afterEach(async () => {
  late = false;
  await fake?.close();
});

const SHORT = ['--duration', '300ms', '--warmup', '0', '--connections', '2', '--out', 'out'];

async function start(behaviour: FakeBehaviour = {}): Promise<FakeTarget> {
  fake = await startFakeTarget(behaviour);
  writeFileSync(join(cwd, 'target.yaml'), stringify(fake.profile));
  return fake;
}

const run = (args: readonly string[], interruption?: AbortSignal) =>
  runCaptured(['load', ...args], {
    cwd,
    load: { clock: unhurriedClock(systemClock()), findFaults: faultsOf({ late }) },
    ...(interruption && { interruption }),
  });
const load = (...args: string[]) => run(['--target', 'target.yaml', ...args]);
function readOut(name: string) {
  const document = JSON.parse(readFileSync(join(cwd, 'out', name), 'utf8'));
  expect(strictProblems(document)).toEqual([]);
  return document;
}

describe('fareproof load', () => {
  it('writes the exports of each run into its folder', { tags: ['long'] }, async () => {
    await start();
    const one = await load(...SHORT, '--export', 'csv,prometheus');
    expect(one.exitCode).toBe(0);
    expect(readFileSync(join(cwd, 'out/seconds.csv'), 'utf8')).toMatch(/^second,rate,/);
    expect(existsSync(join(cwd, 'out/metrics.prom'))).toBe(true);
    expect(existsSync(join(cwd, 'out/response.hgrm'))).toBe(false);
    await load(...SHORT.slice(0, -1), 'two', '--runs', '2', '--export', 'hgrm');
    for (const file of ['run-1-response.hgrm', 'run-2-service.hgrm'])
      expect(existsSync(join(cwd, 'two', file))).toBe(true);
  });

  it.each([
    [['--export', 'cvs'], /^error EXPORT_UNKNOWN: --export: .*"cvs"; did you mean csv\?/],
    [
      ['--export', 'csv', '--find-max', 'p99<1s'],
      /^error LOAD_OPTIONS_INVALID: --find-max: .* --export/,
    ],
  ])('refuses %j before anything is sent', async (flags, message) => {
    const { authorizations, tokenRequests } = await start();
    const { exitCode, stderr } = await load(...SHORT, ...flags);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect([...authorizations, ...tokenRequests]).toEqual([]);
  });

  it('passes: exit 0, files in its folder, and with --json only the document on stdout', async () => {
    await start();
    const flags = ['--json', '--threshold', 'errors<1%', '--label', '1.5'];
    const { exitCode, stdout } = await load(...SHORT, ...flags);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      kind: 'load',
      tool: { name: 'fareproof' },
      verdict: 'held',
      label: '1.5',
      machine: { cpu: expect.stringMatching(/./), cores: expect.any(Number) },
    });
    expect(exitCode).toBe(0);
    expect(readOut('run.json')).toEqual(document);
    for (const name of ['report.html', 'junit.xml', 'summary.md']) {
      expect(existsSync(join(cwd, 'out', name))).toBe(true);
    }
  });

  it('fails: exit 1, and the threshold is a failure in JUnit', async () => {
    await start();
    const { exitCode, stdout } = await load(...SHORT, '--threshold', 'rate>10000000/s');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('rate>10000000/s');
    expect(readFileSync(join(cwd, 'out', 'junit.xml'), 'utf8')).toContain('<failure');
  });

  it('cannot judge with a late generator: exit 3, with a reason', async () => {
    late = true;
    await start();
    const { exitCode, stdout } = await load(...SHORT, '--json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'invalid',
      invalidBy: 'lateness',
      reason: expect.stringContaining('The generator was late.'),
    });
  });

  it.each([
    [['--threshold', 'p99<20'], "--threshold: 'p99<20'"],
    [['--abort-on', 'error>5%'], "--abort-on: 'error>5%'"],
    [['--find-max', 'p99<x'], "--find-max: 'p99<x'"],
    [['--rate', 'fast'], '--rate'],
    [['--seed', '1e3'], '--seed: give an integer from 0 up'],
    [['--rate', '10', '--stages', '10/1s'], '--stages'],
    [['--rate', '10', '--engine', 'autocannon'], 'closed-loop'],
    [['--connections', '1.5'], '--connections'],
    [['--mix', 'carpoolSeats=1'], 'carpoolSeats'],
    [['--abort-on', 'reconnected>5%'], 'leave it out, or use --threshold'],
    [
      ['--engine', 'autocannon', '--threshold', 'reconnected<1%'],
      'autocannon sends no request again; leave it out, or use --engine native',
    ],
    [['--routes', 'none.csv'], 'none.csv'],
    [['--suite', 'none'], 'none'],
    [['--find-max', 'p99<20ms', '--runs', '3'], '--runs'],
    [['--duration', 'long'], '--duration'],
    [['--find-max', 'p99>5ms'], "--find-max: 'p99>5ms'"],
    [['--find-max', 'rate>5'], "--find-max: 'rate>5'"],
    [['--find-max', 'p99<1ms', '--connections', '0'], '--connections'],
    [['--runs', '2', '--rate', '0'], '--rate'],
    [['--runs', '2', '--mix', 'carpoolSeats=1'], 'carpoolSeats'],
    [['--against', 'target.yaml', '--rate', '0'], '--rate'],
    [['--rate', '99999999999999999999'], 'at most 10,000,000'],
    [['--stages', '99999999999/1s'], 'at most 10,000,000'],
    [['--connections', '100000000'], 'from 1 to 65,535'],
    [['--workers', '100'], 'from 1 to 64'],
    [['--margin', '5'], '--against'],
    [['--validate', '150%'], '--validate'],
    [['--validate', 'half%'], '--validate'],
  ])('refuses %j with exit 2, and says what is wrong', async (args, message) => {
    const target = await start();
    const { exitCode, stderr } = await load(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(target.tokenRequests).toHaveLength(0);
  });

  it('refuses an address beyond loopback without permission', async () => {
    const target = await start();
    const foreign = { ...target.profile, baseUrl: 'http://192.0.2.1:9' };
    writeFileSync(join(cwd, 'target.yaml'), stringify(foreign));
    const { exitCode, stderr } = await load(...SHORT);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--i-may-load-this-target');
  });

  it.each([
    [[], 'load', 'invalid'],
    [['--find-max', 'p50<5ms'], 'find-max', 'target-unreachable'],
  ])('cannot judge an unreachable target, and says so: exit 3, %j', async (how, kind, verdict) => {
    const target = await start();
    const gone = { ...target.profile, baseUrl: CLOSED_ADDRESS };
    writeFileSync(join(cwd, 'target.yaml'), stringify(gone));
    const { exitCode, stdout } = await load(...SHORT, ...how);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('TARGET_UNREACHABLE');
    expect(readOut('run.json')).toMatchObject({ kind, verdict });
    expect(existsSync(join(cwd, 'out', 'junit.xml'))).toBe(true);
  });

  it.each([
    ['', 'load'],
    ['--find-max', 'find-max'],
  ])(
    'could not judge one that an accessToken found gone: exit 3, and the document %s',
    async (flag, kind) => {
      const target = await start();
      const partners = target.profile.partners.map((partner) => ({
        ...partner,
        accessToken: 'own',
      }));
      const gone = { ...target.profile, partners, baseUrl: CLOSED_ADDRESS };
      writeFileSync(join(cwd, 'target.yaml'), stringify(gone));
      const how = flag === '' ? ['--abort-on', 'errors>5%'] : [flag, 'p50<5ms'];
      const { exitCode } = await load(...SHORT, '--rate', '50', ...how);
      expect(exitCode).toBe(3);
      const { reason, ...document } = readOut('run.json');
      expect(document).toMatchObject({ kind });
      expect(document.verdict).toBe(kind === 'load' ? 'invalid' : 'target-unreachable');
      expect(document.trials ?? []).toMatchObject(
        kind === 'load' ? [] : [{ held: false, valid: false }],
      );
      expect(reason).toMatch(/^TARGET_UNREACHABLE: .*ECONNREFUSED.*Start it, or fix baseUrl/);
    },
  );

  it('writes an interrupted trial: exit 130', async () => {
    const target = await start();
    const interrupt = new AbortController();
    const enough = setInterval(() => target.paths.length > 20 && interrupt.abort('SIGINT'), 10);
    const search = ['--find-max', 'p99<9s', '--duration', '60s', '--warmup', '0', '--out', 'out'];
    const { exitCode } = await run(['--target', 'target.yaml', ...search], interrupt.signal);
    clearInterval(enough);
    expect(exitCode).toBe(130);
    const { trials, verdict } = readOut('run.json');
    expect(verdict).toBe('interrupted');
    expect(trials).toMatchObject([{ rate: 200, held: false, valid: false, interrupted: true }]);
    expect(trials[0].latencyUs.response.count).toBeGreaterThan(0);
    expect(trials[0].durationS).toBeLessThan(60);
    expect(trials[0].reason).toContain('Interrupted after');
  });

  it('writes results when interrupted: exit 130', async () => {
    const target = await start();
    const interrupt = new AbortController();
    const enough = setInterval(() => target.paths.length > 20 && interrupt.abort('SIGINT'), 10);
    const { exitCode } = await run(
      ['--target', 'target.yaml', '--duration', '60s', '--warmup', '0', '--out', 'out'],
      interrupt.signal,
    );
    clearInterval(enough);
    expect(exitCode).toBe(130);
    expect(readOut('run.json')).toMatchObject({ interrupted: true });
    expect(readOut('run.json').achieved.ok).toBeGreaterThan(0);
  });

  it('takes settings from a suite, overridden by flags', async () => {
    const target = await start();
    writeFileSync(
      join(cwd, 'mine.yaml'),
      stringify({
        name: 'mine',
        load: { rate: 100, duration: '60s', warmup: 0, threshold: 'p50<9s' },
      }),
    );
    const { stdout } = await load(
      '--suite',
      'mine.yaml',
      '--duration',
      '200ms',
      '--json',
      '--out',
      'out',
    );
    const document = JSON.parse(stdout);
    expect(document.intended).toMatchObject({ rate: 100, durationS: 0.2 });
    expect(document.thresholds).toMatchObject([
      { expression: 'p50<9s' },
      { expression: 'errors<1%', isDefault: true },
    ]);
    expect(target.paths).toHaveLength(20);
  });

  it.each([
    ['rate: -5', 'mine.yaml:4: load.rate'],
    ["threshold: [p99<20ms, 'p99<20']", "mine.yaml:4: load.threshold[1]: 'p99<20'"],
    ['threshold: p99<20', "mine.yaml:4: load.threshold[0]: 'p99<20'"],
    ["abortOn: 'errors>5'", "mine.yaml:4: load.abortOn[0]: 'errors>5'"],
    ['duration: long', 'mine.yaml:4: load.duration: give a time'],
    ['timeout: 0', 'mine.yaml:4: load.timeout: give a time'],
    ['mix: plane=1', "mine.yaml:4: load.mix: 'plane=1'"],
    [
      'mix: carpoolSeats=1',
      'mine.yaml:4: load.mix: the profile has no query estimates.carpoolSeats',
    ],
    ['findMax: p99>20ms', "mine.yaml:4: load.findMax: 'p99>20ms'"],
    ['findMax: p99<20ms\n  threshold: p99<20ms', 'mine.yaml:5: load.threshold'],
    ['rate: 5\n  stages: 5/1s', 'mine.yaml:4: load.rate: conflicts with mine.yaml:5: load.stages'],
    ['stages: five', "mine.yaml:4: load.stages[0]: 'five'"],
    ['connections: 100000000', 'mine.yaml:4: load.connections: give'],
    ['routes: none.csv', 'mine.yaml:4: load.routes: none.csv'],
    ['validate: 150%', 'mine.yaml:4: load.validate'],
    ['engine: autocannon\n  workers: 2', 'mine.yaml:5: load.workers'],
  ])('names the file, the line and the field of a suite with %j', async (setting, message) => {
    const target = await start();
    writeFileSync(join(cwd, 'mine.yaml'), `name: mine\nload:\n  seed: 1\n  ${setting}\n`);
    const { exitCode, stderr } = await load('--suite', 'mine.yaml');
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(target.tokenRequests).toHaveLength(0);
  });

  it('names the flag and the suite field that conflict', async () => {
    await start();
    writeFileSync(join(cwd, 'mine.yaml'), 'name: mine\nload:\n  stages: 5/1s\n  rate: 5\n');
    const over = await load('--suite', 'mine.yaml', '--rate', '0');
    expect(over.stderr).toContain('--rate: give');
    const against = await load('--suite', 'mine.yaml', '--stages', '5/1s', '--duration', '1s');
    expect(against.stderr).toContain('--stages: conflicts with --duration');
  });

  it('accepts the validated share as a percentage', async () => {
    await start({ estimate: (_request, response) => response.end('oops') });
    await load(...SHORT, '--validate', '100%');
    expect(Object.keys(readOut('run.json').errors)).toEqual(['answer-not-json']);
  });

  it('runs several times: a file for each, and the list', { tags: ['long'] }, async () => {
    const target = await start();
    const { stdout } = await load(...SHORT, '--runs', '2', '--json');
    const document = JSON.parse(stdout);
    expect(document.kind).toBe('load-set');
    expect(document.runs).toHaveLength(2);
    expect(readOut('run-1.json')).toEqual(document.runs[0]);
    expect(readOut('run-2.json')).toEqual(document.runs[1]);
    expect(target.tokenRequests).toHaveLength(1);
  });

  it('compares two targets in interleaved pairs; too few are inconclusive: exit 3', {
    tags: ['long'],
  }, async () => {
    await start();
    const { exitCode, stdout } = await load(
      ...SHORT,
      '--against',
      'target.yaml',
      '--runs',
      '2',
      '--json',
    );
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ kind: 'comparison', verdict: 'inconclusive', paired: true });
    expect(document.runs.a).toHaveLength(2);
    expect(document.runs.b).toHaveLength(2);
    expect(exitCode).toBe(3);
    for (const name of ['base-1.json', 'base-2.json', 'candidate-1.json', 'candidate-2.json']) {
      expect(readOut(name)).toMatchObject({ kind: 'load' });
    }
  });

  it('puts load on the embedded server if no target is given', async () => {
    const { stdout, exitCode } = await run([...SHORT, '--json', '--validate', '1']);
    const document = JSON.parse(stdout);
    expect(document.achieved.failed).toBe(0);
    expect(document.server).toMatchObject({
      rssBytes: expect.any(Number),
      gcMs: expect.any(Number),
    });
    expect(exitCode).toBe(0);
  });
});

describe('progress', () => {
  it('goes to stderr, without the token', async () => {
    await start();
    const { stdout, stderr } = await load(...SHORT);
    expect(stderr).toContain('report:');
    const written = readFileSync(join(cwd, 'out', 'run.json'), 'utf8');
    for (const text of [stdout, stderr, written]) expect(text).not.toContain('token-1');
  });
});
