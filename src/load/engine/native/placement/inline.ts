import type { LoadClock } from '../../../clock.ts';
import type { LoadPlan } from '../../../plan/plan.ts';
import type { GeneratorHandle } from '../../generator.ts';
import type { GeneratorEvents, GeneratorReport } from '../../generator-report.ts';
import { createGenerator } from '../generator.ts';
import type { GeneratorBase } from '../generator-base.ts';

/** What every handle is made from. */
export interface HandleOptions {
  plan: LoadPlan;
  /** Which of the plan's generators, from 0. */
  generator: number;
  accessToken: string;
  clock: LoadClock;
  events: GeneratorEvents;
}

/** Runs a generator in the thread that calls this. */
export function runInline(options: HandleOptions): GeneratorHandle {
  let accessToken = options.accessToken;
  let running: GeneratorBase | null = null;
  let resolve: (report: GeneratorReport) => void;
  const report = new Promise<GeneratorReport>((settle) => {
    resolve = settle;
  });
  return {
    ready: Promise.resolve(),
    start(startNs) {
      running = createGenerator({ ...options, accessToken, startNs });
      void running.finished.then(resolve);
      running.begin();
    },
    setToken(token) {
      accessToken = token;
      running?.setToken(token);
    },
    pause: async () => {
      await running?.pause();
    },
    resume(token) {
      accessToken = token;
      running?.resume(token);
    },
    abort: () => running?.abort(),
    report,
  };
}
