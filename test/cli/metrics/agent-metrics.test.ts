import { afterEach, describe, expect, it } from 'vitest';
import { AgentMetrics } from '../../../src/cli/metrics/agent-metrics.ts';
import { openMetrics } from '../../../src/cli/metrics/prometheus.ts';
import type { RecordSoFar } from '../../../src/load/record/recorder.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import type { MetricsEndpoint } from '../../../src/server/index.ts';
import { capturedIo } from '../../support/captured-io.ts';

let endpoint: MetricsEndpoint | null = null;
afterEach(async () => endpoint?.close());

const MS = 1e6;

/** A record of one answer after each of these times, and of one failure. */
function recordOf(answersMs: readonly number[]): RecordSoFar {
  const recorder = new Recorder({ startNs: 0, endNs: 1e12 });
  for (const ms of answersMs) {
    recorder.sent(0, 0, 30_000);
    recorder.answered(0, 0, ms * MS, 200);
  }
  recorder.broke('timeout', 0, 0, 9000 * MS);
  return recorder.soFar();
}

async function opened(metrics: AgentMetrics): Promise<() => Promise<string[]>> {
  const { io } = capturedIo({});
  const flags = { metrics: '0' };
  endpoint = await openMetrics(flags, () => metrics.read(), io);
  return async () => (await (await fetch(endpoint!.url)).text()).split('\n');
}

describe('metrics of an agent', () => {
  it('say whether it has a controller and a run', async () => {
    const metrics = new AgentMetrics();
    const lines = await opened(metrics);
    expect(await lines()).toEqual(
      expect.arrayContaining(['fareproof_agent_joined 0', 'fareproof_agent_running 0']),
    );
    metrics.onJoin();
    metrics.onReady();
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'fareproof_agent_joined 1',
        'fareproof_agent_running 1',
        'fareproof_agent_runs_total 1',
      ]),
    );
    metrics.onRunEnd();
    metrics.onLeave();
    expect(await lines()).toEqual(
      expect.arrayContaining(['fareproof_agent_joined 0', 'fareproof_agent_running 0']),
    );
  });

  it('add up its generators, and its runs', async () => {
    const metrics = new AgentMetrics();
    const lines = await opened(metrics);
    metrics.onReady();
    metrics.onUpdate(0, { seconds: [], waiting: 2, record: recordOf([1]) });
    metrics.onUpdate(0, { seconds: [], waiting: 3, record: recordOf([1, 1.5, 30]) });
    metrics.onUpdate(1, { seconds: [], waiting: 4, record: recordOf([4]) });
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'fareproof_agent_requests_total{outcome="ok"} 4',
        'fareproof_agent_requests_total{outcome="failed"} 2',
        'fareproof_agent_errors_total{error_type="timeout"} 2',
        'fareproof_agent_responses_total{status="200"} 4',
        'fareproof_agent_generator_waiting{generator="0"} 3',
        'fareproof_agent_generator_waiting{generator="1"} 4',
      ]),
    );
    metrics.onRunEnd();
    metrics.onReady();
    metrics.onUpdate(0, { seconds: [], waiting: 0, record: recordOf([1]) });
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'fareproof_agent_requests_total{outcome="ok"} 5',
        'fareproof_agent_errors_total{error_type="timeout"} 3',
        'fareproof_agent_generator_waiting{generator="0"} 0',
      ]),
    );
    metrics.onRunEnd();
    expect(await lines()).toContain('fareproof_agent_requests_total{outcome="ok"} 5');
  });

  it('have the latencies as histograms, whose buckets include the smaller ones', async () => {
    const metrics = new AgentMetrics();
    const lines = await opened(metrics);
    metrics.onReady();
    metrics.onUpdate(0, { seconds: [], waiting: 0, record: recordOf([0.15, 1.5, 1.5, 30, 9000]) });
    const buckets = (await lines()).filter((line) =>
      /^fareproof_agent_response_duration_seconds.*outcome="ok"/.test(line),
    );
    expect(buckets).toEqual([
      ...[
        ['0.00001', 0],
        ['0.00002', 0],
        ['0.00005', 0],
        ['0.0001', 0],
        ['0.0002', 1],
        ['0.0005', 1],
        ['0.001', 1],
        ['0.002', 3],
        ['0.005', 3],
        ['0.01', 3],
        ['0.02', 3],
        ['0.05', 4],
        ['0.1', 4],
        ['0.2', 4],
        ['0.5', 4],
        ['1', 4],
        ['2', 4],
        ['5', 4],
        ['+Inf', 5],
      ].map(
        ([le, count]) =>
          `fareproof_agent_response_duration_seconds_bucket{outcome="ok",le="${le}"} ${count}`,
      ),
      'fareproof_agent_response_duration_seconds_sum{outcome="ok"} 9.03315',
      'fareproof_agent_response_duration_seconds_count{outcome="ok"} 5',
    ]);
    const lag = 'fareproof_agent_send_lag_seconds_bucket{le="0.00005"} 5';
    expect(await lines()).toContain(lag);
  });

  it('have the health of each generator, as far as it is known', async () => {
    const metrics = new AgentMetrics();
    const lines = await opened(metrics);
    metrics.onReady();
    const sample = { cpu: 0.5, eventLoopUtilization: 0.75, sendLagP99Us: 20, coreWait: null };
    metrics.onUpdate(3, { seconds: [], waiting: 0, sample });
    const health = (await lines()).filter((line) => line.startsWith('fareproof_agent_generator'));
    expect(health).toEqual([
      'fareproof_agent_generator_cpu{generator="3"} 0.5',
      'fareproof_agent_generator_event_loop_utilization_ratio{generator="3"} 0.75',
      'fareproof_agent_generator_waiting{generator="3"} 0',
    ]);
  });
});
