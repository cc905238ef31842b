import { join } from 'node:path';
import {
  checkService,
  openTokenJournal,
  resumeRunLog,
  type ServiceResult,
  startRunLog,
  type TargetPartner,
} from '../../src/conformance/index.ts';
import { openLedger } from '../../src/spending/index.ts';
import { lockWorld, openedLedger } from '../support/lock-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { RUN, targetOf } from './judge.ts';
import { type RunClock, runClock } from './run-clock.ts';
import { OutsideService } from './service.ts';
import type { Style } from './style.ts';

type Options = Parameters<typeof checkService>[0];

/** A metered service, its partners, and the files of its runs; both sides share one clock. */
export class MeteredRun {
  readonly service: OutsideService;
  readonly folder: string = temporaryFolder();
  readonly partners: TargetPartner[];
  readonly #clock: RunClock = runClock();
  readonly #options: Partial<Options>;

  constructor(
    style: Style,
    broken: readonly string[],
    uses: readonly TargetPartner['use'][],
    options: Partial<Options> = {},
  ) {
    this.service = new OutsideService(style, broken, 'production', this.#clock);
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
    const { service } = this;
    const wall = (): number => service.now();
    const ledger = await openLedger(join(this.folder, 'ledger.jsonl'), lockWorld({ wall }));
    try {
      return await checkService({
        ...RUN,
        ...this.#clock,
        target: targetOf(service, false, this.partners),
        wall,
        sleepUntil: async (atMs) => service.advance(Math.max(0, atMs - wall())),
        ledger: openedLedger(ledger),
        journal: openTokenJournal(join(this.folder, 'tokens.jsonl')),
        runLog: kind === 'start' ? startRunLog(this.runLogPath, {}) : resumeRunLog(this.runLogPath),
        ...this.#options,
        ...more,
      });
    } finally {
      ledger.close();
    }
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
