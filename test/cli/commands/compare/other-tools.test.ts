import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseDocument } from '../../../../src/documents/run-document.ts';
import { loadSample } from '../../../report/samples/load-sample.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const LIMIT = { timeout: 60_000 };

/** Six values within one percent of a mean. */
const around = (mean: number): number[] => [0, 1, 2, 3, 4, 5].map((at) => mean * (1 + at / 1000));

/** Writes each value as a file of its own, and returns their names. */
function write(prefix: string, files: readonly unknown[]): string[] {
  return files.map((file, index) => {
    writeFileSync(join(cwd, `${prefix}-${index}.json`), JSON.stringify(file));
    return `${prefix}-${index}.json`;
  });
}

async function compare(base: readonly string[], candidate: readonly string[]) {
  const args = ['compare', '--base', ...base, '--candidate', ...candidate, '--json'];
  const run = await runCaptured(args, { cwd });
  return { ...run, json: run.stdout === '' ? null : JSON.parse(run.stdout) };
}

/** By hand, after the JSON schema that oha publishes; no test has the tool. */
const ohaFile = (p50S: number, errors: Record<string, number> = {}) => ({
  summary: { successRate: 1, total: 10, requestsPerSec: 100 },
  latencyPercentiles: { p10: p50S / 2, p50: p50S, p90: p50S * 2, p99: p50S * 3 },
  statusCodeDistribution: { '200': 1000 },
  errorDistribution: errors,
});

const trend = (medMs: number) => ({ avg: medMs, med: medMs, 'p(90)': medMs * 2, 'p(95)': 9e3 });

/** By hand, after the documentation of k6: a summary export. */
const k6Export = (medMs: number) => ({
  metrics: {
    http_req_duration: trend(medMs),
    http_reqs: { count: 1000, rate: 100 },
    http_req_failed: { passes: 0, fails: 1000, value: 0 },
  },
});

/** By hand, after the documentation of k6: the data of handleSummary. */
const k6Summary = (medMs: number, rate = 0) => ({
  metrics: {
    http_req_duration: { type: 'trend', contains: 'time', values: trend(medMs) },
    http_reqs: { type: 'counter', values: { count: 1000, rate: 100 } },
    http_req_failed: { type: 'rate', values: { rate, passes: rate * 1000, fails: 1000 } },
  },
});

/** As k6 0.47 wrote it for a script of `export k6`, less what is not read; the warm-up is slow. */
const k6Measured = (medMs: number) => ({
  metrics: {
    ...k6Export(medMs * 30).metrics,
    http_req_failed: { passes: 300, fails: 700, value: 0.3 },
    'http_reqs{scenario:measured}': { count: 800, rate: 80, thresholds: { 'count>0': false } },
    'http_req_failed{scenario:measured}': { passes: 8, fails: 792, value: 0.01 },
    'http_req_duration{scenario:measured}': trend(medMs),
  },
});

const autocannonFile = (p50Ms: number, second: number) => ({
  start: `2026-11-20T10:00:0${second}.000Z`,
  finish: `2026-11-20T10:00:0${second + 1}.000Z`,
  '2xx': 1000,
  non2xx: 0,
  errors: 0,
  latency: { p50: p50Ms, p90: p50Ms * 2, p99: p50Ms * 3 },
  requests: { average: 1000 },
});

describe('results of other load generators', () => {
  it('of oha are compared, in seconds', async () => {
    const { json } = await compare(
      write(
        'old',
        around(0.01).map((s) => ohaFile(s)),
      ),
      write(
        'new',
        around(0.02).map((s) => ohaFile(s)),
      ),
    );
    expect(json).toMatchObject({ kind: 'comparison', verdict: 'worse' });
    expect(json.quantiles.map(({ q }: { q: number }) => q)).toEqual([0.5, 0.9, 0.99]);
    expect(json.quantiles[0].base).toBeCloseTo(10_025, -1);
    expect(json.runs.b[0]).toMatchObject({ toolName: 'oha', name: 'new-0.json' });
    expect(json.runs.b[0].quantilesUs.p50).toBeCloseTo(20_000);
    expect(() => parseDocument(json)).not.toThrow();
    expect(json.notes.join(' ')).toContain('--latency-correction');
  });

  it('of oha count errors, but not what the end of the run cut off', async () => {
    const base = write(
      'old',
      around(0.01).map((s) => ohaFile(s)),
    );
    const cut = { 'aborted due to deadline': 50 };
    const fine = await compare(
      base,
      write(
        'cut',
        around(0.01).map((s) => ohaFile(s, cut)),
      ),
    );
    expect(fine.json.verdict).toBe('equivalent');
    const errors = { 'connection refused': 50 };
    const failing = await compare(
      base,
      write(
        'err',
        around(0.01).map((s) => ohaFile(s, errors)),
      ),
    );
    expect(failing.json).toMatchObject({ verdict: 'worse', reason: /requests fail/ });
  });

  it('of k6 are compared by the quantiles that both forms have, and the rest is named', async () => {
    const { json } = await compare(
      write(
        'old',
        around(10).map((ms) => k6Export(ms)),
      ),
      write(
        'new',
        around(10).map((ms) => k6Summary(ms)),
      ),
    );
    expect(json.verdict).toBe('equivalent');
    expect(json.quantiles.map(({ q }: { q: number }) => q)).toEqual([0.5, 0.9]);
    expect(json.notes.join(' ')).toContain('Not compared, since not every file has it: p99.');
    expect(() => parseDocument(json)).not.toThrow();
  });

  it('of k6 count requests that failed', async () => {
    const { json } = await compare(
      write(
        'old',
        around(10).map((ms) => k6Summary(ms)),
      ),
      write(
        'new',
        around(10).map((ms) => k6Summary(ms, 0.2)),
      ),
    );
    expect(json.runs.b[0].counts).toMatchObject({ ok: 800, failed: 200 });
    expect(json.verdict).toBe('worse');
  });

  it('of k6 are those of the measured window, where a script has it apart', async () => {
    const { json } = await compare(
      write(
        'old',
        around(10).map((ms) => k6Measured(ms)),
      ),
      write(
        'new',
        around(10).map((ms) => k6Export(ms)),
      ),
    );
    expect(json.runs.a[0].counts).toMatchObject({ ok: 792, failed: 8 });
    expect(json.runs.a[0].quantilesUs).toEqual(json.runs.b[0].quantilesUs);
  });

  it('of autocannon are read as whole milliseconds, so that small times decide nothing', async () => {
    const files = (p50Ms: number, name: string) =>
      write(
        name,
        [0, 1, 2, 3, 4, 5].map((at) => autocannonFile(p50Ms, at)),
      );
    const small = await compare(files(0, 'old'), files(1, 'new'));
    expect(small.json.verdict).toBe('inconclusive');
    const large = await compare(files(400, 'old'), files(800, 'new'));
    expect(large.json.verdict).toBe('worse');
    expect(large.json.notes.join(' ')).toContain('--overallRate');
  });

  it('beside runs of load say that one side may be open and the other closed', async () => {
    const own = [0, 1, 2, 3, 4, 5].map((at) => ({
      ...loadSample(1),
      startedAt: `2026-11-21T10:00:0${at}.000Z`,
    }));
    const { json } = await compare(
      write(
        'old',
        around(0.01).map((s) => ohaFile(s)),
      ),
      write('new', own),
    );
    expect(json.notes.join(' ')).toContain(
      `The base was measured by oha, the candidate by fareproof, ${own[0]?.model} model`,
    );
    expect(() => parseDocument(json)).not.toThrow();
  });

  it('that lack a figure, or are of no tool, are refused by file and field', async () => {
    const [good] = write('good', [ohaFile(0.01)]);
    const { latencyPercentiles, ...rest } = ohaFile(0.01);
    const broken = [
      [
        { ...rest, latencyPercentiles: { ...latencyPercentiles, p90: null } },
        'oha',
        'latencyPercentiles.p90',
      ],
      [
        { ...ohaFile(0.01), latencyPercentiles: { p50: null, p90: null, p99: null } },
        'oha without a successful answer',
        'that are read of it (latencyPercentiles.p50, p90 and p99)',
      ],
      [{ metrics: { http_reqs: { count: 1, rate: 1 } } }, 'k6', 'metrics.http_req_duration'],
      [{ ...autocannonFile(1, 1), errors: 'no' }, 'autocannon', 'errors'],
      [{ hello: 1 }, '', ''],
    ] as const;
    for (const [file, tool, field] of broken) {
      const [bad] = write('bad', [file]);
      const { exitCode, stderr } = await compare([good!], [bad!]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('bad-0.json');
      expect(stderr).toContain(tool);
      expect(stderr).toContain(field);
    }
  });

  it('that autocannon just wrote are read', { ...LIMIT, tags: ['long'] }, async () => {
    const server = createServer((_, answer) => answer.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const result = await autocannon({ url, amount: 50, connections: 2 });
      const [old, recent] = write('real', [result, { ...result, '2xx': result['2xx'] + 1 }]);
      const { json, exitCode } = await compare([old!], [recent!]);
      expect({ exitCode, verdict: json.verdict }).toEqual({ exitCode: 3, verdict: 'inconclusive' });
      expect(json.runs.a[0].counts).toMatchObject({ ok: 50, failed: 0 });
    } finally {
      server.close();
    }
  });
});
