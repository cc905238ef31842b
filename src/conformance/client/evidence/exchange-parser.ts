import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { parseAnswer } from '../parsing/answer.ts';
import { parseRequest } from '../parsing/request.ts';
import type { SignedFields } from '../signature/sent-signature.ts';
import type { CapturedExchange } from '../traffic/captured.ts';
import { exchangeRecord, type ParsedExchange } from './exchange-record.ts';
import { redactRequest } from './redact-request.ts';
import { Secrets } from './secrets.ts';
import { SignatureChecker } from './signature-checker.ts';

/** The setting of the traffic to be parsed. */
export interface ParserOptions {
  /** The address that a client sends its requests to, by scenario. */
  readonly baseUrlOf: (scenario: string | null) => string;
  readonly partners: readonly PartnerCredentials[];
  readonly signedFields: SignedFields;
  /** False to leave wrong signatures unexplained, which is quick; true by default. */
  readonly explainsSignatures?: boolean;
}

/** Parses the exchanges of a client into what rules judge and documents store; redacts secrets. */
export class ExchangeParser {
  readonly #options: ParserOptions;
  readonly #secrets: Secrets;
  readonly #signatures: SignatureChecker;
  #count = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    const { partners, signedFields, explainsSignatures = true } = options;
    this.#secrets = new Secrets(partners);
    this.#signatures = new SignatureChecker(partners, signedFields, explainsSignatures);
  }

  /** Redacts a text, such as the output of a client. */
  redact(text: string, scenario: string | null): string {
    return this.#secrets.redact(text, scenario);
  }

  /** Parses an exchange; call in the order of the requests. */
  parse(captured: CapturedExchange): ParsedExchange {
    const { request, answer, scenario, finishedMs } = captured;
    const parts = parseRequest(request);
    const { kind, path, authorization, body, query } = parts;
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
      partnerKnown: this.#isKnown(authorization.partnerId),
      token: kind === 'token' ? body : null,
      estimate:
        kind === 'estimate'
          ? { parameters: query.parameters, encodingFault: query.encodingFault }
          : null,
      signature: this.#signatures.check(captured, parts),
      answer: { status: answer?.status ?? null, whole: finishedMs !== null, ...received },
      stimuli: captured.stimuli,
    };
    const baseUrl = this.#options.baseUrlOf(scenario);
    return exchangeRecord(captured, redactRequest(parsed, redact), baseUrl, redact);
  }

  #isKnown(partnerId: string | null): boolean | null {
    if (partnerId === null) return null;
    return this.#options.partners.some(({ id }) => id === partnerId);
  }
}
