import { describe, expect, it } from 'vitest';
import type { Asked } from '../../../src/conformance/model/asked.ts';
import { tokenBreaches } from '../../../src/conformance/model/tokens.ts';
import fc from '../../support/property.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const LIFE_MS = 2 * HOUR_MS;

interface Token {
  readonly name: string;
  readonly partner: string;
  readonly isUser: boolean;
  readonly chain: number;
  readonly issuedMs: number;
  isRefreshed: boolean;
  isEnded: boolean;
}

/** Answers to the gaps about tokens, and ways to break the rules on them. */
interface Manner {
  readonly replayEndsFamily?: boolean;
  readonly refreshEnds?: boolean;
  readonly refusalBurns?: boolean;
  /** A status that refuses a request of some number. */
  readonly refuses?: ((number: number) => number | undefined) | undefined;
  readonly acceptsUsed?: boolean;
  readonly acceptsOlder?: boolean;
  readonly acceptsExpired?: boolean;
  readonly endsPlatform?: boolean;
  readonly lifeMs?: number;
  readonly refreshLifeMs?: number;
}

/** A service by the interface, as far as the life of tokens goes, and the log of what it is asked. */
class TokenService {
  readonly log: Asked[] = [];
  readonly tokens: Token[] = [];
  nowMs: number = Date.UTC(2026, 5, 1, 12);
  readonly #manner: Manner;

  constructor(manner: Manner = {}) {
    this.#manner = manner;
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  issue(partner: string, isUser = false): Token | null {
    const token = this.#new(partner, isUser, this.tokens.length);
    return this.#log(partner, isUser ? 'user' : 'platform', {}, true, token) ? token : null;
  }

  refresh(token: Token, more: Partial<Asked> = {}): Token | null {
    const { acceptsUsed, replayEndsFamily, refreshEnds, refusalBurns, refreshLifeMs } =
      this.#manner;
    const isDead = refreshLifeMs !== undefined && this.nowMs - token.issuedMs > refreshLifeMs;
    const isAccepted = (!token.isRefreshed || acceptsUsed === true) && !isDead;
    if (token.isRefreshed && replayEndsFamily)
      for (const one of this.tokens) if (one.chain === token.chain) one.isEnded = true;
    const newer = this.#new(token.partner, token.isUser, token.chain);
    const sent = { refreshToken: token.name };
    const isGiven = this.#log(token.partner, 'refresh', sent, isAccepted && !token.isEnded, newer, {
      isRight: !token.isRefreshed,
      isWrong: token.isRefreshed,
      ...more,
    });
    if (isGiven || refusalBurns) token.isRefreshed = true;
    if (isGiven && refreshEnds && !token.isUser) token.isEnded = true;
    return isGiven ? newer : null;
  }

  use(token: Token, more: Partial<Asked> = {}): boolean {
    const { acceptsExpired, acceptsOlder, endsPlatform, lifeMs = LIFE_MS } = this.#manner;
    const own = this.tokens.filter((one) => one.partner === token.partner);
    const isOlder = own.findLast(({ isUser }) => isUser === token.isUser) !== token;
    const isExpired = this.nowMs > token.issuedMs + lifeMs;
    const isRefused =
      token.isEnded ||
      (isExpired && !acceptsExpired) ||
      (isOlder && token.isUser && !acceptsOlder) ||
      (isOlder && !token.isUser && endsPlatform === true);
    return this.#log(token.partner, null, { accessToken: token.name }, !isRefused, null, more);
  }

  #new(partner: string, isUser: boolean, chain: number): Token {
    const name = `t${this.log.length + 1}`;
    const issuedMs = this.nowMs + 2;
    return { name, partner, isUser, chain, issuedMs, isRefreshed: false, isEnded: false };
  }

  #log(
    partner: string,
    kind: Asked['kind'],
    sent: Partial<Asked['sent']>,
    isAccepted: boolean,
    token: Token | null,
    more: Partial<Asked> = {},
  ): boolean {
    this.nowMs += 2;
    const number = this.log.length + 1;
    const status = this.#manner.refuses?.(number) ?? (isAccepted ? 200 : 401);
    const got = status === 200 ? token : null;
    if (got) this.tokens.push(got);
    this.log.push({
      id: `x${number}`,
      partner,
      kind,
      sentMs: this.nowMs,
      answeredMs: this.nowMs + 1,
      wallMs: this.nowMs,
      outcome: status === 200 ? 'accepted' : 'refused',
      status,
      isRight: true,
      isWrong: false,
      isRepeated: false,
      retryAfterS: null,
      sent: { accessToken: null, refreshToken: null, authCode: null, ...sent },
      got: {
        accessToken: got?.name ?? null,
        refreshToken: got?.name ?? null,
        lifeMs: got ? LIFE_MS : null,
      },
      form: kind === null ? 'platform' : '',
      body: `${number}`,
      ...more,
    });
    return status === 200;
  }
}

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

  it('accuses none of many', { tags: ['long'], timeout: 120_000 }, () => {
    fc.assert(soundIsNotAccused, { numRuns: 5_000 });
  });
});
