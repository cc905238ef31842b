import type { Part } from '../../../documents/exchange.ts';
import type { AllowanceKind, OptionalParameter } from '../../../interface/limits.ts';
import { causeShownBy } from '../../../interface/refusal-cause.ts';
import type { SecretKind } from '../../../redaction/index.ts';
import { parseJson } from '../../parse-json.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { allowancesOf, deductDeclared } from '../budget/spend-counter.ts';
import {
  type EstimateAnswer,
  expectsOf,
  type Fields,
  refusingAnswer,
  type TokenAnswer,
  type TokenAttempt,
} from '../contract/messages.ts';
import { plainestOf, type Shape } from '../contract/target.ts';
import type { TimeForm } from '../contract/time-forms.ts';
import { estimateAnswerOf, tokenAnswerOf, usableText } from './answers.ts';
import type { PartLabel } from './evidence.ts';
import { noteTokens, recipeOf } from './recipe.ts';
import {
  type AuthorizedEstimate,
  buildEstimateRequest,
  buildTokenRequest,
  estimateQuery,
  Signer,
  tokenFields,
} from './requests.ts';
import type { SessionHooks } from './session-hooks.ts';
import type { SignedText } from './signed-text.ts';
import type { TargetClient } from './target-client.ts';
import { OTHER_FORMS } from './time-form.ts';
import { TokenHistory } from './token-history.ts';
import { UserLineage } from './user-lineage.ts';

/** State of a session before its first request. */
export interface SessionStart {
  /** Unused auth codes of the profile. */
  readonly codes?: readonly string[];
  readonly accessToken?: string | undefined;
  /** True if the partner was made by the control API for this session. */
  readonly fresh?: boolean;
}

/** A token request that was answered. */
export interface SentToken {
  readonly answer: TokenAnswer;
  readonly note: () => void;
}

/** Words of a refusal whose cause may be the form of a time. */
const SPEAKS_OF_TIME = /time|date|iso.?8601|"_"|format|clock/i;

/** Requests and tokens of one partner at a target. */
export class Session {
  readonly partner: PartnerCredentials;
  readonly client: TargetClient;
  readonly signer: Signer;
  /** Auth codes of the profile that are still unused. */
  readonly codes: string[];
  /** Auth codes that a request had: they are used up, whatever the answer. */
  readonly sentCodes: Set<string> = new Set();
  /** Newest platform token; null before the first. */
  platformToken: string | null;
  /** A refresh_token that was received and not yet sent. */
  refreshToken: string | null = null;
  userToken: string | null = null;
  /** Times by this machine's clock from which it holds its platform token and its user token, in ms; none for neither. */
  readonly heldSinceMs = new Map<'platform' | 'user', number>();
  /** Platform tokens of the run that must still be valid. */
  readonly tokenHistory = new TokenHistory();
  /** Shape that plain estimates are asked in; null for the default route. */
  shape: Shape | null;
  /** Optional parameters that the target demands in that shape only; null for those that it always demands. */
  demanded: readonly OptionalParameter[] | null = null;
  /** Last accepted answers to token requests of baselines, by the name of the batch. */
  readonly accepted: Map<string, TokenAnswer> = new Map();
  /** True if a well-formed token request was refused: the partner may be banned. */
  wasRefused = false;
  /** True if one was accepted. */
  wasAccepted = false;
  readonly #userLineage = new UserLineage();
  readonly #hooks: SessionHooks;
  readonly #isFresh: boolean;
  #tokenRequests = 0;
  /** True once a refusal may be due to what earlier runs spent. */
  isUsedUp = false;
  /** Refused token requests since the last one that was accepted. */
  #refused: string[] = [];

  constructor(
    client: TargetClient,
    partner: PartnerCredentials,
    hooks: SessionHooks,
    { codes = [], accessToken, fresh = false }: SessionStart = {},
  ) {
    this.client = client;
    this.partner = partner;
    this.signer = new Signer(partner, client.facts);
    this.shape = plainestOf(client.facts.shapes);
    this.codes = [...codes];
    this.platformToken = accessToken ?? null;
    this.#hooks = hooks;
    this.#isFresh = fresh;
    client.partnerIds.add(partner.id);
    client.evidence.redactor.add('signing_key', partner.signingKey, partner.id);
    for (const code of codes) this.#addSecret('auth_code', code);
    this.#addSecret('access_token', accessToken);
    if (accessToken !== undefined)
      client.given.set(accessToken, { is: 'access_token', of: partner.id });
  }

  /** Body of a well-formed token request; a change to undefined leaves a field out. */
  tokenFields(grant: Fields, changes?: Fields, form?: TimeForm): Fields {
    const { clock, random, stamp } = this.client;
    return tokenFields(grant, changes, stamp.textOf(clock.now(), form), random);
  }

  /**
   * Sends a well-formed token request. Where the target has accepted none yet and refuses it, it is
   * sent again with `_` in other forms of ISO 8601, and the one that is accepted is kept for the run.
   */
  async issue(grant: Fields, purpose: string, part: Part): Promise<TokenAnswer> {
    const { stamp } = this.client;
    const send = (own: Part, form?: TimeForm): Promise<SentToken> => {
      const fields = this.tokenFields(grant, {}, form);
      return this.sendToken({ purpose, fields, wellFormed: true }, own, null);
    };
    const first = await send(part);
    const mayBeForm = this.triesForms(part) && this.#mayBeForm(grant, first.answer);
    const kept = mayBeForm ? ((await this.#sendInOtherForms(send, part)) ?? first) : first;
    if (!mayBeForm) stamp.isSettled ||= first.answer.outcome !== 'broken';
    kept.note();
    return kept.answer;
  }

  /** The request in the first form that is accepted; null if none is, or if one cannot be sent. */
  async #sendInOtherForms(
    send: (part: Part, form: TimeForm) => Promise<SentToken>,
    part: Part,
  ): Promise<SentToken | null> {
    const { stamp } = this.client;
    for (const [at, form] of OTHER_FORMS.entries()) {
      const own = { ...part, form: at + 1 };
      if (!this.canSend(own)) return null;
      const sent = await send(own, form);
      if (sent.answer.outcome !== 'accepted') continue;
      stamp.form = form;
      stamp.isSettled = true;
      return sent;
    }
    stamp.isSettled = true;
    return null;
  }

  /** True if a refused request is sent in other forms: which one the target takes is not known yet. */
  protected triesForms(_part: Part): boolean {
    return !this.client.stamp.isSettled;
  }

  /** True if the request of a part can be sent. */
  protected canSend(_part: Part): boolean {
    return true;
  }

  /** On a metered target further requests cost: only where the refusal speaks of a time. */
  #mayBeForm({ grant_type: grant }: Fields, { outcome, body }: TokenAnswer): boolean {
    if (outcome !== 'refused' || grant === 'refresh_token') return false;
    return !this.client.facts.metered || SPEAKS_OF_TIME.test(body);
  }

  /**
   * Decoded query of a well-formed estimate; a change to undefined leaves a parameter out.
   *
   * @param demanded optional parameters to send; left out, those that the target demands
   */
  estimateQuery(
    changes: Readonly<Record<string, string | undefined>> = {},
    shape: Shape | null = this.shape,
    demanded: readonly OptionalParameter[] = this.demanded ?? this.client.demanded,
  ): Record<string, string> {
    const { target, clock } = this.client;
    return estimateQuery({ target, nowMs: clock.now(), demanded }, changes, shape);
  }

  /**
   * Sends a token request.
   *
   * @param declared token requests that the check may still send; null for no limit
   */
  async token(
    attempt: TokenAttempt,
    part: Part,
    declared: Record<AllowanceKind, number> | null = null,
  ): Promise<TokenAnswer> {
    const { answer, note } = await this.sendToken(attempt, part, declared);
    note();
    return answer;
  }

  /** Sends a token request; `note` counts it among the well-formed ones, if it is one. */
  protected async sendToken(
    attempt: TokenAttempt,
    part: Part,
    declared: Record<AllowanceKind, number> | null,
  ): Promise<SentToken> {
    const { client, partner } = this;
    const id = attempt.partnerId ?? partner.id;
    const { baseUrl } = client.target;
    const { request, signature, signed } = buildTokenRequest(attempt, id, this.signer, baseUrl);
    const { refresh_token: refreshToken, auth_code: authCode } = attempt.fields;
    this.#addSecret('refresh_token', refreshToken);
    this.#addSecret('auth_code', authCode);
    if (typeof authCode === 'string') this.sentCodes.add(authCode);
    // A request that names no partner, or another one, cannot be charged to this one.
    const isCharged = id === partner.id && (request.headers['authorization'] ?? '') !== '';
    const kinds = isCharged ? allowancesOf(attempt) : [];
    if (declared) deductDeclared(declared, kinds);
    const replayedMs = client.recording.sentAt(part);
    if (replayedMs !== null) client.spend.add(partner.id, kinds, replayedMs);
    client.evidence.redactor.add('signature', signature);
    // A request that must be refused uses no token up, unless it is accepted all the same.
    const isUse = typeof refreshToken === 'string' && expectsOf(attempt) !== 'refused';
    const used = isUse ? refreshToken : null;
    let isSent = false;
    const firstOfFresh = this.#isFresh && this.#tokenRequests++ === 0;
    const result = await client.send(request, this.#label(attempt, part, signature, signed), {
      beforeSent: () => {
        this.#hooks.beforeSpend?.(partner.id, kinds);
        // Noted once, however often a limit of the rate has it sent again.
        if (used !== null && !isSent) this.#hooks.refreshTokenUsed?.(id, used);
        isSent = true;
        const code = typeof authCode === 'string' ? client.given.get(authCode) : undefined;
        if (code?.is === 'auth_code' && !client.control)
          this.#hooks.codeSent?.(code.of ?? id, authCode as string);
        client.spend.add(partner.id, kinds);
      },
      beforeStored: ({ response }) => {
        if (response) this.#learnSecrets(response.body, replayedMs !== null);
      },
      isRepeatable: mustSucceed(attempt, part) && !client.facts.metered,
      rest: attempt.rest,
    });
    const answer = tokenAnswerOf(result, expectsOf(attempt), this.#timeOf(attempt));
    if (used !== null && isSent && answer.outcome === 'refused')
      this.#hooks.refreshTokenRefused?.(id, used);
    if (
      client.facts.refusedAreFree &&
      answer.outcome === 'refused' &&
      answer.accessToken === null
    ) {
      client.spend.takeBack(partner.id, kinds);
      if (replayedMs === null) this.#hooks.refused?.(partner.id, kinds);
    }
    noteTokens(client.given, attempt, answer);
    this.#takeTokens(attempt, answer);
    if (id === partner.id) {
      this.tokenHistory.note(attempt.fields, answer);
      const userToken = this.#userLineage.newestAfter(attempt.fields, answer) ?? this.userToken;
      if (userToken !== this.userToken) this.#holdSince('user', answer);
      this.userToken = userToken;
    }
    const note = (): void => {
      if (id === partner.id) this.#noteUse(attempt, answer, replayedMs === null ? kinds : []);
      const { fields, wellFormed: isWellFormed = false } = attempt;
      this.wasAccepted ||= isWellFormed && answer.outcome === 'accepted';
      this.wasRefused ||= isWellFormed && answer.outcome === 'refused';
      const { isRested } = result;
      const seen = { answer, fields, partnerId: id, isWellFormed, firstOfFresh, isRested };
      this.#hooks.tokenSeen?.(seen, expectsOf(attempt));
    };
    return { answer, note };
  }

  /** The `_` of a request; undefined where the target does not check it. */
  #timeOf({ fields }: TokenAttempt): unknown {
    return this.client.target.environment === 'production' ? fields['_'] : undefined;
  }

  /** Sends an estimate request. */
  async estimate(attempt: AuthorizedEstimate, part: Part): Promise<EstimateAnswer> {
    const { client, partner } = this;
    const id = attempt.partnerId ?? partner.id;
    const { baseUrl } = client.target;
    const { request, signature, signed } = buildEstimateRequest(attempt, id, this.signer, baseUrl);
    client.evidence.redactor.add('access_token', attempt.accessToken);
    if (signature !== null) client.evidence.redactor.add('signature', signature);
    const result = await client.send(request, this.#label(attempt, part, signature, signed), {
      beforeStored: ({ response }) => {
        if (response) this.#learnSecrets(response.body, client.recording.has(part));
      },
      isRepeatable: mustSucceed(attempt, part),
      rest: attempt.rest,
    });
    const answer = estimateAnswerOf(result);
    const mustBeAccepted = attempt.wellFormed || expectsOf(attempt) === 'accepted';
    if (mustBeAccepted && answer.outcome === 'accepted') {
      const { query, shape = null, as = 'platform' } = attempt;
      this.#hooks.estimateSeen?.({ answer, query, shape, as });
    }
    return answer;
  }

  /** True if refusals may be due to a ban: a partner never accepted is refused for other reasons. */
  get mayBeBanned(): boolean {
    return this.isUsedUp || (this.wasRefused && this.wasAccepted);
  }

  /** Notes whether refusals may be due to what earlier runs spent of a target that began anew. */
  #noteUse(
    { wellFormed, fields }: TokenAttempt,
    answer: TokenAnswer,
    kinds: readonly AllowanceKind[],
  ): void {
    const { outcome, exchange } = answer;
    if (outcome === 'accepted') {
      this.#refused = [];
      this.#hooks.tokenAccepted?.(this.partner.id, kinds);
    }
    if (outcome !== 'refused') return;
    this.#refused.push(exchange);
    if (wellFormed && causeShownBy(refusingAnswer(answer), this.client.target.baseUrl) === null)
      this.isUsedUp ||= this.#hooks.mayBeUsedUp?.(this.partner.id, fields['auth_code']) ?? false;
    if (this.isUsedUp) this.client.stability.recordUsedUp(this.#refused);
  }

  #label(
    attempt: TokenAttempt | AuthorizedEstimate,
    part: Part,
    signature: string | null,
    signed: SignedText | undefined,
  ): PartLabel {
    const { purpose, connection } = attempt;
    const expects = expectsOf(attempt);
    const partnerId = this.partner.id;
    const isOther = this.client.partnerIds.has(attempt.partnerId ?? partnerId);
    const otherPartner = isOther ? attempt.partnerId : undefined;
    const sent = signed && { signature: signature ?? '', text: signed.text };
    const made = recipeOf(attempt, this.client, sent);
    return { purpose, expects, partnerId, otherPartner, connection, part, signed, made };
  }

  /** Adds an answer's tokens to the secrets, and to the journal, before the answer is stored. */
  #learnSecrets(body: string, isReplayed: boolean): void {
    const json = parseJson(body);
    if (json === null || typeof json !== 'object') return;
    const { access_token: accessToken, refresh_token: refreshToken } = json as Fields;
    // One that no header can carry must not look like one when the run is judged again.
    this.#addSecret(usableText(accessToken) ? 'access_token' : 'text', accessToken);
    this.#addSecret(usableText(refreshToken) ? 'refresh_token' : 'text', refreshToken);
    if (isReplayed) return;
    const { id } = this.partner;
    const access = usableText(accessToken) ? (accessToken as string) : undefined;
    const refresh = usableText(refreshToken) ? (refreshToken as string) : undefined;
    if (access !== undefined || refresh !== undefined)
      this.#hooks.tokensReceived?.(id, { access, refresh });
  }

  #addSecret(kind: SecretKind, secret: unknown): void {
    if (typeof secret !== 'string' || secret === '') return;
    this.client.evidence.redactor.add(kind, secret);
  }

  /** Notes since when it holds a token; a replayed one since it was issued, which only a control API tells otherwise. */
  #holdSince(kind: 'platform' | 'user', { answeredAtMs }: TokenAnswer): void {
    const { control, clock } = this.client;
    this.heldSinceMs.set(kind, control ? clock.machineNow() : answeredAtMs);
  }

  #takeTokens(attempt: TokenAttempt, answer: TokenAnswer): void {
    const { outcome, accessToken, refreshToken } = answer;
    // A token sent once is used, whatever came back: a lost answer may have been a success.
    const sentOurs = attempt.fields['refresh_token'] === this.refreshToken;
    if (sentOurs && outcome !== 'refused') this.refreshToken = refreshToken;
    // A token of a request that varies something may lack what later requests need.
    if (outcome !== 'accepted' || !attempt.wellFormed) return;
    if (attempt.fields['grant_type'] === 'client_credentials') {
      this.platformToken = accessToken ?? this.platformToken;
      this.#holdSince('platform', answer);
      this.refreshToken ??= refreshToken;
    }
  }
}

/**
 * Checks whether a refusal of a request for its rate would be no more than that: the request follows
 * the interface, and no rule on allowances looks for its refusal.
 */
function mustSucceed(attempt: TokenAttempt | AuthorizedEstimate, part: Part): boolean {
  const { wellFormed } = attempt;
  return !part.counted && (wellFormed === true || expectsOf(attempt) === 'accepted');
}
