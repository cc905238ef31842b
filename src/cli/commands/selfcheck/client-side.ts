import { setTimeout as sleep } from 'node:timers/promises';
import { judgeSampleClient, WRONG_CLIENTS } from '../../../conformance/index.ts';
import { findRule } from '../../../interface/index.ts';
import { startServer } from '../../../server/index.ts';
import { readScenarios } from '../certify/scenarios.ts';
import type { SelfcheckSide } from './side.ts';

/** Number of clients in parallel: each spends most of its time waiting between two estimates. */
const IN_PARALLEL = 12;

/** The checker of clients, tested with a sample client that has one mistake per rule. */
export const clientSide: SelfcheckSide = {
  trials: WRONG_CLIENTS.flatMap(({ rule: id, mistake, alsoBreaks }) => {
    const rule = findRule(id);
    const breaks = Object.entries(alsoBreaks).map(([also, reason]) => ({ rule: also, reason }));
    return rule === undefined ? [] : [{ rule, how: `The client ${mistake}.`, breaks }];
  }),
  inParallel: IN_PARALLEL,
  judge: async (fault, seed) =>
    judgeSampleClient(
      fault,
      {
        startReference: (options) => startServer(options),
        scenarios: await readScenarios([], { cwd: '.', env: {} }),
        now: Date.now,
        sleep: (ms) => sleep(ms),
      },
      seed,
    ),
};
