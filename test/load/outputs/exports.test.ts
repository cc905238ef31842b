import { describe, expect, it } from 'vitest';
import type { LoadDocument, SeriesPoint } from '../../../src/documents/load.ts';
import { EXPORTS, type ExportFormat } from '../../../src/load/outputs/exports.ts';
import { LatencyHistogram } from '../../../src/load/record/histogram.ts';
import { loadSample, stagedSample } from '../../report/samples/load-sample.ts';

/** The only file of a format. */
const textOf = (run: LoadDocument, format: ExportFormat): string => {
  const [text, ...others] = Object.values<string>(EXPORTS[format](run));
  expect(others).toEqual([]);
  return text ?? '';
};

describe('exports of a load run', () => {
  it('hgrm: each latency by percentile, in milliseconds', () => {
    const latency = new LatencyHistogram();
    for (let ms = 1; ms <= 100; ms++) latency.record(ms * 1000);
    const [text, none] = [latency.encode(), new LatencyHistogram().encode()];
    const histograms = { response: text, service: none, all: text };
    const files = EXPORTS.hgrm(loadSample(2, { histograms }));
    expect(Object.keys(files)).toEqual(['response.hgrm', 'service.hgrm', 'all.hgrm']);
    expect(files['response.hgrm']).toMatch(/^ +Value +Percentile +TotalCount/m);
    expect(files['response.hgrm']).toMatch(/^ +50\.\d+ +0\.50* +50 /m);
    expect(files['response.hgrm']).toMatch(/#\[Max += +100\.\d+, Total count += +100\]/);
  });

  it('csv: a line for each second, with the same columns, empty where unknown', () => {
    const run = loadSample(3);
    const [{ generator: _, ...first }, ...others] = run.series as [SeriesPoint, ...SeriesPoint[]];
    const series = [first, ...others];
    const csv = textOf({ ...run, series }, 'csv').trim();
    const [header = '', second = '', ...more] = csv.split('\n');
    expect(header).toMatch(/^second,rate,planned_rate,sent,failed,p50_us,p99_us,max_us,/);
    expect(second).toMatch(/,,,,0$/);
    expect(second.split(',')).toHaveLength(header.split(',').length);
    expect(more).toHaveLength(run.series.length - 1);
  });

  it.each([
    ['csv', /,0\.42,1\n$/],
    ['jsonl', /"generator_core_wait":0\.42,.*"drained":1\}\n$/],
  ] as const)('%s: has the core wait, and marks a second of late answers', (format, last) => {
    const run = loadSample(3);
    const generator = { ...run.series.at(-1)!.generator!, coreWait: 0.42 };
    const late = { ...run.series.at(-1)!, t: 3, drained: true as const, generator };
    const text = textOf({ ...run, series: [...run.series, late] }, format);
    expect(text).toMatch(last);
    expect(text.trim().split('\n').at(-2)).toMatch(/,0$|"drained":0\}$/);
  });

  it('prometheus: has the core wait and the count of checked responses', () => {
    const { achieved, generator } = loadSample(2);
    const known = { ...achieved, checked: 98 };
    const text = textOf(
      loadSample(2, { achieved: known, generator: { ...generator, coreWait: 0.03 } }),
      'prometheus',
    );
    expect(text).toMatch(/^fareproof_load_checked_total\{.*\} 98$/m);
    expect(text).toMatch(/^fareproof_load_generator_core_wait_ratio\{.*\} 0\.03$/m);
  });

  it('jsonl: an object for each second', () => {
    const run = loadSample(3);
    const lines = textOf(run, 'jsonl').trim().split('\n');
    const [first] = run.series;
    expect(lines).toHaveLength(run.series.length);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ second: first?.t, p99_us: first?.p99 });
  });

  it('prometheus: each metric once, in seconds, with its target as a label', () => {
    const run = loadSample(2);
    const text = textOf(run, 'prometheus');
    expect(text).toContain(
      `fareproof_load_response_duration_seconds{target="${run.target.name}",model="${run.model}",outcome="ok",quantile="0.99"} ${run.latencyUs.response.p99 / 1e6}\n`,
    );
    expect(text).toContain(`outcome="ok"} ${run.achieved.ok}\n`);
    const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(new Set(types).size).toBe(types.length);
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ \S|[a-z_]+\{[^\n]+\} -?[\d.e+-]+$)/);
  });

  it('prometheus: shapes and stages are metrics of their own', () => {
    const run = stagedSample();
    const text = textOf(run, 'prometheus');
    const own = `target="${run.target.name}",model="open"`;
    expect(text).toContain(
      `fareproof_load_shape_response_duration_seconds{${own},shape="carpoolSeats",quantile="0.99"} ${(run.shapes?.[1]?.latencyUs.response.p99 ?? 0) / 1e6}\n`,
    );
    expect(text).toContain(`fareproof_load_stage_planned_total{${own},stage="2"} 50000\n`);
    expect(textOf(loadSample(2), 'prometheus')).not.toMatch(/_shape_|_stage_/);
  });

  it('prometheus: escapes labels, and leaves out a metric without samples', () => {
    const run = loadSample(2);
    const target = { ...run.target, name: 'a "b"\\\n' };
    const text = textOf({ ...run, target, thresholds: [] }, 'prometheus');
    expect(text).toContain(String.raw`target="a \"b\"\\\n"`);
    expect(text).not.toContain('threshold');
  });

  it('has files for each format', () => {
    for (const filesOf of Object.values(EXPORTS))
      expect(Object.keys(filesOf(loadSample(2))).length).toBeGreaterThan(0);
  });
});
