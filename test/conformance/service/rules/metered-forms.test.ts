import { describe, expect, it } from 'vitest';
import { judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

const [plain] = STYLES;
const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

/** Rules that fail, and partners that were banned. */
async function judge(form: string, only: readonly string[]) {
  const { result, service } = await judgeMetered(plain!, [form], SIX, { only });
  return { fallen: withVerdict(result, 'fail', 'warn'), bans: service.bans };
}

describe('with metered partners', () => {
  it.each([
    // Requests that count for nobody are all sent.
    ['token/partner-unknown#empty-key'],
    ['token/partner-unknown#key-null'],
    // One request shows what a service may trust.
    ['signature/covers-fields#signature-replayed'],
    ['signature/covers-fields#cached-by-nostr'],
    ['signature/covers-fields#connection'],
    // A chain of refreshes, of which two are replayed.
    ['lifecycle/refresh-single-use#refreshed-only'],
    ['lifecycle/refresh-single-use#same-request'],
    ['token/scope-echo#refresh'],
    ['token/scope-echo#exchange'],
    ['lifecycle/user-token-newest-only#other-scope'],
    ['lifecycle/refresh-single-use-concurrent#user'],
    ['auth/scope-public#several'],
    ['estimate/user#refreshed-token'],
    ['estimate/platform#refreshed-token'],
  ])('%s fails, and no other rule of its area', async (form) => {
    const [rule = ''] = form.split('#');
    const { fallen, bans } = await judge(form, [rule]);
    expect(fallen).toEqual([rule]);
    expect(bans).toEqual([]);
  });

  it.each([
    ['signature/valid-accepted#percent-decoded'],
    ['signature/array-json#single-quotes'],
    ['signature/empty-skipped#text-null'],
    ['signature/key-order#only-without-scope'],
  ])('%s fails, and no other step', async (form) => {
    const [rule] = form.split('#');
    const { fallen, bans } = await judge(form, ['signature/*']);
    expect(fallen).toEqual([rule]);
    expect(bans).toEqual([]);
  });
});
