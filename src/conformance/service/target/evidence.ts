import type { Exchange, HeaderFields } from '../../exchange.ts';
import { Masker } from '../../redaction.ts';
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
export interface Occasion {
  /** What the request is sent for. */
  readonly purpose: string;
  readonly partnerId: string | null;
  /** Who sends it, and as its how-manieth; stable from run to run. */
  readonly key: string;
}

/** One exchange as it was, its body cut; masked when it is read. */
interface Kept {
  readonly exchange: Exchange;
  readonly bodyLength: number;
}

/** The exchanges of a run in order of sending; each secret of the run is masked in all of them. */
export class Evidence {
  readonly masker: Masker;
  readonly #kept: Kept[] = [];
  #sent = 0;
  #spare = SPARE_CHARACTERS;

  /** @param masker knows the secrets */
  constructor(masker: Masker = new Masker()) {
    this.masker = masker;
  }

  /** Takes the next id, at the moment of sending. */
  nextId(): string {
    return `x${++this.#sent}`;
  }

  /** Takes over an exchange of an earlier part of the run, masked as it is. */
  takeOver(exchange: Exchange): void {
    this.#kept.push({ exchange, bodyLength: exchange.response?.body.length ?? 0 });
    this.#sent = Math.max(this.#sent, numberOf(exchange));
  }

  /**
   * Keeps one exchange; times are milliseconds. One without an outcome is under way, and not kept.
   * What is returned gives it, masked by what is known so far.
   */
  record(
    id: string,
    occasion: Occasion,
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
      purpose: occasion.purpose,
      partnerId: occasion.partnerId,
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
      key: occasion.key,
    };
    if (outcome) this.#kept.push({ exchange, bodyLength });
    return () => this.#masked({ exchange, bodyLength });
  }

  /** All exchanges so far, in order of sending. */
  get exchanges(): readonly Exchange[] {
    return this.#kept.map((kept) => this.#masked(kept)).sort((a, b) => numberOf(a) - numberOf(b));
  }

  /** Masks each text within a value of JSON's kind; names of fields stay. */
  maskWithin<T>(value: T): T {
    if (typeof value === 'string') return this.masker.mask(value) as T;
    if (Array.isArray(value)) return value.map((one: unknown) => this.maskWithin(one)) as T;
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).map(([name, one]: [string, unknown]) => [
      name,
      this.maskWithin(one),
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

  #masked({ exchange, bodyLength }: Kept): Exchange {
    const mask = (text: string): string => this.masker.mask(text);
    const { request, response, error } = exchange;
    return {
      ...exchange,
      purpose: mask(exchange.purpose),
      request: {
        method: request.method,
        url: mask(request.url),
        headers: maskValues(request.headers, mask),
        body: request.body === null ? null : mask(request.body),
      },
      response: response && {
        ...response,
        headers: maskValues(response.headers, mask),
        body: this.masker.mask(response.body, undefined, bodyLength),
      },
      error: error && { code: error.code, message: mask(error.message) },
    };
  }
}

function numberOf({ id }: Exchange): number {
  return Number(id.slice(1));
}

function maskValues(headers: HeaderFields, mask: (text: string) => string): HeaderFields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)]));
}
