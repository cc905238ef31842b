import { describe, expect, it } from 'vitest';
import { ODD_STYLES } from '../../../independent-service/odd-styles.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { exploreReference, exploreSecond } from './client.ts';

const SEED = Number(process.env['FAREPROOF_FUZZ_SEED'] ?? 11);

const [plain] = STYLES;

const rulesOf = ({ finds }: Awaited<ReturnType<typeof exploreReference>>): string[] =>
  finds.map(({ rule, words }) => `${rule}: ${words.join(' ')}`);

describe('a walk over a sound service', () => {
  it('finds nothing at the reference server, and the same walk nothing at the second service', async () => {
    const reference = await exploreReference(SEED, 400);
    const second = await exploreSecond(plain!, [], SEED, 400);
    expect([...rulesOf(reference), ...rulesOf(second)]).toEqual([]);
    expect(reference.expected['accepted']).toBeGreaterThan(50);
    expect(reference.expected['refused']).toBeGreaterThan(50);
    expect(Object.keys(reference.open).length).toBeGreaterThan(20);
  });

  it('does not expect of estimates what token requests may carry', async () => {
    const style = ODD_STYLES.find(({ name }) => name === 'refuses unknown parameters');
    expect(rulesOf(await exploreSecond(style!, [], 6, 250))).toEqual([]);
  });

  it('is the same for the same seed', async () => {
    const [one, other] = [await exploreReference(3, 150), await exploreReference(3, 150)];
    expect(other).toEqual(one);
  });
});

/** Forms, and the fewest steps that show each. */
const FEWEST: readonly (readonly [form: string, steps: number])[] = [
  ['token/scope-echo#wider', 1],
  ['token/response-token-type#old-time', 1],
  ['estimate/private-car#user-estimate', 2],
  ['token/timestamp-fresh#after-five-minutes', 1],
  ['record/estimate-id#null', 2],
  ['lifecycle/refresh-single-use', 3],
  ['lifecycle/user-token-newest-only', 3],
  ['lifecycle/access-token-valid-until-expiry#user-ended-by-platform', 3],
];

describe('a walk over a broken service', () => {
  it.each(FEWEST)('shows %s in little more than %i steps', async (form, fewest) => {
    const [rule = ''] = form.split('#');
    const { finds } = await exploreSecond(plain!, [form], SEED, 3_000, rule);
    const find = finds.find((one) => one.rule === rule);
    expect(find?.words.length ?? 'none').toBeLessThanOrEqual(1.5 * fewest);
    expect(find?.shrunkBy).toBeLessThanOrEqual(300);
    expect(find?.exchanges.length).toBeGreaterThan(0);
  });
});
