import type { Exchange, Headers } from '../../../documents/exchange.ts';
import { Redactor } from '../../redaction/redactor.ts';
import type { WireOutcome, WireRequest } from '../http/message.ts';
import type { SignedText } from './signed-text.ts';

/** Characters of JSON up to which a body, or the headers of an answer, are not long. */
const USUAL_CHARACTERS = 4 * 1024;

/**
 * Characters of JSON that a run may store of all bodies and headers. Up to these they stay complete, so
 * that they can be judged again; a target of long answers fills no disk.
 */
const MOST_CHARACTERS = { usual: 8_000_000, long: 1_500_000 } as const;

/** Characters of JSON that are stored of a body or of headers beyond these. */
const CUT_CHARACTERS = 256;

/** Characters that are stored of a body that was too long to be read whole, and is not judged again. */
const UNREAD_CHARACTERS = 16 * 1024;

/**
 * Characters kept beyond a cut, so that a secret that lies across it is recognized: by its first 8
 * characters, in any spelling.
 */
const BEYOND_CUT = 1024;

/** Purpose and origin of a request. */
export interface RequestLabel {
  readonly purpose: string;
  readonly partnerId: string | null;
  /** Sender and ordinal, such as `token/nostr-length#2`; stable from run to run. */
  readonly key: string;
  /** Text that was signed; left out for a request without a signature. */
  readonly signed?: SignedText | undefined;
}

/** Exchange as it was, with some characters beyond its cut; redacted when it is read. */
interface StoredExchange {
  readonly exchange: Exchange;
  readonly bodyLength: number;
}

/** Exchanges of a run, each secret of the run redacted in all of them. */
export class Evidence {
  readonly redactor: Redactor;
  readonly #stored: StoredExchange[] = [];
  #sent = 0;
  readonly #left: Record<keyof typeof MOST_CHARACTERS, number> = { ...MOST_CHARACTERS };

  constructor(redactor: Redactor = new Redactor()) {
    this.redactor = redactor;
  }

  /** Takes the next id, at the time of sending. */
  nextId(): string {
    return `x${++this.#sent}`;
  }

  /** Adds an exchange of an earlier part of the run, already redacted. */
  takeOver(exchange: Exchange): void {
    this.#stored.push({ exchange, bodyLength: exchange.response?.body.length ?? 0 });
    this.#sent = Math.max(this.#sent, numberOf(exchange));
  }

  /**
   * Stores one exchange; one without an outcome is under way, and is not stored.
   *
   * @returns reads the exchange, redacted by the secrets known by then
   */
  record(
    id: string,
    label: RequestLabel,
    request: WireRequest,
    outcome: WireOutcome | null,
    times: {
      /** Wall clock, ms since the epoch. */
      readonly atMs: number;
      readonly durationMs: number;
      /** Clock of the target, where it has its own. */
      readonly targetAtMs?: number;
    },
  ): () => Exchange {
    const { response = null, error = null } = outcome ?? {};
    const headers = this.#headersToKeep(response?.headers ?? {});
    const bodyLength = this.#lengthToKeep(response);
    const exchange: Exchange = {
      id,
      at: new Date(times.atMs).toISOString(),
      ...(times.targetAtMs === undefined
        ? {}
        : { targetAt: new Date(times.targetAtMs).toISOString() }),
      purpose: label.purpose,
      partnerId: label.partnerId,
      request: {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: request.body,
        ...(request.body === null ? {} : { bodyBytes: Buffer.byteLength(request.body) }),
      },
      ...(label.signed ? { signed: label.signed } : {}),
      response: response && {
        status: response.status,
        headers,
        body: startOf(response.body, bodyLength + BEYOND_CUT),
        bodyBytes: response.bodyBytes,
        truncated:
          response.truncated || response.body.length > bodyLength || headers !== response.headers,
      },
      error,
      durationMs: times.durationMs,
      key: label.key,
    };
    if (outcome) this.#stored.push({ exchange, bodyLength });
    return () => this.#redacted({ exchange, bodyLength });
  }

  /** Exchanges so far, in order of sending. */
  get exchanges(): readonly Exchange[] {
    return this.#stored.map((one) => this.#redacted(one)).sort((a, b) => numberOf(a) - numberOf(b));
  }

  /** Status of an exchange's answer; null if it has none. */
  statusOf(id: string): number | null {
    return this.#stored.find((one) => one.exchange.id === id)?.exchange.response?.status ?? null;
  }

  /** Redacts each text within a JSON value; names of fields stay. */
  redactWithin<T>(value: T): T {
    if (typeof value === 'string') return this.redactor.redactSentence(value) as T;
    if (Array.isArray(value)) return value.map((one: unknown) => this.redactWithin(one)) as T;
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).map(([name, one]: [string, unknown]) => [
      name,
      this.redactWithin(one),
    ]);
    return Object.fromEntries(entries) as T;
  }

  #lengthToKeep(response: WireOutcome['response']): number {
    const { body = '', truncated = false } = response ?? {};
    const text = truncated ? body.slice(0, UNREAD_CHARACTERS) : body;
    return this.#take(JSON.stringify(text).length) ? text.length : lengthWithin(text);
  }

  /** All of them, or the first ones; each whole, as a cut could leave a part of a secret. */
  #headersToKeep(headers: Headers): Headers {
    if (this.#take(JSON.stringify(headers).length)) return headers;
    let left = CUT_CHARACTERS;
    const kept = Object.entries(headers).filter(([name, value]) => {
      left -= JSON.stringify([name, value]).length;
      return left >= 0;
    });
    return Object.fromEntries(kept);
  }

  /** Takes characters from those that are left; false, and takes none, if there are not so many. */
  #take(characters: number): boolean {
    const kind = characters <= USUAL_CHARACTERS ? 'usual' : 'long';
    if (characters > this.#left[kind]) return false;
    this.#left[kind] -= characters;
    return true;
  }

  #redacted({ exchange, bodyLength }: StoredExchange): Exchange {
    const redact = (text: string): string => this.redactor.redact(text);
    const { request, signed, response, error } = exchange;
    return {
      ...exchange,
      purpose: this.redactor.redactSentence(exchange.purpose),
      request: {
        ...request,
        url: redact(request.url),
        headers: redactValues(request.headers, redact),
        body: request.body === null ? null : redact(request.body),
      },
      ...(signed ? { signed: { ...signed, text: signed.text && redact(signed.text) } } : {}),
      response: response && {
        ...response,
        headers: redactValues(response.headers, redact),
        body: this.redactor.redact(response.body, bodyLength),
      },
      error: error && { code: error.code, message: redact(error.message) },
    };
  }
}

/** Characters of the start of a text that take no more than those of a cut body in JSON. */
function lengthWithin(text: string): number {
  let length = Math.min(text.length, CUT_CHARACTERS);
  while (JSON.stringify(text.slice(0, length)).length > CUT_CHARACTERS + 2) length = length >> 1;
  return length;
}

/** The start of a text as a text of its own: a slice would keep the whole one in memory. */
function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return Buffer.from(text.slice(0, length), 'utf16le').toString('utf16le');
}

function numberOf({ id }: Exchange): number {
  return Number(id.slice(1));
}

function redactValues(headers: Headers, redact: (text: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
}
