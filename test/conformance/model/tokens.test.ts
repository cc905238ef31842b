import { describe, expect, it } from 'vitest';
import { tokenBreaches } from '../../../src/conformance/model/tokens.ts';
import fc from '../../support/property.ts';
import {
  HOUR_MS,
  LIFE_MS,
  type Manner,
  SECOND_MS,
  type Token,
  TokenService,
} from './simulated-tokens.ts';

const brokenIn = ({ log }: TokenService): string[] => [
  ...new Set(tokenBreaches(log).flatMap(({ rule, isLasting }) => (isLasting ? [rule] : []))),
];

/** Uses a token; a refused one is tried again a second later, and then another one. */
function mustUse(service: TokenService, token: Token): void {
  if (service.use(token)) return;
  service.pass(SECOND_MS);
  service.use(token);
  const other = service.issue(token.partner, token.isUser);
  if (other) service.use(other);
}

function mustRefresh(service: TokenService, token: Token): void {
  const newer = service.refresh(token);
  if (newer) return mustUse(service, newer);
  service.pass(SECOND_MS);
  service.refresh(token, { isRight: true, isWrong: false });
  const other = service.issue(token.partner, token.isUser);
  if (other) service.refresh(other);
}

/** Sends the requests of a run about tokens. */
function watch(service: TokenService): void {
  for (const isUser of [false, true]) {
    const partner = isUser ? 'user' : 'platform';
    const first = service.issue(partner, isUser)!;
    mustUse(service, first);
    const second = service.issue(partner, isUser)!;
    if (isUser) service.use(first, { isRight: false, isWrong: true });
    else mustUse(service, first);
    service.pass(LIFE_MS - 10 * SECOND_MS);
    mustUse(service, second);
    service.pass(20 * SECOND_MS);
    service.use(second, { isRight: false, isWrong: true });
    mustRefresh(service, second);
    service.pass(SECOND_MS);
    service.refresh(second);
    const kept = service.issue(`${partner} kept`, isUser)!;
    service.pass(400 * 24 * HOUR_MS);
    mustRefresh(service, kept);
  }
}

const FAULTS: readonly (readonly [string, string, Manner])[] = [
  ['a used refresh_token passes', 'refresh-single-use', { acceptsUsed: true }],
  ['an older user token passes', 'user-token-newest-only', { acceptsOlder: true }],
  ['an expired token passes', 'access-token-expires', { acceptsExpired: true }],
  ['a newer platform token ends the older', 'platform-tokens-coexist', { endsPlatform: true }],
  ['a token ends early', 'access-token-valid-until-expiry', { lifeMs: LIFE_MS / 2 }],
  ['a refresh_token dies in a month', 'refresh-never-expires', { refreshLifeMs: 720 * HOUR_MS }],
  [
    'a refresh_token dies with its token',
    'expired-replaced-by-refresh',
    { refreshLifeMs: LIFE_MS },
  ],
];

const anyManner: fc.Arbitrary<Manner> = fc.record({
  replayEndsFamily: fc.boolean(),
  refreshEnds: fc.boolean(),
  refusalBurns: fc.boolean(),
  refuses: fc.constantFrom(
    undefined,
    (number: number) => (number % 5 === 3 ? 429 : undefined),
    (number: number) => (number % 7 === 4 ? 503 : undefined),
  ),
});

const anySteps = fc.array(
  fc.tuple(
    fc.constantFrom('issue', 'issue user', 'refresh', 'use', 'pass'),
    fc.nat({ max: 12 }),
    fc.constantFrom(0, SECOND_MS, 61_000, LIFE_MS / 2, LIFE_MS - 10_000, LIFE_MS + 10_000, 9e9),
  ),
  { minLength: 5, maxLength: 40 },
);

const soundIsNotAccused = fc.property(anyManner, anySteps, (manner, steps) => {
  const service = new TokenService(manner);
  for (const [what, at, ms] of steps) {
    const token = service.tokens[at % Math.max(1, service.tokens.length)];
    if (what === 'issue') service.issue(`p${at % 2}`);
    else if (what === 'issue user') service.issue(`p${at % 2}`, true);
    else if (what === 'pass') service.pass(ms);
    else if (what === 'refresh' && token) service.refresh(token);
    else if (token) {
      const wasRight = !service.log.some(({ outcome }) => outcome === 'refused');
      service.use(token, { isRight: wasRight || !token.isUser });
    }
  }
  return brokenIn(service).length === 0;
});

describe('the model of tokens', () => {
  it.each(FAULTS)('finds that %s', (_what, rule, manner) => {
    const service = new TokenService(manner);
    watch(service);
    expect(brokenIn(service)).toContain(`lifecycle/${rule}`);
  });

  it('finds platform tokens that end as another partner is issued one, unless one was accepted then', () => {
    const [all, contradicted] = [1, 2].map(() => new TokenService({ endsOthers: true }));
    for (const service of [all!, contradicted!]) {
      for (const partner of ['a', 'b', 'a', 'b']) {
        const older = service.tokens.at(-1);
        const token = service.issue(partner)!;
        service.use(token);
        if (older) service.use(older);
        service.pass(SECOND_MS);
      }
    }
    const [older, newest] = contradicted!.tokens.slice(-2);
    contradicted!.log.push({
      ...contradicted!.log.at(-1)!,
      id: 'x99',
      number: 99,
      outcome: 'accepted',
      status: 200,
      sent: { accessToken: older!.name, refreshToken: null, authCode: null },
      sentMs: newest!.issuedMs + 60_000,
    });
    const ofAll = ({ log }: TokenService) => tokenBreaches(log).filter(({ isOfAll }) => isOfAll);
    expect(ofAll(contradicted!)).toEqual([]);
    expect(ofAll(all!)[0]).toMatchObject({
      rule: 'lifecycle/platform-tokens-coexist',
      reason: expect.stringContaining('once another partner had a newer one'),
      isLasting: true,
    });
  });

  it('finds nothing where each gap is answered otherwise', () => {
    for (const manner of [
      {},
      { replayEndsFamily: true },
      { refreshEnds: true },
      { refusalBurns: true },
    ]) {
      const service = new TokenService(manner);
      watch(service);
      expect(tokenBreaches(service.log)).toEqual([]);
    }
  });

  it('tells refreshes that were sent at once from one that is sent again', () => {
    const service = new TokenService({ acceptsUsed: true });
    const token = service.issue('a')!;
    service.refresh(token, { answeredMs: service.nowMs + 20 });
    service.refresh(token, { isWrong: false });
    expect(brokenIn(service)).toEqual(['lifecycle/refresh-single-use-concurrent']);
  });

  it('takes the same answer to the same request for one use', () => {
    const service = new TokenService({ acceptsUsed: true });
    const token = service.issue('a')!;
    const got = { accessToken: 'new', refreshToken: 'new', lifeMs: LIFE_MS };
    service.refresh(token, { body: 'same', got });
    service.refresh(token, { body: 'same', got });
    expect(tokenBreaches(service.log)).toEqual([]);
    service.refresh(token, { body: 'another', got });
    expect(brokenIn(service)).toEqual(['lifecycle/refresh-single-use']);
  });

  it('does not take a refresh_token that is given again for one that was used', () => {
    const service = new TokenService({ acceptsUsed: true });
    const token = service.issue('a')!;
    const got = { accessToken: 'new', refreshToken: token.name, lifeMs: LIFE_MS };
    service.refresh(token, { got });
    service.refresh(token, { got: { ...got, accessToken: 'newer' } });
    expect(tokenBreaches(service.log)).toEqual([]);
  });

  it('does not take an access_token that is given again for an older one', () => {
    const service = new TokenService();
    const token = service.issue('a', true)!;
    service.refresh(token, {
      got: { accessToken: token.name, refreshToken: 'new', lifeMs: LIFE_MS },
    });
    service.use(token, { outcome: 'accepted', status: 200 });
    expect(tokenBreaches(service.log)).toEqual([]);
  });

  it('asks nothing of the older token of a user', () => {
    const service = new TokenService();
    const older = service.issue('a', true)!;
    const newer = service.issue('a', true)!;
    service.use(older);
    service.pass(SECOND_MS);
    service.use(older);
    service.use(newer);
    expect(tokenBreaches(service.log)).toEqual([]);
  });

  it('lets a refused refresh use a refresh_token up', () => {
    const service = new TokenService({
      refusalBurns: true,
      refuses: (at) => (at === 2 ? 400 : undefined),
    });
    const token = service.issue('a')!;
    service.pass(LIFE_MS + HOUR_MS);
    service.refresh(token, { isRight: false, isWrong: true });
    mustRefresh(service, token);
    expect(tokenBreaches(service.log)).toEqual([]);
  });

  it('takes a refused refresh for the end of a refresh_token only if another refresh is accepted after it', () => {
    const refuseOne = (another: (service: TokenService) => void): TokenService => {
      const service = new TokenService({ refreshLifeMs: LIFE_MS });
      service.refresh(service.issue('a')!);
      const token = service.issue('a')!;
      service.pass(LIFE_MS + HOUR_MS);
      service.refresh(token);
      service.pass(SECOND_MS);
      service.refresh(token);
      another(service);
      return service;
    };
    expect(brokenIn(refuseOne((service) => service.issue('a')))).toEqual([]);
    const isKnown = refuseOne((service) => service.refresh(service.issue('a')!));
    expect(brokenIn(isKnown)).toEqual(['lifecycle/expired-replaced-by-refresh']);
  });

  it('lets a replay end a chain, and a refresh end a platform token', () => {
    const ending = new TokenService({ replayEndsFamily: true });
    const token = ending.issue('a')!;
    const newer = ending.refresh(token)!;
    ending.refresh(token);
    mustUse(ending, newer);
    expect(tokenBreaches(ending.log)).toEqual([]);
    const refreshing = new TokenService({ refreshEnds: true });
    const first = refreshing.issue('a')!;
    refreshing.refresh(first);
    mustUse(refreshing, first);
    expect(tokenBreaches(refreshing.log)).toEqual([]);
  });

  it('finds that none of several refreshes sent at once was accepted', () => {
    const race = (refuses: Manner['refuses']): TokenService => {
      const service = new TokenService({ refuses });
      const token = service.issue('a')!;
      const until = { answeredMs: service.nowMs + 20, isRight: false };
      service.refresh(token, until);
      service.refresh(token, until);
      service.refresh(service.issue('a')!);
      return service;
    };
    const refused = race((number) => (number === 2 || number === 3 ? 400 : undefined));
    expect(brokenIn(refused)).toEqual(['lifecycle/refresh-single-use-concurrent']);
    expect(brokenIn(race((number) => (number === 3 ? 400 : undefined)))).toEqual([]);
    expect(brokenIn(race((number) => (number < 4 && number > 1 ? 429 : undefined)))).toEqual([]);
  });

  it('finds that two tokens of a user that were requested at once are both accepted', () => {
    for (const acceptsOlder of [true, false]) {
      const service = new TokenService({ acceptsOlder });
      const one = service.issue('a', true, { answeredMs: service.nowMs + 20 })!;
      const other = service.issue('a', true)!;
      service.pass(SECOND_MS);
      service.use(one, { isRight: false });
      service.use(other, { isRight: false });
      expect(brokenIn(service)).toEqual(acceptsOlder ? ['lifecycle/user-token-newest-only'] : []);
    }
  });

  it('takes no use for a later one because all came within a millisecond', () => {
    const service = new TokenService();
    const ms = service.nowMs + 2;
    const at = { sentMs: ms, wallMs: ms, answeredMs: ms + 0.3 };
    const one = service.issue('a', true, at)!;
    service.use(one, at);
    const other = service.issue('a', true, at)!;
    service.use(one, { isRight: false, isWrong: true });
    service.use(other);
    expect(brokenIn(service)).toEqual([]);
  });

  it.each([
    ['issued', (service: TokenService) => service.issue('a', true)],
    ['refreshed', (service: TokenService, first: Token) => service.refresh(first)],
  ])('takes no token for the newer one as its time was read too late: %s', (_, renew) => {
    for (const acceptsOlder of [true, false]) {
      const service = new TokenService({ acceptsOlder });
      const sentMs = service.nowMs + 100;
      const first = service.issue('a', true, { sentMs, answeredMs: sentMs + 1 })!;
      const second = renew(service, first)!;
      service.pass(SECOND_MS);
      service.use(first, { isRight: false });
      service.use(second);
      expect(brokenIn(service)).toEqual(acceptsOlder ? ['lifecycle/user-token-newest-only'] : []);
    }
  });

  it('tells refreshes one after the other from those at once, however the clock was read', () => {
    const service = new TokenService({ acceptsUsed: true });
    const token = service.issue('a')!;
    const sentMs = service.nowMs + 100;
    service.refresh(token, { sentMs, answeredMs: sentMs + 1 });
    service.refresh(token, { isWrong: false });
    expect(brokenIn(service)).toEqual(['lifecycle/refresh-single-use']);
  });

  it('blames no life of tokens where one that was never issued is accepted as well', () => {
    const service = new TokenService({ acceptsExpired: true });
    const token = service.issue('a')!;
    service.pass(LIFE_MS + HOUR_MS);
    service.use(token, { isRight: false, isWrong: true });
    expect(brokenIn(service)).toEqual(['lifecycle/access-token-expires']);
    service.use({ ...token, name: 'never issued' }, { isRight: false });
    expect(brokenIn(service)).toEqual([]);
  });

  it('blames the refused request by which a token ended, not a newer token', () => {
    const service = new TokenService();
    const token = service.issue('a')!;
    service.issue('a');
    service.use(token);
    service.issue('a', false, { outcome: 'refused', isRight: false, isWrong: true });
    token.isEnded = true;
    mustUse(service, token);
    expect(brokenIn(service)).toEqual(['lifecycle/access-token-valid-until-expiry']);
  });

  it('takes the second refresh for a replay only once the first was refused', () => {
    // The target's clock stands still between them; the wall clock does not.
    const service = new TokenService({ refreshLifeMs: 720 * HOUR_MS });
    const token = service.issue('a')!;
    service.pass(400 * 24 * HOUR_MS);
    const sentMs = service.nowMs;
    service.refresh(token, { sentMs, answeredMs: sentMs });
    service.refresh(token, { sentMs, answeredMs: sentMs, wallMs: sentMs + 1_200 });
    service.refresh(service.issue('a')!);
    expect(brokenIn(service)).toEqual(['lifecycle/refresh-never-expires']);
  });

  it('names the number of refreshes in a row where an older token is refreshed', () => {
    const service = new TokenService();
    let token = service.issue('a')!;
    for (let depth = 0; depth < 5; depth++) {
      service.pass(LIFE_MS + 20 * SECOND_MS);
      token = service.refresh(token)!;
    }
    service.pass(LIFE_MS + 20 * SECOND_MS);
    token.isEnded = true;
    service.refresh(token);
    service.refresh(service.issue('a')!);
    const [breach] = tokenBreaches(service.log);
    expect(breach?.reason).toContain('after 5 refreshes in a row (accepted after 4)');
  });

  it('names the age of a refresh_token that no refresh was as old as', () => {
    const service = new TokenService();
    const token = service.refresh(service.refresh(service.issue('a')!)!)!;
    service.pass(400 * 24 * HOUR_MS);
    token.isEnded = true;
    service.refresh(token);
    service.refresh(service.issue('a')!);
    const [breach] = tokenBreaches(service.log);
    expect(breach?.reason).toMatch(/days after its access_token expired/);
  });

  it("names a newer token as the cause of a user's end, unless the token was used since", () => {
    for (const isUsed of [false, true]) {
      const service = new TokenService();
      const token = service.issue('a', true)!;
      service.use(token);
      service.issue('a');
      if (isUsed) service.use(token);
      service.pass(HOUR_MS / 2);
      token.isEnded = true;
      service.use(token);
      const another = service.issue('b', true)!;
      service.use(another);
      service.use(service.issue('a', true)!);
      const reason = tokenBreaches(service.log)[0]?.reason ?? '';
      expect(reason).toContain('refused an access_token');
      expect(reason.includes('newer')).toBe(!isUsed);
    }
  });

  it('does not excuse one chain by what another chain contradicts', () => {
    const service = new TokenService();
    for (const partner of ['a', 'b']) {
      const token = service.issue(partner)!;
      const newer = service.refresh(token)!;
      service.refresh(token);
      newer.isEnded = partner === 'b';
      service.pass(2 * SECOND_MS);
      mustUse(service, newer);
    }
    expect(brokenIn(service)).toEqual(['lifecycle/access-token-valid-until-expiry']);
  });

  it('believes a refusal that was met with again when its check was repeated', () => {
    const service = new TokenService();
    for (const isRepeated of [false, true]) {
      const token = service.issue('a')!;
      token.isEnded = true;
      service.use(token, { isRepeated });
      service.use(service.issue('a')!);
    }
    expect(tokenBreaches(service.log).map(({ isLasting }) => isLasting)).toEqual([true, true]);
  });

  it('blames no newer token where tokens end early by themselves', () => {
    const service = new TokenService();
    for (const newer of [0, 1]) {
      const token = service.issue(`p${newer}`)!;
      if (newer > 0) service.issue(`p${newer}`);
      token.isEnded = true;
      mustUse(service, token);
    }
    expect(brokenIn(service)).toEqual(['lifecycle/access-token-valid-until-expiry']);
  });

  it('compares with an earlier acceptance unless the partner was refused before', () => {
    for (const refusedBefore of [false, true]) {
      const service = new TokenService();
      const older = service.issue('a')!;
      service.use(service.issue('a')!);
      if (refusedBefore) service.use(older, { outcome: 'refused', status: 403, form: 'other' });
      older.isEnded = true;
      service.use(older);
      service.pass(SECOND_MS);
      service.use(older);
      expect(brokenIn(service)).toEqual(refusedBefore ? [] : ['lifecycle/platform-tokens-coexist']);
    }
  });

  it('judges no refusal of a refresh that went away', () => {
    const service = new TokenService({ refuses: (at) => (at === 2 || at === 3 ? 403 : undefined) });
    const token = service.issue('a')!;
    service.pass(LIFE_MS + HOUR_MS);
    service.refresh(token);
    service.pass(SECOND_MS);
    service.refresh(token);
    service.refresh(token);
    expect(tokenBreaches(service.log)).toEqual([]);
  });

  it('judges no refusal for the rate, none that went away, and none that was met with once', () => {
    const service = new TokenService();
    const first = service.issue('a')!;
    service.use(first, { outcome: 'refused', status: 429 });
    service.pass(SECOND_MS);
    service.use(first, { outcome: 'refused', status: 429 });
    const second = service.issue('a')!;
    service.use(second, { outcome: 'refused', status: 403 });
    service.pass(SECOND_MS);
    service.use(second, { outcome: 'refused', status: 403 });
    service.use(second);
    service.use(service.issue('a')!);
    const third = service.issue('a')!;
    service.use(third, { outcome: 'refused', status: 403 });
    service.use(second);
    expect(brokenIn(service)).toEqual([]);
  });

  it('names what the service did, and the exchanges that show it', () => {
    const service = new TokenService({ acceptsUsed: true });
    const token = service.issue('a')!;
    service.refresh(token);
    service.pass(60_000);
    service.refresh(token);
    expect(tokenBreaches(service.log)[0]).toMatchObject({
      reason: 'the service accepted a refresh_token again, 60 s after its use',
      key: 'x3',
      exchanges: ['x2', 'x3'],
    });
  });

  it('accuses no sound service, whatever its gaps, refusals and requests', () => {
    fc.assert(soundIsNotAccused, { numRuns: 100 });
  });

  it('accuses none of many', { tags: ['long'] }, () => {
    fc.assert(soundIsNotAccused, { numRuns: 5_000 });
  });

  describe('names what an acceptance had, and no refusal', () => {
    const ACCEPTED = { outcome: 'accepted', status: 200 } as const;
    const reasonsOf = (service: TokenService): string[] =>
      tokenBreaches(service.log).map(({ reason }) => reason);

    it('of a replay: its successor, or its age', () => {
      const replayed = (between: (service: TokenService, successor: Token) => void): string[] => {
        const service = new TokenService();
        const other = service.issue('a')!;
        service.refresh(other);
        service.pass(SECOND_MS);
        service.refresh(other);
        const token = service.issue('a')!;
        between(service, service.refresh(token)!);
        const got = { accessToken: 'new', refreshToken: 'newer', lifeMs: LIFE_MS };
        service.refresh(token, { ...ACCEPTED, got });
        return reasonsOf(service);
      };
      expect(replayed((service, successor) => void service.refresh(successor))).toEqual([
        expect.stringMatching(/after its use, once its successor had been refreshed$/),
      ]);
      expect(replayed((service) => service.pass(HOUR_MS))).toEqual([
        expect.stringMatching(/again, 1 h after its use, and refused one 1 s after$/),
      ]);
    });

    it('of a newer token: that it came by a refresh', () => {
      const service = new TokenService();
      const ended = service.issue('a', true)!;
      service.issue('a', true);
      service.use(ended);
      const kept = service.issue('b', true)!;
      service.refresh(kept);
      service.pass(SECOND_MS);
      service.use(kept, ACCEPTED);
      expect(reasonsOf(service)).toEqual([
        expect.stringMatching(/after it had issued a newer one, which came by a refresh$/),
      ]);
    });

    it("of an expired token: that it is a user's, and how long it lasts", () => {
      const service = new TokenService();
      const [platform, user] = [service.issue('a')!, service.issue('a', true)!];
      service.pass(LIFE_MS + 11 * SECOND_MS);
      service.use(platform, { isWrong: true });
      service.use(user, { ...ACCEPTED, isWrong: true });
      service.pass(HOUR_MS);
      service.use(user, { isWrong: true });
      expect(reasonsOf(service)).toEqual([
        expect.stringMatching(/ elapsed, that of a user, and refused one 1 h 11 s after$/),
      ]);
    });
  });
});
