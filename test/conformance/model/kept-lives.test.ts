import { describe, expect, it } from 'vitest';
import { keptLifeIn } from '../../../src/conformance/model/kept-lives.ts';
import { HOUR_MS, LIFE_MS, type Manner, SECOND_MS, TokenService } from './simulated-tokens.ts';

const WRONG = { isRight: false, isWrong: true } as const;

/** Sends what shows each rule on the life of tokens, for a platform or a user. */
function showAll(manner: Manner, isUser: boolean): TokenService {
  const service = new TokenService(manner);
  const raced = service.issue('a', isUser)!;
  const at = { answeredMs: service.nowMs + 20, isRight: false } as const;
  service.refresh(raced, at);
  service.refresh(raced, { ...at, isWrong: false });
  service.pass(SECOND_MS);
  const first = service.issue('a', isUser)!;
  const second = service.issue('a', isUser)!;
  service.use(first, isUser ? WRONG : {});
  service.use(second);
  service.pass(LIFE_MS - 10 * SECOND_MS);
  service.use(second);
  service.pass(20 * SECOND_MS);
  service.use(second, WRONG);
  const replaced = service.refresh(second);
  if (replaced) service.use(replaced);
  service.refresh(second, WRONG);
  const kept = service.issue('a', isUser)!;
  service.use(kept);
  service.pass(400 * 24 * HOUR_MS + LIFE_MS);
  service.refresh(kept);
  return service;
}

const RULES: readonly (readonly [rule: string, broken: Manner])[] = [
  ['refresh-single-use', { acceptsUsed: true }],
  ['refresh-single-use-concurrent', { acceptsUsed: true }],
  ['refresh-never-expires', { refreshLifeMs: 720 * HOUR_MS }],
  ['platform-tokens-coexist', { endsPlatform: true }],
  ['user-token-newest-only', { acceptsOlder: true }],
  ['access-token-valid-until-expiry', { lifeMs: LIFE_MS / 2 }],
  ['access-token-expires', { acceptsExpired: true }],
  ['expired-replaced-by-refresh', { refreshLifeMs: LIFE_MS }],
];

describe('evidence that a rule on the life of tokens was kept', () => {
  it.each(RULES)(
    '%s: there is some on a sound service, and none on a broken one',
    (name, broken) => {
      const rule = `lifecycle/${name}`;
      const isOfUser = name === 'user-token-newest-only';
      const sound = showAll({}, isOfUser);
      const kept = keptLifeIn(sound.log, rule);
      expect(kept?.reason).toBeTruthy();
      const ids = new Set(sound.log.map(({ id }) => id));
      expect(kept!.exchanges.every((id) => ids.has(id))).toBe(true);
      expect(keptLifeIn(showAll(broken, isOfUser).log, rule)).toBeUndefined();
    },
  );

  it('a refusal shows nothing where no other request is accepted after it', () => {
    const { log } = showAll({}, false);
    const replay = log.findLastIndex(({ kind, isWrong }) => kind === 'refresh' && isWrong);
    expect(keptLifeIn(log.slice(0, replay + 1), 'lifecycle/refresh-single-use')).toBeUndefined();
    const late = log.findLastIndex(({ kind, isWrong }) => kind === null && isWrong);
    expect(keptLifeIn(log.slice(0, late + 1), 'lifecycle/access-token-expires')).toBeUndefined();
  });

  it('a race shows nothing where an answer was lost', () => {
    const rule = 'lifecycle/refresh-single-use-concurrent';
    const { log } = showAll({}, false);
    const lost = log.map((one) =>
      one.kind === 'refresh' && one.outcome === 'refused' ? { ...one, status: 0 } : one,
    );
    expect(keptLifeIn(log, rule)).toBeDefined();
    expect(keptLifeIn(lost, rule)).toBeUndefined();
  });
});
