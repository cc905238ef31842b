import { expect as jestExpect } from 'expect';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../src/server/index.ts';
import { matchers } from '../../src/testing/matchers.ts';

/** Matchers of jest, which have no types for those that are added. */
interface Judged {
  readonly not: Judged;
  toConform(options?: object): Promise<void>;
  toHoldLoad(options?: object): Promise<void>;
}

jestExpect.extend(matchers);
const expectInJest = (subject: unknown): Judged => jestExpect(subject) as unknown as Judged;

describe('the matchers in expect of jest', () => {
  it('pass and fail as in vitest', async () => {
    const service = await startServer({ faults: ['token/nostr-required'], controlPort: 0 });
    try {
      await expectInJest(service).toConform({ rules: 'token/nostr-length' });
      await expectInJest(service).not.toConform({ rules: 'token/nostr-required' });
      await expect(
        expectInJest(service).toConform({ rules: 'token/nostr-required' }),
      ).rejects.toThrow('token/nostr-required');
    } finally {
      await service.close();
    }
  });

  it('hold a service to thresholds', async () => {
    const service = await startServer();
    const load = { connections: 1, duration: '200ms', warmup: '0s', thresholds: 'max<1us' };
    try {
      const outcome = await expectInJest(service)
        .toHoldLoad(load)
        .catch((error: unknown) => error);
      // On a busy machine the run may be invalid, which is neither.
      expect(String(outcome)).toMatch(/max<1us: not held, observed \d|LOAD_INVALID|says nothing/);
    } finally {
      await service.close();
    }
  });
});
