import { FareproofError } from '../../interface/errors.ts';
import type {
  AgentLoss,
  EngineRun,
  GeneratorHandle,
  GeneratorRange,
  GeneratorReport,
} from '../engine/engine.ts';
import { type GeneratorOrder, orderedTokenUser, orderRun } from '../engine/orders.ts';
import type { EngineName } from '../options.ts';
import { addRecords } from '../record/merge.ts';
import { type RecordSoFar, wholeRecord } from '../record/recorder.ts';
import type { AgentPart } from './agent-progress.ts';
import { Deferred } from './deferred.ts';
import type { FromRun, RemoteAgent } from './remote-agent.ts';

/** Part of a run, and the agent that is to run it. */
export interface RemoteRunOptions {
  readonly agent: RemoteAgent;
  readonly number: number;
  readonly engine: EngineName;
  readonly range: GeneratorRange;
  readonly run: EngineRun;
  /** Called when the agent is lost before all of its reports are there. */
  readonly onLost: () => void;
}

/** One agent's part of a run: the handles of its generators. */
export class RemoteRun {
  /** Resolves when the agent is ready to start. */
  readonly ready: Promise<void>;
  readonly handles: readonly GeneratorHandle[];
  readonly #options: RemoteRunOptions;
  readonly #records = new Map<number, RecordSoFar>();
  readonly #reports = new Map<number, Deferred<GeneratorReport>>();
  readonly #ready = new Deferred<void>();
  readonly #order: (order: GeneratorOrder) => void;
  #paused: Deferred<void> | null = null;
  #updates = 0;
  #missing = 0;
  #startNs: number | null = null;
  /** Set if its agent was lost before all of its reports were there. */
  #lost: AgentLoss | undefined;

  constructor(options: RemoteRunOptions) {
    this.#options = options;
    this.ready = this.#ready.promise;
    const { agent, number, engine, range, run } = options;
    const { plan, requests, accessToken } = run;
    this.#order = (order) => agent.send({ run: number, ...order });
    const indexes = Array.from({ length: range.count }, (_, index) => range.from + index);
    for (const index of indexes) this.#reports.set(index, new Deferred());
    this.handles = indexes.map((index) => this.#handle(index));
    agent.listen((message) => this.#take(message));
    void agent.lost.then((how) => this.#onLoss(how));
    agent.send({
      kind: 'prepare',
      run: number,
      task: { engine, range, plan, requests, accessToken },
    });
  }

  get part(): AgentPart {
    const { agent, range } = this.#options;
    const { name, cores } = agent.facts;
    const clockErrorUs = agent.clock.errorNs / 1000;
    return { name, cores, range, clockErrorUs, missingUpdates: this.#missing, lost: this.#lost };
  }

  #handle(generator: number): GeneratorHandle {
    const { agent, range, number } = this.#options;
    const isFirst = generator === range.from;
    return {
      run: (startNs, ending) => {
        if (isFirst) this.#start(startNs, ending);
        return this.#reports.get(generator)!.promise;
      },
      // One message is for all generators of the agent.
      token: isFirst ? orderedTokenUser(this.#order, () => this.#whenPaused()) : null,
      close: () => {
        if (isFirst) agent.send({ kind: 'close', run: number });
      },
    };
  }

  /** A lost agent sends nothing any more. */
  #whenPaused(): Promise<void> {
    this.#paused = new Deferred();
    if (this.#options.agent.isLost) this.#paused.resolve();
    return this.#paused.promise;
  }

  #start(startNs: number, ending: AbortSignal): void {
    this.#startNs = startNs;
    orderRun(this.#order, startNs + this.#options.agent.clock.offsetNs, ending);
  }

  #take(message: FromRun): void {
    const { agent, number, run } = this.#options;
    if (message.run !== number) return;
    switch (message.kind) {
      case 'ready':
        this.#ready.resolve();
        break;
      case 'failed':
        this.#fail(
          new FareproofError(message.code, `Agent ${agent.facts.name}: ${message.message}`),
        );
        break;
      case 'paused':
        this.#paused?.resolve();
        break;
      case 'update':
        this.#countMissing(message.number - 1);
        this.#updates = message.number;
        if (message.update.record) this.#records.set(message.generator, message.update.record);
        run.onUpdate(message.generator, message.update);
        break;
      case 'report':
        this.#countMissing(message.updates);
        this.#reports.get(message.generator)?.resolve(message.report);
        break;
    }
  }

  /** Counts the updates that should have arrived before a message, and did not. */
  #countMissing(before: number): void {
    this.#missing += Math.max(0, before - this.#updates);
    this.#updates = Math.max(before, this.#updates);
  }

  #fail(error: FareproofError): void {
    this.#ready.reject(error);
    for (const report of this.#reports.values()) report.reject(error);
  }

  /** Takes the record of the last updates for the report: no more is known. */
  #onLoss(how: AgentLoss['how']): void {
    const { run, agent, onLost } = this.#options;
    this.#paused?.resolve();
    const { name } = agent.facts;
    this.#ready.reject(
      new FareproofError('AGENT_LOST', `Agent ${name} was lost before the run began (${how}).`),
    );
    const startNs = this.#startNs;
    const open = [...this.#reports].filter(([, { isSettled }]) => !isSettled);
    if (startNs === null || open.length === 0) return;
    const atS = (run.clock.monotonicNs() - startNs) / 1e9 - run.plan.warmupMs / 1000;
    this.#lost = { atS, how };
    for (const [generator, report] of open) {
      const soFar = this.#records.get(generator) ?? addRecords([]);
      report.resolve({
        record: wholeRecord(soFar, []),
        usage: { cpu: null, coreWait: null, eventLoopUtilization: 0 },
        unsentThoughFree: 0,
        lost: this.#lost,
      });
    }
    onLost();
  }
}
