import type { ParsedAnswer } from '../../../documents/parsed-request.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { Redactor } from '../../redaction/redactor.ts';
import type { RequestParts } from '../parsing/request.ts';

/**
 * The secrets of a client's traffic. Each scenario has its own: only these, and the signing keys, are
 * redacted in its exchanges.
 */
export class Secrets {
  readonly #redactor = new Redactor();
  readonly #byScenario = new Map<string | null, Set<string>>();
  readonly #signingKeys: readonly string[];

  constructor(partners: readonly PartnerCredentials[]) {
    this.#signingKeys = partners.map(({ signingKey }) => signingKey);
    for (const { id, signingKey } of partners) this.#redactor.add('signing_key', signingKey, id);
  }

  /** Replaces the secrets of a scenario in a text by their pseudonyms. */
  redact(text: string, scenario: string | null): string {
    const known = this.#byScenario.get(scenario) ?? [];
    return this.#redactor.redact(text, { only: [...known, ...this.#signingKeys] });
  }

  /** Adds the secrets of an exchange. */
  learn(
    scenario: string | null,
    { kind, authorization, body: { fields } }: RequestParts,
    answer: Pick<ParsedAnswer, 'accessToken' | 'refreshToken'>,
  ): void {
    const secrets = this.#byScenario.get(scenario) ?? new Set<string>();
    this.#byScenario.set(scenario, secrets);
    const add = (as: Parameters<Redactor['add']>[0], secret: unknown): void => {
      if (typeof secret !== 'string' || secret === '') return;
      this.#redactor.add(as, secret);
      secrets.add(secret);
    };
    const { form, second, userToken, salvagedSignature } = authorization;
    add('access_token', answer.accessToken);
    add('refresh_token', answer.refreshToken);
    add('refresh_token', fields['refresh_token']);
    add('auth_code', fields['auth_code']);
    add('access_token', userToken);
    add(kind === 'estimate' && form === 'pair' ? 'access_token' : 'signature', second);
    add('signature', salvagedSignature);
  }
}
