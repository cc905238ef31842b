import type { LoadClock } from '../clock.ts';
import type { LoadEngine, LoadPlan } from '../plan/plan.ts';
import type { TokenUser } from '../tokens/keeper.ts';
import { runAutocannon } from './autocannon/engine.ts';
import type { GeneratorHandle } from './generator.ts';
import type { GeneratorEvents, GeneratorReport } from './generator-report.ts';
import { type HandleOptions, runInline } from './native/placement/inline.ts';
import { runInThread, threadsAvailable } from './native/placement/thread.ts';

/** A plan about to be run. */
export interface EngineRun {
  engine: LoadEngine;
  plan: LoadPlan;
  baseUrl: string;
  accessToken: string;
  clock: LoadClock;
  /** Of generator k. */
  events: (generator: number) => GeneratorEvents;
  /** `threads` gives each generator its own; `inline` runs them all in the calling thread. */
  placement: 'threads' | 'inline';
}

/** Generators that are ready to begin together. */
export interface ReadyEngine extends TokenUser {
  /** Begins; resolves with what each generator measured. */
  run(startNs: number, ending: AbortSignal): Promise<GeneratorReport[]>;
  /** How far ahead the start must lie for all to hear of it, nanoseconds. */
  leadNs: number;
}

const THREAD_LEAD_NS = 30e6;

/** Where generators run unless told: in threads, where the package is compiled. */
export function defaultPlacement(): 'threads' | 'inline' {
  return threadsAvailable() ? 'threads' : 'inline';
}

/** Makes the generators of a plan ready, and waits at the barrier until all are. */
export async function prepareEngine(run: EngineRun): Promise<ReadyEngine> {
  if (run.engine === 'autocannon') {
    return {
      run: async (_startNs, signal) => [
        await runAutocannon({ ...run, events: run.events(0), signal }),
      ],
      setToken: () => undefined,
      pause: () => Promise.resolve(),
      resume: () => undefined,
      leadNs: 0,
    };
  }
  const start = run.placement === 'threads' ? runInThread : runInline;
  const handles = Array.from({ length: run.plan.generators }, (_, generator) =>
    start({ ...run, generator, events: run.events(generator) } satisfies HandleOptions),
  );
  await Promise.all(handles.map(({ ready }) => ready));
  return {
    run: (startNs, ending) => runHandles(handles, startNs, ending),
    setToken: (accessToken) => {
      for (const handle of handles) handle.setToken(accessToken);
    },
    pause: async () => {
      await Promise.all(handles.map((handle) => handle.pause()));
    },
    resume: (accessToken) => {
      for (const handle of handles) handle.resume(accessToken);
    },
    leadNs: run.placement === 'threads' ? THREAD_LEAD_NS : 0,
  };
}

async function runHandles(
  handles: readonly GeneratorHandle[],
  startNs: number,
  ending: AbortSignal,
): Promise<GeneratorReport[]> {
  const abort = (): void => {
    for (const handle of handles) handle.abort();
  };
  for (const handle of handles) handle.start(startNs);
  if (ending.aborted) abort();
  ending.addEventListener('abort', abort, { once: true });
  return Promise.all(handles.map(({ report }) => report));
}
