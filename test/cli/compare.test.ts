import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createRandom } from '../../src/load/seeded-random.ts';
import { type LoadDocument, parseDocument } from '../../src/report/index.ts';
import { startFakeTarget } from '../load/fake-target.ts';
import { comparisonSample, loadSample } from '../report/samples/load-sample.ts';
import { runCaptured } from './captured-io.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'fareproof-compare-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Build {
  /** How much slower than the sample. */
  shift?: number;
  /** How far single runs scatter around that, as a share. */
  spread?: number;
  seed?: number;
  changes?: Partial<LoadDocument>;
}

/** Runs of one build, one after the other. */
function runsOf(count: number, build: Build = {}): LoadDocument[] {
  const { shift = 1, spread = 0.01, seed = 1, changes = {} } = build;
  const random = createRandom(seed, 'runs');
  return Array.from({ length: count }, (_, index) => {
    const sample = loadSample(1);
    const scaled = Object.fromEntries(
      Object.entries(sample.latencyUs.response).map(([name, us]) => [
        name,
        name === 'count' ? us : us * shift * (1 + spread * (2 * random() - 1)),
      ]),
    ) as LoadDocument['latencyUs']['response'];
    const startMs = Date.parse('2026-11-20T10:00:00.000Z') + seed * 1e9 + index * 2000;
    return {
      ...sample,
      startedAt: new Date(startMs).toISOString(),
      finishedAt: new Date(startMs + 1000).toISOString(),
      latencyUs: { response: scaled, service: sample.latencyUs.service },
      verdict: 'held',
      ...changes,
    };
  });
}

/** Writes each run as a file, and returns their names. */
function write(prefix: string, runs: readonly LoadDocument[]): string[] {
  return runs.map((run, index) => {
    writeFileSync(join(cwd, `${prefix}-${index + 1}.json`), JSON.stringify(run));
    return `${prefix}-${index + 1}.json`;
  });
}

const fareproof = (...args: string[]) => runCaptured(args, { cwd });
const compare = (base: string[], candidate: string[], ...more: string[]) =>
  fareproof('compare', '--base', ...base, '--candidate', ...candidate, '--out', 'out', ...more);
const written = () => parseDocument(JSON.parse(readFileSync(join(cwd, 'out/run.json'), 'utf8')));

describe('fareproof compare', { timeout: 120_000 }, () => {
  it('ends with 1 on worse, and names the margin, the confidence and the correction', async () => {
    const base = write('base', runsOf(8));
    const candidate = write('new', runsOf(8, { shift: 1.2, seed: 2 }));
    const { exitCode, stdout, stderr } = await compare(base, candidate);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('WORSE');
    expect(stdout).toContain('margin of 5 % (95 % confidence, Bonferroni over 3 quantiles)');
    expect(stderr).toContain('report: out/report.html');
    expect(written()).toMatchObject({ kind: 'comparison', verdict: 'worse', runsNeeded: null });
  });

  it.each([
    ['better', 0.8],
    ['equivalent', 1],
  ])('ends with 0 on %s', async (verdict, shift) => {
    const base = write('base', runsOf(8));
    const candidate = write('new', runsOf(8, { shift, seed: 2 }));
    const { exitCode, stdout } = await compare(base, candidate, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict,
      correction: 'Bonferroni over 3 quantiles',
    });
    expect(written()).toEqual(JSON.parse(stdout));
  });

  it('ends with 3 where the runs do not tell, and says how many would', async () => {
    const base = write('base', runsOf(6, { spread: 0.2 }));
    const candidate = write('new', runsOf(6, { spread: 0.2, shift: 1.05, seed: 2 }));
    const { exitCode, stdout } = await compare(base, candidate, '--json');
    const { verdict, runsNeeded, reason } = JSON.parse(stdout);
    expect(exitCode).toBe(3);
    expect(verdict).toBe('inconclusive');
    expect(runsNeeded).toBeGreaterThan(6);
    expect(reason).toContain(`${runsNeeded} runs a side`);
    const few = await compare(base.slice(0, 2), candidate.slice(0, 2));
    expect(few.exitCode).toBe(3);
    expect(few.stdout).toContain('fewer than 5 a side');
  });

  it('holds shifts against --margin', async () => {
    const base = write('base', runsOf(8));
    const candidate = write('new', runsOf(8, { shift: 1.2, seed: 2 }));
    expect((await compare(base, candidate, '--margin', '30%')).exitCode).toBe(0);
    expect(written()).toMatchObject({ verdict: 'equivalent', marginPercent: 30 });
  });

  it('reads the list of load --runs, and counts a run that is there twice once', async () => {
    const runs = runsOf(6);
    const list = { ...loadSetOf(runs) };
    writeFileSync(join(cwd, 'run.json'), JSON.stringify(list));
    const twice = ['run.json', ...write('run', runs)];
    await compare(twice, write('new', runsOf(6, { seed: 2 })));
    const document = written();
    expect(document.kind === 'comparison' && document.runs.a).toHaveLength(6);
  });

  it('tells when the sides were not run alike, or are the same', async () => {
    const base = write('base', runsOf(5));
    const intended = { rate: 9000, connections: 256, durationS: 1, warmupS: 5 };
    const other = write('new', runsOf(5, { seed: 2, changes: { intended } }));
    expect((await compare(base, other)).stdout).toContain('not run alike');
    expect((await compare(base, base)).stdout).toContain('5 of the candidate');
    expect((await compare(base, write('new', runsOf(5, { seed: 2 })))).stdout).not.toContain(
      'note',
    );
  });

  it('keeps each comparison in a folder of its own where none is named', async () => {
    const files = write('base', runsOf(5));
    const { stderr } = await fareproof('compare', '--base', ...files, '--candidate', ...files);
    const year = new Date().getUTCFullYear();
    expect(stderr).toMatch(new RegExp(`reports/comparison-${year}-[-\\dT]+Z/report.html`));
  });

  it.each([
    [[], 'COMPARE_FLAGS', '--base FILE'],
    [['--base', 'none.json'], 'COMPARE_FLAGS', '--candidate FILE'],
    [['--base', 'none.json', '--candidate', 'none.json'], 'FILE_NOT_READ', 'none.json'],
    [['--base', 'text.json', '--candidate', 'text.json'], 'COMPARE_FILE_KIND', 'text.json'],
    [['--base', 'other.json', '--candidate', 'other.json'], 'COMPARE_FILE_KIND', 'kind comparison'],
    [['--base', 'x', '--candidate', 'y', '--margin', '0'], 'FLAG_NOT_NUMBER', '--margin'],
    [['--base', 'x', '--candidate', 'y', '--runs', '5'], 'COMPARE_FLAGS', '--runs'],
    [['--self-test', '--base', 'x', '--candidate', 'y'], 'COMPARE_FLAGS', '--candidate'],
    [['--self-test', '--base', 'x', '--runs', '5'], 'COMPARE_FLAGS', '--runs'],
    [['--self-test', '--runs', 'many'], 'FLAG_NOT_NUMBER', '--runs'],
  ])('refuses %j with exit 2', async (args, code, message) => {
    writeFileSync(join(cwd, 'text.json'), 'no JSON');
    writeFileSync(join(cwd, 'other.json'), JSON.stringify(comparisonSample()));
    const { exitCode, stdout, stderr } = await fareproof('compare', ...args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(code);
    expect(stderr).toContain(message);
  });
});

describe('fareproof compare --self-test', { timeout: 120_000 }, () => {
  const selfTest = (...args: string[]) =>
    fareproof('compare', '--self-test', '--out', 'out', ...args);

  it('prints the rate of false alarms', async () => {
    const { exitCode, stdout } = await selfTest('--base', ...write('run', runsOf(20)));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/200 times with 10 runs a side drawn at random: \d+ false alarms \(/);
    expect(written()).toMatchObject({ selfTest: { trials: 200, runsPerSide: 10 } });
  });

  it('cries wolf over itself: exit 1', async () => {
    // Two builds passed off as one: a draw that is not even between them sets off an alarm.
    const failing = runsOf(20).map((run, index) =>
      index < 10 ? run : { ...run, achieved: { ...run.achieved, failed: run.achieved.planned } },
    );
    const { exitCode } = await selfTest('--base', ...write('run', failing));
    expect(exitCode).toBe(1);
  });

  it('cannot judge itself by a handful of runs: exit 3', async () => {
    const { exitCode, stdout } = await selfTest('--base', ...write('run', runsOf(9)));
    expect(exitCode).toBe(3);
    expect(stdout).toContain('a self-test needs 10');
    expect(written()).not.toHaveProperty('selfTest');
  });

  it('records the runs itself where none are given, and ends them when interrupted', async () => {
    const fake = await startFakeTarget();
    writeFileSync(join(cwd, 'target.yaml'), stringify(fake.profile));
    const interrupt = new AbortController();
    const args = ['--target', 'target.yaml', '--runs', '5000', '--connections', '1'];
    const enough = setInterval(() => fake.paths.length > 300 && interrupt.abort('SIGINT'), 10);
    const { exitCode, stderr } = await runCaptured(
      ['compare', '--self-test', '--out', 'out', ...args, '--duration', '50ms', '--warmup', '0'],
      { cwd, interruption: interrupt.signal },
    );
    clearInterval(enough);
    await fake.close();
    expect(exitCode).toBe(130);
    expect(stderr).toContain('run 1 of 5000');
    expect(written()).toMatchObject({ kind: 'comparison', interrupted: true });
  });
});

function loadSetOf(runs: readonly LoadDocument[]) {
  const { schemaVersion, tool, startedAt, finishedAt } = runs[0] as LoadDocument;
  return { schemaVersion, tool, startedAt, finishedAt, kind: 'load-set', runs };
}
