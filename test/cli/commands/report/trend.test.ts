import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ConformanceDocument } from '../../../../src/documents/conformance.ts';
import type { LoadDocument } from '../../../../src/documents/load.ts';
import { serviceSample } from '../../../report/samples/conformance-sample.ts';
import { findMaxSample, loadSample } from '../../../report/samples/load-sample.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

function write(path: string, content: object | string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const day = (at: number) => ({
  startedAt: new Date(Date.UTC(2026, 10, at, 10)).toISOString(),
  finishedAt: new Date(Date.UTC(2026, 10, at, 11)).toISOString(),
});

function load(at: number, changes: Partial<LoadDocument> = {}): LoadDocument {
  return { ...loadSample(1), ...day(at), verdict: 'held', ...changes };
}

/** A check in which one rule has that verdict. */
function check(at: number, verdict: 'pass' | 'fail', label?: string): ConformanceDocument {
  const sample = serviceSample();
  const rules = sample.rules.map((rule) =>
    rule.id === 'quota/ban-lifts' ? { ...rule, verdict } : rule,
  );
  return { ...sample, ...day(at), rules, ...(label !== undefined && { label }) };
}

const trend = (...args: string[]) => runCaptured(['report', '--trend', ...args], { cwd });
const page = async (...args: string[]): Promise<string> => {
  const { exitCode, stderr } = await trend(...args, '--out', 'pages/trend.html');
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return readFileSync(join(cwd, 'pages/trend.html'), 'utf8');
};
/** The data of a chart of the page. */
const chartIn = (html: string, id: string) =>
  (JSON.parse(/id="charts">(.*?)<\/script>/s.exec(html)?.[1] ?? '[]') as { id: string }[]).find(
    (chart) => chart.id === id,
  );

describe('report --trend', () => {
  it('puts builds on the x axis: by label, by what the document says, by time', async () => {
    write('history/a/run.json', load(1));
    write('history/b/run.json', load(2, { label: '1.1' }));
    write('history/c/run.json', load(3, { label: '1.1' }));
    write('new/run.json', load(4, { label: '1.2' }));
    expect(chartIn(await page('history', 'new'), 'trend-1-p99')).toMatchObject({
      builds: ['2026-11-01 10:00 UTC', '1.1', '1.2'],
      limits: [{ label: 'median before' }],
    });
    const named = chartIn(await page('history', 'new', '--label', 'old', 'new'), 'trend-1-p99');
    expect(named).toMatchObject({ builds: ['old', 'new'] });
  });

  it('shows the spread of repeated runs as a band', async () => {
    const slow = loadSample(1).latencyUs;
    const slower = { ...slow, response: { ...slow.response, p99: slow.response.p99 * 2 } };
    write('1.json', load(1, { label: '1.1' }));
    write('2.json', {
      ...load(2),
      kind: 'load-set',
      label: '1.2',
      runs: [load(2), load(2.1, { latencyUs: slower })],
      spread: null,
    });
    const { p99 } = slow.response;
    expect(chartIn(await page('1.json', '2.json'), 'trend-1-p99')).toMatchObject({
      series: [
        { values: [p99, p99 * 1.5] },
        { label: 'lowest', values: [p99, p99], drawn: 'end' },
        { label: 'highest', values: [p99, p99 * 2], drawn: 'end' },
      ],
    });
  });

  it('leaves an invalid run out of the lines, and one that was run otherwise out of the trend', async () => {
    for (const at of [1, 2, 3]) write(`${at}.json`, load(at));
    write('4.json', load(4, { verdict: 'invalid', invalidBy: 'loss', reason: 'Lost.' }));
    write('5.json', load(5, { engine: 'autocannon' }));
    const html = await page('.');
    expect(chartIn(html, 'trend-1-p99')).toBeUndefined();
    expect(chartIn(html, 'trend-2-p99')).toMatchObject({
      series: [{ values: [expect.any(Number), expect.any(Number), expect.any(Number), null] }],
    });
  });

  it('marks what changed in a check, and leads to the rule in the page of its run', async () => {
    write('runs/a b/run.json', check(1, 'pass', '1.0'));
    write('runs/c/run.json', check(2, 'fail', '1.1'));
    write('runs/c/report.html', '');
    const html = await page('runs');
    expect(html).toMatch(
      /<td class="bad change"><a href="\.\.\/runs\/c\/report\.html#quota\/ban-lifts">/,
    );
    expect(html).toMatch(/<th scope="col"[^>]*><span>1\.0<\/span>/);
    expect(html).toContain('<a href="../runs/c/report.html">1.1</a>');
  });

  it('writes Markdown with a table and sparklines', async () => {
    for (const at of [1, 2, 3]) write(`runs/${at}.json`, load(at));
    write('checks/1/run.json', check(1, 'pass', '1.0'));
    write('checks/2/run.json', check(2, 'fail', '1.1'));
    const { stdout } = await trend('runs', 'checks', '--format', 'markdown');
    expect(stdout).toContain('Load on staging, 3 runs');
    expect(stdout).toMatch(/\| p99 \| .* \| ±0\.0 % \| `▄▄▄` \|/);
    expect(stdout).toContain('| `quota/ban-lifts` | fail | 1.1 | `✓✕` |');
  });

  it('shows one run, and names files that are none', async () => {
    write('history/one/run.json', load(1));
    write('history/max.json', findMaxSample());
    write('history/other.json', '{"a":1}');
    write('history/broken.json', '{');
    const { stdout, stderr, exitCode } = await trend('history', '--format', 'markdown');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('The first run: there is none before it.');
    expect(stderr).toContain('left out: history/broken.json is not valid JSON');
    expect(stderr).toContain('left out: history/other.json: Not a run document');
  });

  it.each([
    ['nothing', ['empty'], 'There is no run of load, check or certify in empty.'],
    ['a missing file', ['none.json'], 'none.json: there is no such file'],
    ['another number of labels', ['empty', '--label', 'a', 'b'], 'one label for each'],
    ['JUnit', ['empty', '--format', 'junit'], '--trend is html or markdown'],
    ['--recheck', ['empty', '--recheck'], "cannot be used with option '--recheck'"],
  ])('refuses %s', async (_, args, message) => {
    mkdirSync(join(cwd, 'empty'));
    const { exitCode, stderr } = await trend(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
