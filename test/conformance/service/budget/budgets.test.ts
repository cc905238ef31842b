import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkService, suiteSchema } from '../../../../src/conformance/index.ts';
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
