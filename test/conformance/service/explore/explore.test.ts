import { describe, expect, it } from 'vitest';
import { replayCase } from '../../../../src/conformance/index.ts';
import type { Step, TokenStep } from '../../../../src/conformance/service/contract/walk.ts';
import { targetOf } from '../../../independent-service/judge.ts';
import { ODD_STYLES } from '../../../independent-service/odd-styles.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { newWorld } from '../../../independent-service/world.ts';
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

  it.each([
    ['wants times in milliseconds', 1, 'learns nothing from a form of time that was not sent'],
    ['answers each 15th token request with 500', 32, 'counts on no period of a walk'],
    ['refuses a scope in a refresh', 8, 'does not expect of a refresh what other grants may name'],
  ])('that %s, by seed %i, %s', async (name, seed) => {
    const style = ODD_STYLES.find((one) => one.name === name);
    expect(rulesOf(await exploreSecond(style!, [], seed, 700))).toEqual([]);
  });

  const token = (id: number, more: Partial<TokenStep> = {}): TokenStep => ({
    do: 'token',
    partner: 0,
    grant: 'platform',
    twists: [],
    id,
    ...more,
  });
  const refreshes = Array.from({ length: 8 }, (_, at) =>
    token(11 + at, { grant: 'refresh', of: at === 0 ? 5 : 10 + at }),
  );
  it.each<[what: string, steps: Step[]]>([
    [
      "the id of another partner with that one's token",
      [
        token(1, { partner: 1 }),
        {
          do: 'estimate',
          partner: 0,
          as: 'platform',
          of: 1,
          twists: [{ name: "with another partner's id", seed: 1 }],
          id: 2,
        },
      ],
    ],
    [
      'two refreshes at once, of which one is refused, and more a day later',
      [
        token(1),
        token(2, { grant: 'refresh', of: 1 }),
        token(3, { grant: 'refresh', of: 2 }),
        token(5, { twice: true }),
        token(6, { grant: 'refresh', of: 3, twice: true }),
        { do: 'wait', seconds: 86_393, id: 7 },
        ...refreshes,
      ],
    ],
  ])('takes %s as right', async (_, steps) => {
    const world = newWorld();
    const service = await new OutsideService(plain!, [], 'production', world).start();
    const { reason } = await replayCase({
      target: targetOf(service, true),
      walk: { startsAt: 36_180, longLock: false, steps },
      timeoutMs: 60_000,
      clock: world,
      openTransport: world.openTransport,
      seed: 2,
    });
    expect(reason).toBeNull();
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
