import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkService, suiteSchema } from '../../../../src/conformance/index.ts';
import { budgetsOf } from '../../../../src/conformance/service/budget/budgets.ts';
import type { PartnerUse, Target } from '../../../../src/conformance/service/contract/target.ts';
import { openLedger } from '../../../../src/spending/index.ts';
import { RUN, targetOf } from '../../../independent-service/judge.ts';
import { middayNow } from '../../../independent-service/midday.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { lockWorld, openedLedger } from '../../../support/lock-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

it('runs under a cap never ban a partner whose token the profile has, with a control API or not', {
  timeout: 120_000,
}, async () => {
  const path = join(temporaryFolder(), 'ledger.jsonl');
  const service = await new OutsideService(STYLES[0]!, []).start();
  const { id, key } = service.addPartner('partner-0');
  const general = { id, signingKey: key, use: 'general' as const, authCodes: [] };
  const partners = [{ ...general, accessToken: 'a-token-of-the-profile' }];
  const suite = suiteSchema.parse({
    name: 'capped',
    rules: { include: ['signature/valid-accepted', 'token/nostr-required', 'token/response-*'] },
    tokenRequests: { most: 6 },
  });
  try {
    for (const control of [true, true, false, true, true]) {
      const ledger = await openLedger(path, lockWorld({ wall: middayNow }));
      const target = targetOf(service, control, partners);
      const { clock } = service;
      await checkService({ ...RUN, clock, suite, ledger: openedLedger(ledger), target });
      const { platform, refresh } = ledger.spentOf(service.baseUrl, id, middayNow());
      expect(platform + refresh).toBeGreaterThanOrEqual(service.counted.get(id) ?? 0);
      ledger.close();
    }
    expect(service.bans).toEqual([]);
  } finally {
    await service.stop();
  }
});

it.each<[allowBan: boolean, uses: readonly PartnerUse[], kept: readonly number[]]>([
  // Before a ban, right after it, within it, when it is over, and on the day after.
  [true, ['spendable', 'general', 'witness'], [0, 0, 5]],
  [true, ['spendable', 'general'], [0, 5]],
  // No ban: one request shows that the service answers others.
  [false, ['spendable', 'witness'], [0, 1]],
  [true, ['general', 'general'], [1, 0]],
  [true, ['witness'], [0]],
  [true, ['spendable', 'spendable'], [0, 0]],
])(
  'with bans allowed: %s, partners %j keep %j requests for the witness',
  (allowBan, uses, kept) => {
    const partners = uses.map((use, at) => {
      return { id: `p-${at}`, signingKey: 'k', use, authCodes: [] };
    });
    const target = { name: 't', baseUrl: 'http://x', partners } as unknown as Target;
    const budgets = budgetsOf(target, { allowBan, clock: { now: () => 0 } });
    expect(budgets.map((budget) => budget.kept)).toEqual(kept);
  },
);
