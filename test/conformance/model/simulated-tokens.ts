import type { Asked } from '../../../src/conformance/model/asked.ts';

export const SECOND_MS = 1_000;
export const HOUR_MS = 3_600 * SECOND_MS;
export const LIFE_MS = 2 * HOUR_MS;

export interface Token {
  readonly name: string;
  readonly partner: string;
  readonly isUser: boolean;
  readonly chain: number;
  readonly issuedMs: number;
  isRefreshed: boolean;
  isEnded: boolean;
}

/** Answers to the gaps about tokens, and ways to break the rules on them. */
export interface Manner {
  readonly replayEndsFamily?: boolean;
  readonly refreshEnds?: boolean;
  readonly refusalBurns?: boolean;
  /** A status that refuses a request of some number. */
  readonly refuses?: ((number: number) => number | undefined) | undefined;
  readonly acceptsUsed?: boolean;
  readonly acceptsOlder?: boolean;
  readonly acceptsExpired?: boolean;
  readonly endsPlatform?: boolean;
  /** Ends platform tokens as another partner is issued one. */
  readonly endsOthers?: boolean;
  readonly lifeMs?: number;
  readonly refreshLifeMs?: number;
}

/** A service by the interface, as far as the life of tokens goes, and the log of what it is asked. */
export class TokenService {
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

  issue(partner: string, isUser = false, more: Partial<Asked> = {}): Token | null {
    const token = this.#new(partner, isUser, this.tokens.length);
    return this.#log(partner, isUser ? 'user' : 'platform', {}, true, token, more) ? token : null;
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
    const {
      acceptsExpired,
      acceptsOlder,
      endsPlatform,
      endsOthers,
      lifeMs = LIFE_MS,
    } = this.#manner;
    const own = this.tokens.filter((one) => one.partner === token.partner);
    const isOlder = own.findLast(({ isUser }) => isUser === token.isUser) !== token;
    const isExpired = this.nowMs > token.issuedMs + lifeMs;
    const isOfOther = this.tokens.at(-1)?.partner !== token.partner;
    const isRefused =
      token.isEnded ||
      (isOfOther && !token.isUser && endsOthers === true) ||
      (isExpired && !acceptsExpired) ||
      (isOlder && token.isUser && !acceptsOlder) ||
      (isOlder && !token.isUser && endsPlatform === true);
    const form = token.isUser ? 'user' : 'platform';
    const sent = { accessToken: token.name };
    return this.#log(token.partner, null, sent, !isRefused, null, { form, ...more });
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
      number,
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
      form: '',
      body: `${number}`,
      ...more,
    });
    return status === 200;
  }
}
