// @module-tag long

import { afterEach, describe, expect, it } from 'vitest';
import { checkService, FULL_SUITE } from '../../../src/conformance/index.ts';
import type {
  describeProfile,
  Environment,
  RunningServer,
  startServer,
} from '../../../src/server/index.ts';
import { compiledPackage } from '../../support/compiled.ts';

const compiled = compiledPackage();
const ENVIRONMENTS: readonly Environment[] = ['production', 'test'];

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

describe('a check of servers with two workers', () => {
  it('finds every rule kept', async () => {
    const server = await compiled.load<{
      startServer: typeof startServer;
      describeProfile: typeof describeProfile;
    }>('server/index.js');
    for (const environment of ENVIRONMENTS) {
      // A busy machine may keep a process from the processor for seconds.
      const patient = { workers: 2, workerSilenceMs: 60_000, controlPort: 0 };
      running.push(await server.startServer({ ...patient, environment }));
    }
    const [target, companion] = running.map((one) => server.describeProfile(one));
    const { verdict, rules } = await checkService({
      ledger: 'none',
      target: target!,
      companion: companion!,
      suite: FULL_SUITE,
      seed: 1,
      timeoutMs: 60_000,
      maxRate: null,
      allowBan: false,
      requireComplete: false,
    });
    expect(running.map(({ workers }) => workers)).toEqual([2, 2]);
    expect(rules.filter((rule) => rule.verdict !== 'pass').map(({ id }) => id)).toEqual([]);
    expect(verdict).toBe('conformant');
  });
});
