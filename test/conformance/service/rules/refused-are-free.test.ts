import { describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../../../src/conformance/index.ts';
import { targetOf, withVerdict } from '../../../independent-service/judge.ts';
import { MeteredRun } from '../../../independent-service/metered-run.ts';
import { STYLES, type Style } from '../../../independent-service/style.ts';

const [plain, strict] = STYLES as [Style, Style];
const GAP = 'failed-requests-count';
const RULES = ['token/nostr-length', 'token/grant-type-known', 'token/timestamp-iso8601'];

/** Result of a run by two partners, and the partners that were banned. */
async function judge(
  style: Style,
  broken: readonly string[],
  refusedRequestsCount?: boolean,
  only: readonly string[] = [],
): Promise<{ result: ServiceResult; again: ServiceResult; bans: readonly string[] }> {
  const run = new MeteredRun(style, broken, ['general', 'general'], { only });
  await run.service.start();
  const target = { ...targetOf(run.service, false, run.partners), refusedRequestsCount };
  try {
    const result = await run.judge('start', { target });
    const again = await run.judge('start', { target, only: RULES });
    return { result, again, bans: run.service.bans };
  } finally {
    await run.service.stop();
  }
}

const partsLeft = ({ leftOut = [] }: ServiceResult): number =>
  leftOut.reduce((sum, { parts }) => sum + parts, 0);

describe('a target that counts no refused request', { timeout: 60_000 }, () => {
  it.each([
    'token/nostr-length#longer',
    'token/nostr-length#one',
    'token/grant-type-known#password',
    'token/grant-type-known#zero',
  ])('is judged by all refusals if its profile says so: %s', { tags: ['long'] }, async (form) => {
    const [rule] = form.split('#');
    const declared = await judge(plain, [form], false);
    expect(withVerdict(declared.result, 'fail', 'warn')).toEqual([rule]);
    expect(declared.bans).toEqual([]);
    const silent = await judge(plain, [form]);
    expect(withVerdict(silent.result, 'fail', 'warn')).toEqual([]);
    expect(partsLeft(declared.result)).toBeLessThan(partsLeft(silent.result) / 2);
  });

  it('is shown to do so', async () => {
    const gapIn = ({ gaps }: ServiceResult) => gaps.find(({ id }) => id === GAP)?.observed;
    const declared = await judge(plain, [], false);
    expect(gapIn(declared.result)?.words).toMatch(/^at least \d+ of \d+ refused requests did not$/);
    expect(gapIn((await judge(plain, [])).result)).toBeNull();
    expect(gapIn((await judge(strict, [], false)).result)).toBeNull();
  });

  it('keeps what was refused for a later run of the day', async () => {
    const declared = await judge(plain, [], false, RULES);
    const silent = await judge(plain, [], undefined, RULES);
    expect(withVerdict(declared.again, 'pass').sort()).toEqual(RULES.toSorted());
    expect(withVerdict(silent.again, 'pass')).toEqual([]);
    expect([...declared.bans, ...silent.bans]).toEqual([]);
  });

  it('loses no allowance to the requests that it should refuse and accepts', async () => {
    const { result, bans } = await judge(plain, RULES, false);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(expect.arrayContaining(RULES));
    expect(bans).toEqual([]);
  });
});

describe('a target that counts refused requests', { timeout: 60_000 }, () => {
  it('bans nobody where nothing is declared', async () => {
    const { result, bans } = await judge(strict, []);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(bans).toEqual([]);
  });

  it('is accused of nothing by a profile that is wrong', { tags: ['long'] }, async () => {
    const { result, bans } = await judge(strict, [], false);
    expect(bans).not.toEqual([]);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  });
});
