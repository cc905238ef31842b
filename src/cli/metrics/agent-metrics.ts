import {
  type GeneratorSample,
  type GeneratorUpdate,
  LatencyHistogram,
  mergeParts,
  type RecordSoFar,
  valuesOf,
} from '../../load/index.ts';
import type { HistogramMetric, Metric, MetricsSource, Sample } from './prometheus.ts';

const LATENCY_BOUNDS_S = [
  0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5,
];
const LAG_BOUNDS_S = [0.00001, 0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02, 0.1];
const US_PER_S = 1e6;

/** Requests and latencies of an agent over all of its runs. */
class Totals {
  ok = 0;
  failed = 0;
  reconnected = 0;
  readonly errors = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  readonly response = new LatencyHistogram();
  readonly service = new LatencyHistogram();
  readonly sendLag = new LatencyHistogram();

  add({ parts, errors, statuses, sendLag }: RecordSoFar): void {
    const { ok, failed, reconnected, response, service } = mergeParts(parts);
    this.ok += ok;
    this.failed += failed;
    this.reconnected += reconnected;
    addCounts(this.errors, Object.entries(errors));
    addCounts(this.statuses, Object.entries(statuses));
    this.response.merge(response.toData());
    this.service.merge(service.toData());
    this.sendLag.merge(sendLag);
  }

  addAll(other: Totals): void {
    this.ok += other.ok;
    this.failed += other.failed;
    this.reconnected += other.reconnected;
    addCounts(this.errors, other.errors);
    addCounts(this.statuses, other.statuses);
    this.response.merge(other.response.toData());
    this.service.merge(other.service.toData());
    this.sendLag.merge(other.sendLag.toData());
  }
}

/** State of a generator of the current run. */
interface Generator {
  record: RecordSoFar | null;
  sample: GeneratorSample | null;
  waiting: number;
}

/** Metrics of `agent`: the requests of its measured windows, and the health of its generators. */
export class AgentMetrics {
  readonly source: MetricsSource;
  /** Of the runs that are over. */
  readonly #past = new Totals();
  readonly #generators = new Map<number, Generator>();
  #now = this.#past;
  #isJoined = false;
  #isRunning = false;
  #runs = 0;

  constructor() {
    this.source = {
      refresh: async () => {
        this.#now = this.#totals();
      },
      metrics: this.#metrics(),
    };
  }

  onJoin(): void {
    this.#isJoined = true;
  }

  onLeave(): void {
    this.#isJoined = false;
  }

  onReady(): void {
    this.#isRunning = true;
    this.#runs++;
  }

  onUpdate(generator: number, { record, sample, waiting }: GeneratorUpdate): void {
    const before = this.#generators.get(generator);
    this.#generators.set(generator, {
      record: record ?? before?.record ?? null,
      sample: sample ?? before?.sample ?? null,
      waiting,
    });
  }

  onRunEnd(): void {
    this.#isRunning = false;
    for (const { record } of this.#generators.values()) if (record) this.#past.add(record);
    this.#generators.clear();
  }

  #totals(): Totals {
    const totals = new Totals();
    totals.addAll(this.#past);
    for (const { record } of this.#generators.values()) if (record) totals.add(record);
    return totals;
  }

  #metrics(): (Metric | HistogramMetric)[] {
    const histogram = (
      name: string,
      help: string,
      boundsS: readonly number[],
      of: (totals: Totals) => LatencyHistogram,
    ): HistogramMetric => ({
      type: 'histogram',
      name: `fareproof_agent_${name}_seconds`,
      help,
      samples: () => [{ labels: {}, ...bucketsOf(of(this.#now), boundsS) }],
    });
    const health = (
      name: string,
      help: string,
      of: (sample: GeneratorSample) => number | null | undefined,
    ): Metric => ({
      type: 'gauge',
      name: `fareproof_agent_generator_${name}`,
      help,
      labels: ['generator'],
      samples: () =>
        [...this.#generators].flatMap(([generator, { sample }]): Sample[] => {
          const value = sample && of(sample);
          return value == null ? [] : [[{ generator }, value]];
        }),
    });
    return [
      {
        type: 'gauge',
        name: 'fareproof_agent_joined',
        help: '1 if the agent belongs to a controller, 0 while it waits for one.',
        samples: () => [[{}, Number(this.#isJoined)]],
      },
      {
        type: 'gauge',
        name: 'fareproof_agent_running',
        help: '1 from when it is ready for a run to the end of that run.',
        samples: () => [[{}, Number(this.#isRunning)]],
      },
      {
        type: 'counter',
        name: 'fareproof_agent_runs_total',
        help: 'Runs that it was ready for.',
        samples: () => [[{}, this.#runs]],
      },
      {
        type: 'counter',
        name: 'fareproof_agent_requests_total',
        help: 'Requests of the measured windows, by outcome.',
        labels: ['outcome'],
        samples: () => [
          [{ outcome: 'ok' }, this.#now.ok],
          [{ outcome: 'failed' }, this.#now.failed],
        ],
      },
      {
        type: 'counter',
        name: 'fareproof_agent_reconnected_total',
        help: 'Requests that were sent again, since the target closed their kept connection.',
        samples: () => [[{}, this.#now.reconnected]],
      },
      {
        type: 'counter',
        name: 'fareproof_agent_errors_total',
        help: 'Failed requests, by kind of error.',
        labels: ['kind'],
        samples: () => [...this.#now.errors].map(([kind, count]) => [{ kind }, count]),
      },
      {
        type: 'counter',
        name: 'fareproof_agent_responses_total',
        help: 'Answers, by status.',
        labels: ['status'],
        samples: () => [...this.#now.statuses].map(([status, count]) => [{ status }, count]),
      },
      histogram(
        'response',
        'Time from the planned send to the last byte of the successful requests.',
        LATENCY_BOUNDS_S,
        ({ response }) => response,
      ),
      histogram(
        'service',
        'Time from the send to the last byte of the successful requests.',
        LATENCY_BOUNDS_S,
        ({ service }) => service,
      ),
      histogram(
        'send_lag',
        'Time from when a request could be sent to its send.',
        LAG_BOUNDS_S,
        ({ sendLag }) => sendLag,
      ),
      health('cpu_cores', 'Processor time in use, in cores.', ({ cpu }) => cpu),
      health(
        'core_wait_ratio',
        'Share of the time in which it was ready to run and got no core.',
        ({ coreWait }) => coreWait,
      ),
      health(
        'event_loop_utilization_ratio',
        'Share of the time in which its event loop had work.',
        ({ eventLoopUtilization }) => eventLoopUtilization,
      ),
      {
        type: 'gauge',
        name: 'fareproof_agent_waiting_requests',
        help: 'Due requests that wait for a connection.',
        samples: () => [
          [{}, [...this.#generators.values()].reduce((sum, { waiting }) => sum + waiting, 0)],
        ],
      },
    ];
  }
}

function addCounts(to: Map<string, number>, counts: Iterable<[string, number]>): void {
  for (const [name, count] of counts) to.set(name, (to.get(name) ?? 0) + count);
}

/** Counts by bucket, in seconds. */
function bucketsOf(
  histogram: LatencyHistogram,
  boundsS: readonly number[],
): Pick<ReturnType<HistogramMetric['samples']>[number], 'buckets' | 'count' | 'sum'> {
  const data = histogram.toData();
  const counts = boundsS.map(() => 0);
  for (const [us, count] of valuesOf(data)) {
    const at = boundsS.findIndex((boundS) => us <= boundS * US_PER_S);
    if (at >= 0) counts[at] = (counts[at] ?? 0) + count;
  }
  return {
    buckets: boundsS.map((boundS, at) => [boundS, counts[at] ?? 0]),
    count: data.count,
    sum: data.sumUs / US_PER_S,
  };
}
