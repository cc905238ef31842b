import { FareproofError } from '../../interface/errors.ts';
import type { AgentLoss, EngineRun, GeneratorRange } from '../engine/engine.ts';
import { RemoteGenerators } from '../engine/remote-generators.ts';
import type { EngineName } from '../options.ts';
import { addRecords } from '../record/merge.ts';
import { type RecordSoFar, wholeRecord } from '../record/recorder.ts';
import type { AgentPart } from './agent-progress.ts';
import type { RemoteAgent } from './remote-agent.ts';

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

/** One agent's part of a run. */
export class RemoteRun {
  readonly generators: RemoteGenerators;
  readonly #options: RemoteRunOptions;
  readonly #records = new Map<number, RecordSoFar>();
  #lost: AgentLoss | undefined;

  constructor(options: RemoteRunOptions) {
    const { agent, number, engine, range, run } = options;
    const { plan, requests, accessToken, onUpdate } = run;
    this.#options = options;
    this.generators = new RemoteGenerators({
      range,
      label: `Agent ${agent.facts.name}: `,
      send: (order) => agent.send({ run: number, ...order }),
      close: () => agent.send({ kind: 'close', run: number }),
      theirNs: (ns) => ns + agent.clock.offsetNs,
      onUpdate: (generator, update) => {
        if (update.record) this.#records.set(generator, update.record);
        onUpdate(generator, update);
      },
    });
    agent.listen((message) => {
      if (message.run === number) this.generators.take(message);
    });
    void agent.lost.then((how) => this.#lose(how));
    const task = { engine, range, plan, requests, accessToken };
    agent.send({ kind: 'prepare', run: number, task });
  }

  get part(): AgentPart {
    const { agent, range } = this.#options;
    const { name, cores } = agent.facts;
    const clockErrorUs = agent.clock.errorNs / 1000;
    const { missingUpdates } = this.generators;
    return { name, cores, range, clockErrorUs, missingUpdates, lost: this.#lost };
  }

  /** Takes the record of the last updates for the report: no more is known. */
  #lose(how: AgentLoss['how']): void {
    const { run, agent, onLost } = this.#options;
    const { startNs, open } = this.generators;
    if (startNs === null) {
      const { name } = agent.facts;
      const message = `Agent ${name} was lost before the run began (${how}).`;
      return this.generators.fail(new FareproofError('AGENT_LOST', message));
    }
    if (open.length === 0) return;
    const atS = (run.clock.monotonicNs() - startNs) / 1e9 - run.plan.warmupMs / 1000;
    const lost = { atS, how };
    this.#lost = lost;
    for (const generator of open) {
      this.generators.report(generator, {
        record: wholeRecord(this.#records.get(generator) ?? addRecords([]), []),
        usage: {
          cpu: null,
          coreWait: null,
          eventLoopUtilization: 0,
          stoodStillMs: 0,
          lostMs: 0,
          heldUp: 0,
        },
        unsentThoughFree: 0,
        lost,
      });
    }
    onLost();
  }
}
