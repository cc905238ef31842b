import { join } from 'node:path';
import {
  type CheckServiceOptions,
  checkService,
  openTokenJournal,
  type RunClock,
  resumeRunLog,
  type ServiceResult,
  startRunLog,
  type TargetPartner,
} from '../../src/conformance/index.ts';
import type { RunLog } from '../../src/conformance/service/resume/run-log.ts';
import { openLedger } from '../../src/spending/index.ts';
import { lockWorld, openedLedger } from '../support/lock-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { RUN, targetOf } from './judge.ts';
import { runClock } from './run-clock.ts';
import { OutsideService } from './service.ts';
import type { Style } from './style.ts';
import { needsSockets, newWorld } from './world.ts';

type Options = CheckServiceOptions;

/** A metered service, its partners, and the files of its runs; both sides share one clock. */
export class MeteredRun {
  readonly service: OutsideService;
  readonly #openTransport: Options['openTransport'];
  /** Clock of both sides, which waits move. */
  readonly clock: RunClock;
  readonly folder: string = temporaryFolder();
  readonly partners: TargetPartner[];
  readonly #options: Partial<Options>;

  constructor(
    style: Style,
    broken: readonly string[],
    uses: readonly TargetPartner['use'][],
    options: Partial<Options> = {},
  ) {
    const world = needsSockets(style, broken) ? null : newWorld();
    const clock = world ?? runClock();
    const service = new OutsideService(style, broken, 'production', clock);
    this.service = service;
    this.#openTransport = world?.openTransport;
    this.clock = {
      now: () => service.now(),
      monotonicNs: () => clock.monotonicNs(),
      sleep: (forMs, signal) => clock.sleep(forMs, signal),
    };
    this.#options = options;
    this.partners = uses.map((use, at) => {
      const authCodes = Array.from({ length: 6 }, (_, number) => `code-${at}-${number}`);
      const { id, key } = this.service.addPartner(`partner-${at}`, authCodes);
      return { id, signingKey: key, use, authCodes };
    });
  }

  get runLogPath(): string {
    return join(this.folder, 'progress.jsonl');
  }

  /** Starts or resumes a run; waits move the clock of both sides. */
  async judge(kind: 'start' | 'resume', more: Partial<Options> = {}): Promise<ServiceResult> {
    const { service, clock } = this;
    const ledger = await openLedger(
      join(this.folder, 'ledger.jsonl'),
      lockWorld({ wall: clock.now }),
    );
    try {
      return await checkService({
        ...RUN,
        clock,
        openTransport: this.#openTransport,
        target: targetOf(service, false, this.partners),
        ledger: openedLedger(ledger),
        journal: openTokenJournal(join(this.folder, 'tokens.jsonl')),
        ...('runLog' in more ? {} : { runLog: this.#openRunLog(kind) }),
        ...this.#options,
        ...more,
      });
    } finally {
      ledger.close();
    }
  }

  #openRunLog(kind: 'start' | 'resume'): RunLog {
    return kind === 'start' ? startRunLog(this.runLogPath, {}) : resumeRunLog(this.runLogPath);
  }

  /** Lets time pass until a moment in ISO 8601, plus some seconds. */
  passUntil(iso: string | undefined, seconds = 2): void {
    this.service.advance(Date.parse(iso ?? '') - this.service.now() + seconds * 1000);
  }
}

/** Verdicts by rule. */
export function verdicts({ rules }: ServiceResult): Record<string, string> {
  return Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]));
}

/** Verdict on one rule. */
export function ruleOf({ rules }: ServiceResult, id: string): ServiceResult['rules'][number] {
  const rule = rules.find((one) => one.id === id);
  if (!rule) throw new Error(`no rule ${id}`);
  return rule;
}
