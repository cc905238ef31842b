import type { Exchange, HeaderFields } from '../../exchange.ts';
import { Redactor } from '../../redaction/redactor.ts';
import type { WireOutcome, WireRequest } from '../http/transport.ts';

/** Characters of a body that are kept as evidence in any case. */
const KEPT_CHARACTERS = 64 * 1024;

/**
 * Characters beyond these that a whole run may keep: a few long answers stay whole, so that they can
 * be judged again, and a target that answers without end fills no disk.
 */
const SPARE_CHARACTERS = 8 * 1024 * 1024;

/** Characters beyond a cut that are looked at, so that no secret that lies across it is halved. */
const LONGEST_SECRET = 16 * 1024;

/** What is known of a request beside its bytes. */
export interface RequestLabel {
  /** What the request is sent for. */
  readonly purpose: string;
  readonly partnerId: string | null;
  /** Who sends it, and as its how-manieth; stable from run to run. */
  readonly key: string;
}

/** One exchange as it was, its body cut; redacted when it is read. */
interface Kept {
  readonly exchange: Exchange;
  readonly bodyLength: number;
}

/** The exchanges of a run in order of sending; each secret of the run is redacted in all of them. */
export class Evidence {
  readonly redactor: Redactor;
  readonly #kept: Kept[] = [];
  #sent = 0;
  #spare = SPARE_CHARACTERS;

  /** @param redactor knows the secrets */
  constructor(redactor: Redactor = new Redactor()) {
    this.redactor = redactor;
  }

  /** Takes the next id, at the moment of sending. */
  nextId(): string {
    return `x${++this.#sent}`;
  }

  /** Takes over an exchange of an earlier part of the run, redacted as it is. */
  takeOver(exchange: Exchange): void {
    this.#kept.push({ exchange, bodyLength: exchange.response?.body.length ?? 0 });
    this.#sent = Math.max(this.#sent, numberOf(exchange));
  }

  /**
   * Keeps one exchange; times are milliseconds. One without an outcome is under way, and not kept.
   * What is returned gives it, redacted by what is known so far.
   */
  record(
    id: string,
    label: RequestLabel,
    request: WireRequest,
    outcome: WireOutcome | null,
    times: {
      readonly atMs: number;
      readonly durationMs: number;
      /** By the target's clock, where that is another. */
      readonly targetAtMs?: number;
    },
  ): () => Exchange {
    const { response = null, error = null } = outcome ?? {};
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
      },
      response: response && {
        status: response.status,
        headers: response.headers,
        body: response.body.slice(0, bodyLength + LONGEST_SECRET),
        bodyBytes: response.bodyBytes,
        truncated: response.truncated || response.body.length > bodyLength,
      },
      error,
      durationMs: times.durationMs,
      key: label.key,
    };
    if (outcome) this.#kept.push({ exchange, bodyLength });
    return () => this.#redacted({ exchange, bodyLength });
  }

  /** All exchanges so far, in order of sending. */
  get exchanges(): readonly Exchange[] {
    return this.#kept.map((kept) => this.#redacted(kept)).sort((a, b) => numberOf(a) - numberOf(b));
  }

  /** Redacts each text within a value of JSON's kind; names of fields stay. */
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

  /** What was cut before it was judged need not be kept whole. */
  #lengthToKeep(response: WireOutcome['response']): number {
    if (!response || response.truncated) return KEPT_CHARACTERS;
    const spare = Math.min(Math.max(0, response.body.length - KEPT_CHARACTERS), this.#spare);
    this.#spare -= spare;
    return KEPT_CHARACTERS + spare;
  }

  #redacted({ exchange, bodyLength }: Kept): Exchange {
    const redact = (text: string): string => this.redactor.redact(text);
    const { request, response, error } = exchange;
    return {
      ...exchange,
      purpose: this.redactor.redactSentence(exchange.purpose),
      request: {
        method: request.method,
        url: redact(request.url),
        headers: redactValues(request.headers, redact),
        body: request.body === null ? null : redact(request.body),
      },
      response: response && {
        ...response,
        headers: redactValues(response.headers, redact),
        body: this.redactor.redact(response.body, { end: bodyLength }),
      },
      error: error && { code: error.code, message: redact(error.message) },
    };
  }
}

function numberOf({ id }: Exchange): number {
  return Number(id.slice(1));
}

function redactValues(headers: HeaderFields, redact: (text: string) => string): HeaderFields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
}
