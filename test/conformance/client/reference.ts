import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type {
  RunClient,
  StartReference,
} from '../../../src/conformance/client/scenario/run-scenario.ts';
import {
  type Scenario,
  scenarioSchema,
} from '../../../src/conformance/client/scenario/scenario.ts';
import { startServer } from '../../../src/server/index.ts';

const SUITES = new URL('../../../suites/client/', import.meta.url);

/** The scenarios that ship. */
export const SCENARIOS: readonly Scenario[] = readdirSync(SUITES).map((name) =>
  scenarioSchema.parse(parse(readFileSync(new URL(name, SUITES), 'utf8'))),
);

/** The surroundings of a client that runs in this process. */
export interface ClientWorld {
  startReference: StartReference;
  /** Milliseconds since the epoch. */
  now: () => number;
  sleep: (ms: number) => Promise<void>;
}

/** Runs the processes of a client one after the other, for a world in which only one can sleep. */
export function oneByOne(runClient: RunClient): RunClient {
  let last: Promise<unknown> = Promise.resolve();
  return async (...given) => {
    const run = last.then(async () => runClient(...given));
    last = run.catch(() => undefined);
    return run;
  };
}

/**
 * A world in which time passes only while the client sleeps: no machine is too slow for a token of
 * two seconds. For one client at a time.
 */
export function sleepingWorld(): ClientWorld {
  let nowMs = Date.UTC(2026, 2, 2, 12);
  const now = (): number => nowMs;
  return {
    startReference: (options) => startServer({ ...options, clock: { now } }),
    now,
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
}
