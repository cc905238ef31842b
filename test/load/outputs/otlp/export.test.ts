import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OtlpExport, readCollectorAddress } from '../../../../src/load/outputs/otlp/export.ts';
import { allOutputs, type OutputSample } from '../../../../src/load/outputs/output.ts';
import { Recorder } from '../../../../src/load/record/recorder.ts';
import type { GeneratorState, RunRecords } from '../../../../src/load/record/run-records.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import {
  type Collector,
  type ReceivedPoint,
  startCollector,
} from '../../../support/otlp/collector.ts';

const TARGET = { name: 'staging', baseUrl: 'http://127.0.0.1:8080/prefix' };
const MS = 1e6;

let collector: Collector | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await collector?.close();
  collector = undefined;
});

/** A record of so many answers to each shape, and of a timeout of the first. */
function recordOf(answers: readonly number[], latencyMs = 2): GeneratorState['record'] {
  const recorder = new Recorder({ startNs: 0, endNs: 1e12 });
  for (const [shape, count] of answers.entries()) {
    for (let one = 0; one < count; one++) {
      recorder.sent(0, 0, 0 + 20_000);
      recorder.answered(0, MS, latencyMs * MS, 200, null, shape);
    }
  }
  recorder.broke('timeout', 0, 0, 5000 * MS, 0);
  return recorder.soFar();
}

const SAMPLE = { cpu: 0.25, eventLoopUtilization: 0.5, sendLagP99Us: 20, coreWait: null };

function recordsOf(
  generators: readonly Partial<GeneratorState>[],
  more: Partial<RunRecords> = {},
): RunRecords {
  return {
    startedAtMs: 1_700_000_000_250,
    nowMs: 1_700_000_001_500,
    plannedRate: 200,
    shapes: ['plain', 'express'],
    ...more,
    generators: generators.map((own, generator) => ({
      generator,
      agent: null,
      record: null,
      sample: null,
      waiting: 0,
      ...own,
    })),
  };
}

/** Exports these records one after the other, and returns the problems that were told. */
async function exported(
  url: string,
  records: readonly RunRecords[],
  exportMs = 60_000,
): Promise<string[]> {
  const problems: string[] = [];
  const otlp = await OtlpExport.open({
    url: readCollectorAddress(url),
    resource: { 'service.name': 'fareproof' },
    exportMs,
  });
  const output = allOutputs([otlp], (message) => problems.push(message));
  for (const one of records) output.add(sampleOf(one));
  await output.stop(null);
  return problems;
}

const sampleOf = (records: RunRecords): OutputSample => ({
  target: TARGET,
  progress: {} as OutputSample['progress'],
  records,
});

/** Points of a metric of the last export, by their attributes but the target. */
function points(name: string): Record<string, ReceivedPoint> {
  const metric = collector!.exports.at(-1)!.metrics.find((one) => one.name === name);
  return Object.fromEntries(
    (metric?.points ?? []).map((point) => {
      const { target, 'server.address': address, 'server.port': port, ...own } = point.attributes;
      expect([target, address, port]).toEqual(['staging', '127.0.0.1', 8080]);
      return [Object.values(own).join(' '), point];
    }),
  );
}

describe('the export by OTLP', () => {
  it('sends requests, errors, latencies and health, by shape and agent', async () => {
    collector = await startCollector();
    const records = recordsOf([
      { agent: 'a', record: recordOf([3, 2]), sample: SAMPLE, waiting: 7 },
      { agent: 'a', record: recordOf([1]), sample: SAMPLE },
      { agent: 'b', record: recordOf([0, 4]) },
    ]);
    expect(await exported(collector.url, [records])).toEqual([]);
    const [{ method, url, headers }] = collector.requests as [Collector['requests'][number]];
    expect([method, url, headers['content-type']]).toEqual([
      'POST',
      '/v1/metrics',
      'application/x-protobuf',
    ]);
    expect(collector.exports[0]!.resource).toEqual({ 'service.name': 'fareproof' });
    const values = (name: string) =>
      Object.fromEntries(
        Object.entries(points(name)).map(([of, { asDouble, asInt }]) => [of, asDouble ?? asInt]),
      );
    expect(values('fareproof.load.requests')).toEqual({
      'a plain ok': 4,
      'a plain failed': 2,
      'a express ok': 2,
      'a express failed': 0,
      'b plain ok': 0,
      'b plain failed': 1,
      'b express ok': 4,
      'b express failed': 0,
    });
    expect(values('fareproof.load.errors')).toEqual({ 'a timeout': 2, 'b timeout': 1 });
    expect(values('fareproof.load.planned_rate')).toEqual({ '': 200 });
    expect(values('fareproof.load.generator.cpu')).toEqual({ 'a 0': 0.25, 'a 1': 0.25 });
    expect(values('fareproof.load.generator.core_wait')).toEqual({});
    expect(values('fareproof.load.generator.waiting')).toEqual({ 'a 0': 7, 'a 1': 0, 'b 2': 0 });
    const response = points('fareproof.load.response.duration');
    expect(response['a plain failed']).toMatchObject({ count: 2, max: 5 });
    expect(response).not.toHaveProperty('a express failed');
    expect(response['a express ok']).toMatchObject({
      count: 2,
      sum: 0.004,
      min: 0.002,
      max: 0.002,
      scale: 8,
      positive: { bucketCounts: [2] },
    });
    expect(points('fareproof.load.service.duration')['a express']).toMatchObject({ max: 0.001 });
    expect(points('fareproof.load.send_lag')['b']).toMatchObject({ count: 4, max: 0.00002 });
  });

  it('sends sums and histograms since the start of the run', async () => {
    collector = await startCollector();
    await exported(collector.url, [recordsOf([{ record: recordOf([1]) }])]);
    const point = points('fareproof.load.requests')['plain ok'];
    expect(point).toMatchObject({
      startTimeUnixNano: 1_700_000_000_250 * MS,
      timeUnixNano: 1_700_000_001_500 * MS,
    });
    for (const { kind, isCumulative } of collector.exports[0]!.metrics) {
      expect(isCumulative).toBe(kind !== 'gauge');
    }
  });

  it('names no shape that the engine cannot tell, and no rate of the closed model', async () => {
    collector = await startCollector();
    const records = recordsOf([{ record: recordOf([1]) }], { shapes: [], plannedRate: null });
    await exported(collector.url, [records]);
    expect(Object.keys(points('fareproof.load.requests'))).toEqual(['ok', 'failed']);
    const names = collector.exports[0]!.metrics.map(({ name }) => name);
    expect(names).not.toContain('fareproof.load.planned_rate');
  });

  it('keeps only the newest records while the collector is slow', async () => {
    const held: ServerResponse[] = [];
    collector = await startCollector((response) => {
      held.push(response);
      if (collector!.requests.length > 1) response.end();
    });
    const otlp = await OtlpExport.open({
      url: readCollectorAddress(collector.url),
      resource: {},
      exportMs: 50_000,
    });
    const add = (count: number) => otlp.add(sampleOf(recordsOf([{ record: recordOf([count]) }])));
    const first = add(1);
    await vi.waitUntil(() => held.length === 1, { timeout: 50_000, interval: 5 });
    for (const count of [2, 3, 4]) void add(count);
    held[0]!.end();
    await Promise.all([first, otlp.stop()]);
    expect(collector.exports).toHaveLength(2);
    expect(points('fareproof.load.requests')['plain ok']).toMatchObject({ asDouble: 4 });
  });

  it.each([
    [
      'refuses',
      (response: ServerResponse) => void response.writeHead(403).end(),
      'answered with status 403',
      undefined,
    ],
    ['never answers', () => undefined, 'did not answer within 0.05 s', 50],
    [
      'never ends its answer',
      (response: ServerResponse) => {
        const drip = setInterval(() => response.write(' '), 5);
        response.once('close', () => clearInterval(drip));
      },
      'did not answer within 0.05 s',
      50,
    ],
  ])('says it once if the collector %s', async (_what, respond, words, exportMs) => {
    collector = await startCollector(respond);
    const one = recordsOf([{ record: recordOf([1]) }]);
    const problems = await exported(collector.url, [one], exportMs);
    expect(problems).toEqual([
      `metrics are not exported: ${collector.url}/v1/metrics ${words}. The run does not depend on it.`,
    ]);
  });

  it('says it once if nothing listens there', async () => {
    // Holds the limit of an export; the exporter tries again only if it has a second left.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const one = recordsOf([{ record: recordOf([1]) }]);
    const problems = await exported(CLOSED_ADDRESS, [one, one], 50);
    expect(problems).toEqual([expect.stringContaining('could not be reached')]);
  });
});

describe('the address of a collector', () => {
  it.each([
    ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/metrics'],
    ['https://otel.example/', 'https://otel.example/v1/metrics'],
    ['http://127.0.0.1:9090/api/v1/otlp', 'http://127.0.0.1:9090/api/v1/otlp/v1/metrics'],
    ['http://127.0.0.1:4318/v1/metrics', 'http://127.0.0.1:4318/v1/metrics'],
  ])('%s gets the path of metrics', (text, url) => {
    expect(readCollectorAddress(text)).toBe(url);
  });

  it.each(['collector:4318', 'grpc://127.0.0.1:4317', 'http://a/?key=1', ''])(
    'refuses "%s"',
    (text) => {
      expect(() => readCollectorAddress(text)).toThrow('is not an address such as');
    },
  );

  it('refuses credentials without quoting them', () => {
    const url = 'https://user:secret-9@otel.example';
    expect(() => readCollectorAddress(url)).toThrow(/OTEL_EXPORTER_OTLP_HEADERS/);
    expect(() => readCollectorAddress(url)).not.toThrow(/secret-9/);
  });
});
