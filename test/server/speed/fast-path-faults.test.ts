import { describe, expect, it } from 'vitest';
import { checkService, FULL_SUITE, type ServiceResult } from '../../../src/conformance/index.ts';
import {
  describeProfile,
  FAULTS,
  type FaultId,
  type ServerOptions,
  startServer,
} from '../../../src/server/index.ts';

const FORMS = FAULTS.filter(({ id }) => id.includes('#fast-path'));

/** Judges one rule, on a server with that fault. */
async function judge(
  fault: FaultId,
  only: readonly string[],
  options: ServerOptions = {},
): Promise<ServiceResult> {
  const server = await startServer({ controlPort: 0, faults: [fault], ...options });
  try {
    return await checkService({
      ledger: 'none',
      target: describeProfile(server),
      suite: FULL_SUITE,
      only,
      seed: 1,
      timeoutMs: 60_000,
      maxRate: null,
      allowBan: false,
      requireComplete: false,
    });
  } finally {
    await server.close(0);
  }
}

describe('faults of the fast path only', () => {
  it.each(FORMS)('$id is seen by check', async ({ id, rule }) => {
    const { rules } = await judge(id, [rule]);
    const red = rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
    expect(red.map((one) => one.id)).toEqual([rule]);
  });

  it('are not there for the requests that the service answers', { tags: ['long'] }, async () => {
    for (const { id, rule } of FORMS) {
      const result = await judge(id, [rule], { fastPath: false });
      expect(result.rules.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    }
  });
});

describe('the estimates of check', () => {
  it('are answered by the fast path in half of the cases or more, for each purpose', {
    tags: ['long'],
  }, async () => {
    // The fault marks what the fast path answers.
    const { exchanges } = await judge('record/currency-code#fast-path', ['estimate/*', 'auth/*']);
    const counts = new Map<string, { fast: number; all: number }>();
    for (const { purpose, response } of exchanges) {
      if (response?.status !== 200 || !response.body?.includes('currency_code')) continue;
      const count = counts.get(purpose) ?? { fast: 0, all: 0 };
      count.all++;
      if (response.body.includes('yuan')) count.fast++;
      counts.set(purpose, count);
    }
    const inFew = [...counts].filter(([, { fast, all }]) => fast < all / 2);
    expect(inFew.map(([purpose, count]) => ({ purpose, ...count }))).toEqual([]);
    expect(counts.size).toBeGreaterThan(10);
  });
});
