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

const autocannonFile = (p50Ms: number, second: number, failed = 0) => ({
  start: `2026-11-20T10:00:0${second}.000Z`,
  finish: `2026-11-20T10:00:0${second + 1}.000Z`,
  '2xx': 1000 - failed,
  non2xx: failed,
  errors: 0,
  latency: { p50: p50Ms, p90: p50Ms * 2, p99: p50Ms * 3 },
  requests: { average: 1000 },
});

/** Six runs of autocannon. */
const six = (name: string, p50Ms: number, failed = 0): string[] =>
  write(
    name,
    [0, 1, 2, 3, 4, 5].map((at) => autocannonFile(p50Ms, at, failed)),
  );

describe('results of autocannon', () => {
  it('are read as whole milliseconds, so that small times decide nothing', async () => {
    const small = await compare(six('old', 0), six('new', 1));
    expect(small.json.verdict).toBe('inconclusive');
    const large = await compare(six('old', 400), six('new', 800));
    expect(large.json.verdict).toBe('worse');
    expect(large.json.runs.b[0]).toMatchObject({ toolName: 'autocannon', name: 'new-0.json' });
    expect(large.json.runs.b[0].quantilesUs.p50).toBe(800_500);
    expect(large.json.notes.join(' ')).toContain('--overallRate');
    expect(() => parseDocument(large.json)).not.toThrow();
  });

  it('count requests that failed', async () => {
    const { json } = await compare(six('old', 400), six('new', 400, 200));
    expect(json.runs.b[0].counts).toMatchObject({ ok: 800, failed: 200 });
    expect(json.verdict).toBe('worse');
  });

  it('beside runs of load say that one side may be open and the other closed', async () => {
    const own = [0, 1, 2, 3, 4, 5].map((at) => ({
      ...loadSample(1),
      startedAt: `2026-11-21T10:00:0${at}.000Z`,
    }));
    const { json } = await compare(six('old', 10), write('new', own));
    expect(json.notes.join(' ')).toContain(
      `The base was measured by autocannon, the candidate by fareproof, ${own[0]?.model} model`,
    );
    expect(() => parseDocument(json)).not.toThrow();
  });

  it('that lack a figure, and files of no such tool, are refused by file and field', async () => {
    const [good] = write('good', [autocannonFile(1, 1)]);
    const broken = [
      [{ ...autocannonFile(1, 1), errors: 'no' }, 'autocannon', 'errors'],
      [{ ...autocannonFile(1, 1), latency: { p50: 1, p99: 2 } }, 'autocannon', 'latency.p90'],
      // Of k6 and oha, which are not read.
      [{ metrics: { http_reqs: { count: 1, rate: 1 } } }, 'Not a run document', ''],
      [{ summary: { requestsPerSec: 1 }, latencyPercentiles: {} }, 'Not a run document', ''],
    ] as const;
    for (const [file, what, field] of broken) {
      const [bad] = write('bad', [file]);
      const { exitCode, stderr } = await compare([good!], [bad!]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('bad-0.json');
      expect(stderr).toContain(what);
      expect(stderr).toContain(field);
    }
  });

  it('that autocannon just wrote are read', { tags: ['long'] }, async () => {
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
