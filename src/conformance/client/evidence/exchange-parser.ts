import type { ParsedAnswer, ParsedRequest } from '../../../documents/parsed-request.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { parseRequest, type RequestParts } from '../parsing/request.ts';

import type { CapturedExchange } from '../traffic/captured.ts';
import { exchangeRecord, type ParsedExchange, redactRequest } from './exchange-record.ts';
import { SignatureChecker, type SignatureOptions } from './signature-checker.ts';

/** The setting of the traffic to be parsed. */
export interface ParserOptions extends SignatureOptions {
  /** The address that a client sends its requests to, by scenario. */
  readonly baseUrlOf: (scenario: string | null) => string;
}

/** Parses the exchanges of a client into what rules judge and documents store; redacts secrets. */
export class ExchangeParser {
  readonly #options: ParserOptions;
  readonly #secrets: Secrets;
  readonly #signatures: SignatureChecker;
  #count = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#secrets = new Secrets(options.partners);
    this.#signatures = new SignatureChecker(options);
  }

  /** Redacts a text, such as the output of a client. */
  redact(text: string, scenario: string | null): string {
    return this.#secrets.redact(text, scenario);
  }

  /** Parses an exchange; call in the order of the requests. */
  parse(captured: CapturedExchange): ParsedExchange {
    const { request, answer, scenario, finishedMs } = captured;
    const parts = parseRequest(request);
    const { kind, path, authorization, body } = parts;
    const { parameters, encodingFault } = parts.query;
    const { partnerId } = authorization;
    const received = parseAnswer(answer?.body ?? '');
    this.#secrets.learn(scenario, parts, received);
    const redact = (text: string): string => this.redact(text, scenario);
    const parsed: ParsedRequest = {
      id: `x${++this.#count}`,
      scenario,
      sender: captured.sender,
      receivedMs: request.receivedMs,
      finishedMs,
      kind: captured.malformed && kind === 'other' ? 'malformed' : kind,
      method: request.method,
      path,
      contentType: request.headers['content-type'] ?? null,
      authorization,
      partnerKnown:
        partnerId === null ? null : this.#options.partners.some(({ id }) => id === partnerId),
      token: kind === 'token' ? body : null,
      estimate: kind === 'estimate' ? { parameters, encodingFault } : null,
      signature: this.#signatures.check(captured, parts),
      answer: { status: answer?.status ?? null, whole: finishedMs !== null, ...received },
      stimuli: captured.stimuli,
    };
    const baseUrl = this.#options.baseUrlOf(scenario);
    return exchangeRecord(captured, redactRequest(parsed, redact), baseUrl, redact);
  }
}

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

type JsonRecord = Readonly<Record<string, unknown>>;

/** Parses an answer's body for tokens and estimates, whatever its status. */
export function parseAnswer(body: string): Omit<ParsedAnswer, 'status' | 'whole'> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const nothing = { accessToken: null, refreshToken: null, expiresInS: null, estimateIds: [] };
    return { isJson: false, ...nothing };
  }
  const records = (Array.isArray(value) ? value : [value]) as (JsonRecord | null)[];
  const fields = (Array.isArray(value) ? {} : (value ?? {})) as JsonRecord;
  const { expires_in_second: expiresIn } = fields;
  return {
    isJson: true,
    accessToken: textOrNull(fields['access_token']),
    refreshToken: textOrNull(fields['refresh_token']),
    expiresInS: typeof expiresIn === 'number' ? expiresIn : null,
    estimateIds: records.flatMap((record) => textOrNull(record?.['estimate_id']) ?? []),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
