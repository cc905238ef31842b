import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { BenchDocument } from '../../../../src/documents/bench.ts';
import type { LoadDocument } from '../../../../src/documents/load.ts';
import { parseDocument } from '../../../../src/documents/run-document.ts';
import { createRandom } from '../../../../src/load/seeded-random.ts';
import { startFakeTarget } from '../../../load/fake-target.ts';
import { benchSample, comparisonSample, loadSample } from '../../../report/samples/load-sample.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

interface Build {
  /** Slowdown compared with the sample. */
  shift?: number;
  /** Scatter of single runs around it, as a share. */
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
      latencyUs: { ...sample.latencyUs, response: scaled },
      achieved: { rate: 5000, planned: 5000, sent: 5000, ok: 5000, failed: 0, checked: 0 },
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

const { intended: INTENDED, workload: WORKLOAD } = loadSample(1);

const fareproof = (...args: string[]) => runCaptured(args, { cwd });
const compare = (base: string[], candidate: string[], ...more: string[]) =>
  fareproof('compare', '--base', ...base, '--candidate', ...candidate, '--out', 'out', ...more);
const written = () => parseDocument(JSON.parse(readFileSync(join(cwd, 'out/run.json'), 'utf8')));

describe('fareproof compare', () => {
  it('exits with 1 on worse, and names margin, confidence and correction', async () => {
    const base = write('base', runsOf(8));
    const candidate = write('new', runsOf(8, { shift: 1.2, seed: 2 }));
    const { exitCode, stdout, stderr } = await compare(base, candidate);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('WORSE');
    expect(stdout).toContain('margin of 5 % (95 % confidence, Bonferroni over 3 quantiles)');
    expect(stderr).toContain('report: out/report.html');
    expect(stdout).toContain(`\n  fareproof report ${base[0]} ${candidate[0]} --out `);
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
      quantiles: [{ base: expect.any(Number), candidate: expect.any(Number) }, {}, {}],
      sides: { a: { label: expect.stringMatching(/and 7 more$/), spread: { runs: 8 } }, b: {} },
    });
    expect(written()).toEqual(JSON.parse(stdout));
  });

  it('names the sides as --base-label and --candidate-label say', async () => {
    const base = write('base', runsOf(8));
    const labels = ['--base-label', '1.4', '--candidate-label', '1.5'];
    const { stdout } = await compare(base, write('new', runsOf(8, { seed: 2 })), ...labels);
    expect(stdout).toContain('Comparison of 1.5 with 1.4');
    expect(stdout).toMatch(/base +1\.4 \(.*: base-1\.json and 7 more\)/);
    expect(stdout).toMatch(/figure +base 1\.4 +candidate 1\.5/);
  });

  it('exits with 3 if there are too few runs, and says how many are needed', async () => {
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

  it('compares shifts with --margin', async () => {
    const base = write('base', runsOf(8));
    const candidate = write('new', runsOf(8, { shift: 1.2, seed: 2 }));
    expect((await compare(base, candidate, '--margin', '30%')).exitCode).toBe(0);
    expect(written()).toMatchObject({ verdict: 'equivalent', marginPercent: 30 });
  });

  it('reads the list of load --runs, and counts a repeated run once', async () => {
    const runs = runsOf(6);
    const list = { ...loadSetOf(runs) };
    writeFileSync(join(cwd, 'run.json'), JSON.stringify(list));
    const twice = ['run.json', ...write('run', runs)];
    await compare(twice, write('new', runsOf(6, { seed: 2 })));
    const document = written();
    expect(document.kind === 'comparison' && document.runs.a).toHaveLength(6);
  });

  it('notes if the sides were run differently, or are the same', async () => {
    const base = write('base', runsOf(5));
    const intended = { ...INTENDED, rate: 9000 };
    const other = write('new', runsOf(5, { seed: 2, changes: { intended } }));
    expect((await compare(base, other)).stdout).toContain('not run alike');
    expect((await compare(base, base)).stdout).toContain('5 of the candidate');
    expect((await compare(base, write('new', runsOf(5, { seed: 2 })))).stdout).not.toContain(
      'note',
    );
  });

  it('does not mind another port of this machine: an embedded server takes a free one', async () => {
    const at = (baseUrl: string) => ({ target: { ...loadSample(1).target, baseUrl } });
    const base = write('base', runsOf(5, { changes: at('http://127.0.0.1:34567') }));
    const changes = at('http://127.0.0.1:45678');
    const same = await compare(base, write('new', runsOf(5, { seed: 2, changes })));
    expect(same.stdout).not.toContain('note');
    const elsewhere = at('http://127.0.0.1.example:45678');
    const other = await compare(base, write('new', runsOf(5, { seed: 2, changes: elsewhere })));
    expect(other.stdout).toContain('not run alike, target');
  });

  it.each<[string, Partial<LoadDocument>, string]>([
    ['mix', { workload: { ...WORKLOAD, mix: { express: 1, plain: 8 } } }, 'express=1, plain=8'],
    ['identity', { workload: { ...WORKLOAD, identity: 'user' } }, 'user'],
    ['arrivals', { intended: { ...INTENDED, arrivals: 'poisson' } }, 'poisson'],
    ['duration', { intended: { ...INTENDED, durationS: 3 } }, '3 s'],
    ['rate', { intended: { ...INTENDED, rate: null } }, 'none'],
    ['engine', { engine: 'autocannon' }, 'autocannon'],
    ['target', { target: { ...loadSample(1).target, name: 'rebuilt' } }, 'rebuilt, https'],
    ['tool', { tool: { name: 'fareproof', version: '9.9.9' } }, 'fareproof 9.9.9'],
  ])('says that the %s differs', async (name, changes, said) => {
    const base = write('base', runsOf(5));
    await compare(base, write('new', runsOf(5, { seed: 2, changes })));
    const { notes } = written();
    expect(notes).toHaveLength(1);
    expect(notes?.[0]).toContain(`not run alike, ${name}`);
    expect(notes?.[0]).toContain(`the candidate with ${said}`);
  });

  it('exits with 3 if nothing succeeded, however fast it failed', async () => {
    const failed = { rate: 0, planned: 1000, sent: 1000, ok: 0, failed: 1000, checked: 0 };
    const changes = { achieved: failed, verdict: 'fell-short' as const };
    const base = write('base', runsOf(6, { changes }));
    const faster = write('new', runsOf(6, { changes, shift: 0.5, seed: 2 }));
    const { exitCode, stdout } = await compare(base, faster, '--json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'inconclusive', quantiles: [] });
    const good = write('good', runsOf(6, { seed: 3 }));
    expect((await compare(good, faster)).exitCode).toBe(1);
  });

  it('writes each comparison to its own folder if none is given', async () => {
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
    [['--base', 'run.json', '--candidate', 'cut.json'], 'DOCUMENT_INVALID', 'cut.json: '],
    [['--base', 'other.json', '--candidate', 'other.json'], 'COMPARE_FILE_KIND', 'kind comparison'],
    [['--base', 'bench.json', '--candidate', 'run.json'], 'COMPARE_FILE_KIND', 'on both sides'],
    [['--self-test', '--base', 'bench.json'], 'COMPARE_FILE_KIND', 'kind bench'],
    [['--base', 'x', '--candidate', 'y', '--margin', '0'], 'FLAG_VALUE', '--margin'],
    [['--base', 'x', '--candidate', 'y', '--runs', '5'], 'COMPARE_FLAGS', '--runs'],
    [['--self-test', '--base', 'x', '--candidate', 'y'], 'COMPARE_FLAGS', '--candidate'],
    [['--self-test', '--base', 'x', '--base-label', 'y'], 'COMPARE_FLAGS', '--base-label'],
    [['--self-test', '--base', 'x', '--runs', '5'], 'COMPARE_FLAGS', '--runs'],
    [['--self-test', '--runs', 'many'], 'LOAD_OPTIONS_INVALID', '--runs'],
  ])('refuses %j with exit 2', async (args, code, message) => {
    writeFileSync(join(cwd, 'text.json'), 'no JSON');
    writeFileSync(join(cwd, 'cut.json'), JSON.stringify({ ...loadSample(1), achieved: null }));
    writeFileSync(join(cwd, 'other.json'), JSON.stringify(comparisonSample()));
    writeFileSync(join(cwd, 'bench.json'), JSON.stringify(benchSample()));
    writeFileSync(join(cwd, 'run.json'), JSON.stringify(loadSample(1)));
    const { exitCode, stdout, stderr } = await fareproof('compare', ...args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(code);
    expect(stderr).toContain(message);
  });
});

/** Benches of one build, each from its own process. */
function benchesOf(count: number, seed: number, shift = 1, changes: object = {}): string[] {
  const random = createRandom(seed, 'benches');
  return Array.from({ length: count }, (_, index) => {
    const sample = benchSample();
    const at = (ns: number): number => ns * (1 + 0.005 * (2 * random() - 1));
    const startMs = Date.parse('2026-11-20T10:00:00.000Z') + seed * 1e9 + index * 9000;
    const bench: BenchDocument = {
      ...sample,
      startedAt: new Date(startMs).toISOString(),
      steps: sample.steps.map((step) => ({
        ...step,
        nsMedian: at(step.nsMedian * (step.name === 'price the route' ? shift : 1)),
      })),
      ...changes,
    };
    const name = `bench-${seed}-${index}.json`;
    writeFileSync(join(cwd, name), JSON.stringify(bench));
    return name;
  });
}

describe('fareproof compare, of benches', () => {
  it('names the slower step in every rendering', async () => {
    const labels = ['--candidate-label', 'reworked'];
    const { exitCode, stdout } = await compare(benchesOf(6, 1), benchesOf(6, 2, 1.2), ...labels);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/base +bench-1-0\.json and 5 more\n +candidate +reworked \(bench-2-0/);
    expect(stdout).toContain('Slower beyond the margin of 5 % (95 % confidence, Bonferroni');
    expect(stdout).toMatch(/price the route +1\.\d+ µs +1\.\d+ µs +\+(19|20)/);
    expect(written()).toMatchObject({ kind: 'comparison', verdict: 'worse', quantiles: [] });
    const rendered = (file: string): string => readFileSync(join(cwd, 'out', file), 'utf8');
    expect(rendered('summary.md')).toMatch(
      /\| price the route \| 1\.\d+ µs \| 1\.\d+ µs \| \+(19|20)/,
    );
    expect(rendered('report.html')).toContain('Shift per step');
    expect(rendered('report.html')).toContain('price the route of each run, base: 1.4');
    expect(rendered('junit.xml')).toContain('classname="comparison.step"');
  });

  it('exits with 0 if every step takes the same time, and with 3 on one document per side', async () => {
    const [base, candidate] = [benchesOf(8, 1), benchesOf(8, 2)];
    expect((await compare(base, candidate)).exitCode).toBe(0);
    expect(written()).toMatchObject({ verdict: 'equivalent' });
    const one = await compare(base.slice(0, 1), candidate.slice(0, 1), '--json');
    expect(one.exitCode).toBe(3);
    expect(JSON.parse(one.stdout)).toMatchObject({ verdict: 'inconclusive', runsNeeded: 6 });
    await compare([...base, 'bench-1-0.json'], base);
    const document = written();
    expect(document.kind === 'comparison' && document.runs.a).toHaveLength(8);
    expect(document.notes?.[0]).toContain('8 of the candidate');
  });

  it('notes another machine, and steps that are not on both sides', async () => {
    const { machine } = benchSample();
    const base = benchesOf(5, 1);
    const other = { machine: { ...machine, node: 'v24.0.0' }, steps: benchSample().steps.slice(1) };
    const { stdout } = await compare(base, benchesOf(5, 2, 1, other));
    expect(stdout).toContain('not run alike, Node version: the base with v20.20.0');
    expect(stdout).toContain('Not compared, since not every document has them: read the head.');
  });
});

describe('fareproof compare --self-test', () => {
  const selfTest = (...args: string[]) =>
    fareproof('compare', '--self-test', '--out', 'out', ...args);

  it('prints the rate of false alarms', { tags: ['long'] }, async () => {
    const { exitCode, stdout } = await selfTest('--base', ...write('run', runsOf(20)));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/200 times with 10 runs a side drawn at random: \d+ false alarms \(/);
    expect(written()).toMatchObject({ selfTest: { trials: 200, runsPerSide: 10 } });
  });

  it('passes with more failures than it can attribute to a side', { tags: ['long'] }, async () => {
    // Every other run failed: however they are drawn, no side is worse beyond chance.
    const failed = { rate: 0, planned: 5000, sent: 5000, ok: 0, failed: 5000, checked: 0 };
    const runs = runsOf(20).map((run, index) => (index < 10 ? run : { ...run, achieved: failed }));
    const { exitCode } = await selfTest('--base', ...write('run', runs));
    expect(exitCode).toBe(0);
  });

  it('cannot judge itself with too few runs: exit 3', async () => {
    const { exitCode, stdout } = await selfTest('--base', ...write('run', runsOf(9)));
    expect(exitCode).toBe(3);
    expect(stdout).toContain('a self-test needs 10');
    expect(written()).not.toHaveProperty('selfTest');
  });

  it('records runs if none are given, and stops when interrupted', { tags: ['long'] }, async () => {
    const fake = await startFakeTarget();
    writeFileSync(join(cwd, 'target.yaml'), stringify(fake.profile));
    const interrupt = new AbortController();
    const args = ['--target', 'target.yaml', '--runs', '5000', '--connections', '1'];
    const { exitCode, stderr } = await runCaptured(
      ['compare', '--self-test', '--out', 'out', ...args, '--duration', '50ms', '--warmup', '0'],
      {
        cwd,
        interruption: interrupt.signal,
        onStderr: (text) => text.includes('run 3 of 5000') && interrupt.abort('SIGINT'),
      },
    );
    await fake.close();
    expect(exitCode).toBe(130);
    expect(stderr).toContain('run 1 of 5000');
    expect(stderr).not.toContain('run 5 of 5000');
    expect(written()).toMatchObject({ kind: 'comparison', interrupted: true });
    expect(written()).toHaveProperty(['runs', 'a', 0, 'name'], 'run 1');
  });
});

function loadSetOf(runs: readonly LoadDocument[]) {
  const { schemaVersion, tool, startedAt, finishedAt } = runs[0] as LoadDocument;
  return { schemaVersion, tool, startedAt, finishedAt, kind: 'load-set', runs, spread: null };
}
