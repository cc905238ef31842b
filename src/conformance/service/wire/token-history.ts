import type { EarlierAnswer, Fields, TokenAnswer } from '../contract/messages.ts';

/** Answers to the token requests of a partner in a run. */
export class TokenHistory {
  #issued: readonly TokenAnswer[] = [];
  #answers: readonly EarlierAnswer[] = [];

  /** All of them, the oldest first. */
  get answers(): readonly EarlierAnswer[] {
    return this.#answers;
  }

  /** Those that brought platform tokens which nothing but time may have ended, the oldest first. */
  get issued(): readonly TokenAnswer[] {
    return this.#issued;
  }

  /** Notes a token request and its answer; once, also where a batch of a stored run is opened by that of another. */
  note(fields: Fields, answer: TokenAnswer): void {
    if (this.#answers.some(({ exchange }) => exchange === answer.exchange)) return;
    // The interface leaves open whether a token outlives its refresh; a target may issue one twice.
    const sent = fields['refresh_token'];
    const refreshed = this.#issued
      .filter(({ refreshToken }) => refreshToken !== null && refreshToken === sent)
      .map(({ accessToken }) => accessToken);
    this.#issued = this.#issued.filter(({ accessToken }) => !refreshed.includes(accessToken));
    const isPlatform = fields['grant_type'] === 'client_credentials';
    this.#answers = [...this.#answers, { ...answer, isPlatform }];
    const isUsable = answer.outcome === 'accepted' && answer.accessToken !== null;
    if (isUsable && isPlatform && isPublic(fields['scope']))
      this.#issued = [...this.#issued, answer];
  }
}

/** Checks whether a token of that scope serves estimates; a request that names none gets `public`. */
export function isPublic(scope: unknown): boolean {
  return scope === undefined || (typeof scope === 'string' && scope.split(' ').includes('public'));
}
