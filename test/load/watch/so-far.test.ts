import { it } from 'vitest';
import { type LoadProgress, runLoad, systemClock } from '../../../src/load/index.ts';
import { faultsButCores } from '../../support/judged-generators.ts';
import { startFakeTarget } from '../fake-target.ts';

// Each run lasts until a report has what a whole second brought.
it.concurrent.for(['native', 'autocannon'] as const)(
  'tells outcomes and response times so far during a run by %s',
  async (engine, { expect, onTestFinished }) => {
    let count = 0;
    const target = await startFakeTarget({
      estimate: (_request, response) => response.writeHead(++count % 2 === 0 ? 503 : 429).end(),
    });
    onTestFinished(() => target.close());
    const enough = new AbortController();
    const told: LoadProgress['soFar'][] = [];
    await runLoad({
      ledger: 'none',
      clock: systemClock(),
      findFaults: faultsButCores,
      seed: 1,
      profile: target.profile,
      engine,
      connections: 2,
      warmup: '0',
      duration: '60s',
      signal: enough.signal,
      output: {
        add: ({ progress: { soFar, failed } }) => {
          if (failed === 0) return;
          told.push(soFar);
          enough.abort();
        },
      },
    });
    const { statuses, errors, latencyUs } = told[0]!;
    expect(Object.keys(statuses)).toEqual(['429', '503']);
    expect(errors).toEqual({ 'http-429': statuses['429'], 'http-503': statuses['503'] });
    expect(latencyUs.count).toBe(0);
  },
);
