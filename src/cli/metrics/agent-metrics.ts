import type { PrometheusMetric } from '../../files/prometheus-text.ts';
import {
  type AgentObserver,
  addRecords,
  figuresSoFar,
  type GeneratorUpdate,
  MEASURES,
  prometheusMetrics,
  type RecordSoFar,
  type RunRecords,
} from '../../load/index.ts';

type Generator = RunRecords['generators'][number];

/** Metrics of `agent`: the requests of its measured windows, and the health of its generators. */
export class AgentMetrics implements AgentObserver {
  /** Of the runs that are over. */
  #past: RecordSoFar = addRecords([]);
  readonly #generators = new Map<number, Generator>();
  #isJoined = false;
  #isRunning = false;
  #runs = 0;

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
      generator,
      agent: null,
      record: record ?? before?.record ?? null,
      sample: sample ?? before?.sample ?? null,
      waiting,
    });
  }

  onRunEnd(): void {
    this.#isRunning = false;
    const records = [...this.#generators.values()].flatMap(({ record }) => record ?? []);
    this.#past = addRecords([this.#past, ...records]);
    this.#generators.clear();
  }

  /** Reads them, at each scrape. */
  async read(): Promise<PrometheusMetric[]> {
    const generators = [...this.#generators.values()];
    const run = figuresSoFar({ generators, shapes: [], plannedRate: null }, this.#past);
    return [
      own('joined', '1 if the agent belongs to a controller, 0 while it waits.', this.#isJoined),
      own('running', '1 from when it is ready for a run to the end of that run.', this.#isRunning),
      { ...own('runs_total', 'Runs that it was ready for.', this.#runs), type: 'counter' },
      ...prometheusMetrics(MEASURES, run, PREFIX),
    ];
  }
}

const PREFIX = 'fareproof_agent_';

const own = (name: string, help: string, value: number | boolean): PrometheusMetric => ({
  type: 'gauge',
  name: PREFIX + name,
  help,
  samples: [[{}, Number(value)]],
});
