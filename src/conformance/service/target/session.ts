import { type AllowanceKind, ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { kindsOf, takeAllowed } from '../budget/allowed.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/answer.ts';
import type { SeenEstimate, SeenToken } from '../contract/observation.ts';
import type { EstimateAttempt, Fields, TokenAttempt } from '../contract/request.ts';
import type { Shape } from '../contract/target.ts';
import type { WireRequest } from '../http/transport.ts';
import { estimateAnswerOf, parseJson, tokenAnswerOf, usableText } from './answers.ts';
import { plainestShape } from './estimate-query.ts';
import { pairsOf, signPairs, signText } from './signing.ts';
import type { Exchanged, TargetClient } from './target-client.ts';

/** What a session reports while it speaks; each is called before the request goes out, or after. */
export interface SessionWatch {
  /** Before a token request goes out; throws to stop it. */
  readonly beforeSpend?: (partnerId: string, kinds: readonly AllowanceKind[]) => void;
  /** When an auth code of the profile is taken to be sent. */
  readonly codeTaken?: (partnerId: string, code: string) => void;
  /** Before a check goes past an allowance of a profile's partner, or uses one up to see it whole again. */
  readonly partnerTaken?: (partnerId: string, use: 'ban' | 'day') => void;
  /** Before a refresh_token is sent; throws to stop it. After one was received. */
  readonly refreshTokenUsed?: (partnerId: string, refreshToken: string) => void;
  readonly refreshTokenReceived?: (partnerId: string, refreshToken: string) => void;
  readonly accessTokenReceived?: (partnerId: string, accessToken: string) => void;
  readonly tokenSeen?: (seen: SeenToken) => void;
  readonly estimateSeen?: (seen: SeenEstimate) => void;
}

/** One partner's conversation with a site, and the tokens that it holds. */
export class Session {
  readonly partner: PartnerCredentials;
  readonly client: TargetClient;
  /** Auth codes of the profile that are still unused. */
  readonly codes: string[];
  /** Newest platform token; null before the first. */
  platformToken: string | null;
  /** A refresh_token that was received and not yet sent. */
  refreshToken: string | null = null;
  userToken: string | null = null;
  /** Whether a well-formed token request was refused: the partner may be banned. */
  wasRefused = false;
  #wasAccepted = false;
  /** The shape that plain estimates are asked in; null for the default route. */
  shape: Shape | null;
  readonly #watch: SessionWatch;
  readonly #fresh: boolean;
  #asked = 0;

  constructor(
    client: TargetClient,
    partner: PartnerCredentials,
    watch: SessionWatch,
    held: {
      readonly codes?: readonly string[];
      readonly accessToken?: string | undefined;
      /** Made by the control API for this session alone. */
      readonly fresh?: boolean;
    } = {},
  ) {
    this.#fresh = held.fresh ?? false;
    this.shape = plainestShape(client.target);
    this.client = client;
    this.partner = partner;
    this.#watch = watch;
    this.codes = [...(held.codes ?? [])];
    this.platformToken = held.accessToken ?? null;
    client.evidence.redactor.add('signing_key', partner.signingKey, partner.id);
    for (const code of this.codes) this.#keepSecret('auth_code', code);
    this.#keepSecret('access_token', this.platformToken);
  }

  /**
   * Sends a token request, signed by the rules where the attempt does not say otherwise.
   *
   * @param allowed what the check at work may still send, by allowance; null for no bound
   */
  async token(
    attempt: TokenAttempt,
    key: string,
    allowed: Record<AllowanceKind, number> | null = null,
  ): Promise<TokenAnswer> {
    const { client } = this;
    const signature = this.#signatureOf(attempt);
    const id = attempt.partnerId ?? this.partner.id;
    const authorization =
      attempt.authorization === undefined
        ? `Bearer ${id}|${signature}`
        : attempt.authorization?.(id, signature);
    const { refresh_token: refreshToken, auth_code: authCode } = attempt.fields;
    this.#keepSecret('refresh_token', refreshToken);
    this.#keepSecret('auth_code', authCode);
    // Nobody can be charged for a request that does not say, or names wrongly, whose it is.
    const kinds = id === this.partner.id && authorization !== undefined ? kindsOf(attempt) : [];
    if (allowed) takeAllowed(allowed, kinds);
    const count = (): void => client.count(this.partner.id, kinds, key);
    const spend = (): void => {
      this.#watch.beforeSpend?.(this.partner.id, kinds);
      // A request that has to be refused uses nothing up, unless it is accepted all the same.
      if (typeof refreshToken === 'string' && attempt.wellFormed)
        this.#watch.refreshTokenUsed?.(id, refreshToken);
      count();
    };
    if (client.isPast(key)) count();
    const request: WireRequest = {
      method: 'POST',
      url: client.target.baseUrl + TOKEN_PATH,
      headers: {
        'content-type': attempt.contentType ?? 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: attempt.body ?? JSON.stringify(attempt.fields),
      gate: attempt.gate,
      ownConnection: true,
    };
    client.evidence.redactor.add('signature', signature);
    const firstOfFresh = this.#fresh && this.#asked++ === 0;
    const answer = tokenAnswerOf(await this.#send(request, attempt.purpose, key, spend));
    this.#takeTokens(attempt, answer);
    if (attempt.wellFormed) {
      this.#wasAccepted ||= answer.outcome === 'accepted';
      this.wasRefused ||= answer.outcome === 'refused';
    }
    if (attempt.wellFormed)
      this.#watch.tokenSeen?.({ answer, fields: attempt.fields, firstOfFresh });
    return answer;
  }

  /** Sends an estimate request with the header of a platform or a user estimate. */
  async estimate(
    attempt: EstimateAttempt & { readonly accessToken: string },
    key: string,
  ): Promise<EstimateAnswer> {
    const { client } = this;
    const id = attempt.partnerId ?? this.partner.id;
    client.evidence.redactor.add('access_token', attempt.accessToken);
    let authorization: string | undefined = `Bearer ${id}|${attempt.accessToken}`;
    if (attempt.as === 'user') {
      const signature = attempt.signature ?? this.signEstimate(attempt.query, attempt.signingKey);
      client.evidence.redactor.add('signature', signature);
      authorization = `Bearer ${id}|${signature} openid|${attempt.accessToken}`;
    }
    if (attempt.authorization !== undefined) {
      authorization = attempt.authorization?.(id, attempt.accessToken);
    }
    const query = Object.entries(attempt.query)
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join('&');
    const request: WireRequest = {
      method: attempt.method ?? 'GET',
      url: `${client.target.baseUrl}${attempt.path ?? ESTIMATES_PATH}?${query}`,
      headers: {
        ...(attempt.contentType === false
          ? {}
          : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: null,
    };
    const exchanged = await this.#send(request, attempt.purpose, key);
    const answer = estimateAnswerOf(exchanged);
    if (attempt.wellFormed && answer.outcome === 'accepted') {
      this.#watch.estimateSeen?.({ answer, query: attempt.query, shape: attempt.shape ?? null });
    }
    return answer;
  }

  /** Whether a ban may be why it was refused: what was never accepted was refused for another cause. */
  get mayBeBanned(): boolean {
    return this.wasRefused && this.#wasAccepted;
  }

  /** The pairs of a token request that the target signs. */
  signedPairs(fields: Fields): Fields {
    return pairsOf(fields, this.client.facts.tokenFields);
  }

  /** The right signature of a token request. */
  sign(fields: Fields, signingKey: string = this.partner.signingKey): string {
    return signPairs(this.signedPairs(fields), signingKey);
  }

  /** The right signature of a user's estimate request. */
  signEstimate(query: Fields, signingKey: string = this.partner.signingKey): string {
    return signPairs(pairsOf(query, this.client.facts.estimateFields), signingKey);
  }

  #signatureOf(attempt: TokenAttempt): string {
    if (attempt.signature !== undefined) return attempt.signature;
    const signingKey = attempt.signingKey ?? this.partner.signingKey;
    if (attempt.signedText !== undefined) return signText(attempt.signedText, signingKey);
    return this.sign(attempt.signed ?? attempt.fields, signingKey);
  }

  #send(
    request: WireRequest,
    purpose: string,
    key: string,
    beforeSent: () => void = () => undefined,
  ): Promise<Exchanged> {
    const label = { purpose, partnerId: this.partner.id, key };
    return this.client.send(request, label, beforeSent, ({ response }) => {
      if (response) this.#learnSecrets(response.body, this.client.isPast(key));
    });
  }

  /** The tokens of an answer are known as secrets, and on disk, before it is kept as evidence. */
  #learnSecrets(body: string, isPast: boolean): void {
    const json = parseJson(body);
    if (json === null || typeof json !== 'object') return;
    const { access_token: accessToken, refresh_token: refreshToken } = json as Fields;
    this.#keepSecret('access_token', accessToken);
    this.#keepSecret('refresh_token', refreshToken);
    if (isPast) return;
    const { id } = this.partner;
    if (usableText(accessToken)) this.#watch.accessTokenReceived?.(id, accessToken as string);
    if (usableText(refreshToken)) this.#watch.refreshTokenReceived?.(id, refreshToken as string);
  }

  #keepSecret(kind: 'access_token' | 'refresh_token' | 'auth_code', secret: unknown): void {
    if (typeof secret !== 'string' || secret === '') return;
    this.client.evidence.redactor.add(kind, secret);
  }

  #takeTokens(attempt: TokenAttempt, answer: TokenAnswer): void {
    const { refreshToken } = answer;
    // Sent once is used, whatever came back: a lost answer may have been a success.
    const spentOurs = attempt.fields['refresh_token'] === this.refreshToken;
    if (spentOurs && answer.outcome !== 'refused') this.refreshToken = refreshToken;
    if (answer.outcome !== 'accepted') return;
    // A token got by a request that tests something may lack what later requests need.
    if (!attempt.wellFormed) return;
    const grant = attempt.fields['grant_type'];
    if (grant === 'client_credentials') {
      this.platformToken = answer.accessToken ?? this.platformToken;
      this.refreshToken ??= refreshToken;
    }
    if (grant === 'authorization_code') this.userToken = answer.accessToken ?? this.userToken;
  }
}
