import type { Exchange, Headers, Made, Part } from '../../../documents/exchange.ts';
import { TOKEN_PATH } from '../../../interface/limits.ts';
import { type ReceivedText, Redactor } from '../../../redaction/index.ts';
import type { Expects } from '../contract/messages.ts';
import type { WireOutcome, WireRequest } from '../http/message.ts';
import { cutAnswer, type StoredAnswer } from './cut-answer.ts';
import { LongAnswers } from './long-answers.ts';
import { storedRecipe } from './recipe.ts';
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

/**
 * Characters that are stored of a body that was too long to be read whole, and is not judged again, and
 * of one that shows a violation after the others took all space.
 */
const HUGE_CHARACTERS = 16 * 1024;

/**
 * Characters kept beyond a cut, so that a secret that lies across it is recognized: by its first 8
 * characters, in any spelling.
 */
const BEYOND_CUT = 1024;

/** Path of token requests, of any version. */
const TOKEN_ENDPOINT = TOKEN_PATH.replace('/v1', '');

/** Header fields of answers that are remembered. */
const MOST_SEEN_FIELDS = 1000;

/** Purpose and origin of a request. */
export interface RequestLabel {
  readonly purpose: string;
  /** Left out for a request that judges nothing, such as one to a control API. */
  readonly expects?: Expects | undefined;
  readonly partnerId: string | null;
  /** Another partner that the target knows, by whose id it is sent. */
  readonly otherPartner?: string | undefined;
  /** Left out for a request of no check, such as one to a control API. */
  readonly part?: Part | undefined;
  /** Name of a connection of its own, see {@link Exchange}. */
  readonly connection?: string | undefined;
  /** Text that was signed; left out for a request without a signature. */
  readonly signed?: SignedText | undefined;
  /** Recipe by which it is made again; left out for a request of no partner. */
  readonly made?: Made | undefined;
}

/** Label of a request of a check, or of those around checks. */
export interface PartLabel extends RequestLabel {
  readonly part: Part;
}

/** Exchange as it was, with some characters beyond its cut; redacted when it is read. */
interface StoredExchange {
  readonly exchange: Exchange;
  readonly bodyLength: number;
}

/** Place of an exchange in the evidence, where a shorter form may replace it. */
interface Entry {
  readonly number: number;
  stored: StoredExchange;
}

/** Exchanges of a run, each secret of the run redacted in all of them. */
export class Evidence {
  readonly redactor: Redactor;
  /** In order of sending. */
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, Entry>();
  #raw: readonly Exchange[] | null = null;
  readonly #longAnswers = new LongAnswers();
  #sent = 0;
  /** Most exchanges of the run; none is sent beyond them. */
  most: number = Number.POSITIVE_INFINITY;
  readonly #left: Record<keyof typeof MOST_CHARACTERS, number> = { ...MOST_CHARACTERS };

  readonly #seenFields = new Set<string>();
  readonly #onRecord: (part: Part | undefined) => void;
  readonly #startedAtMs: number | undefined;

  /**
   * @param onRecord called with the part of the run that each exchange is of, once it is over
   * @param startedAtMs start of the run; left out where that does not matter
   */
  constructor(
    redactor: Redactor = new Redactor(),
    onRecord: (part: Part | undefined) => void = () => undefined,
    startedAtMs?: number,
  ) {
    this.redactor = redactor;
    this.#onRecord = onRecord;
    this.#startedAtMs = startedAtMs;
  }

  /** True once the run has sent all that it may. */
  get isFull(): boolean {
    return this.#sent >= this.most;
  }

  /** Takes the next id, at the time of sending. */
  nextId(): string {
    return `x${++this.#sent}`;
  }

  /** Adds an exchange of an earlier part of the run. */
  takeOver(exchange: Exchange): void {
    const bodyLength = exchange.response?.body.length ?? 0;
    const { number } = this.#add({ exchange, bodyLength });
    this.#sent = Math.max(this.#sent, number);
  }

  #add(stored: StoredExchange): Entry {
    const { id } = stored.exchange;
    const entry: Entry = { number: Number(id.slice(1)), stored };
    // Of requests at once, any may be answered first.
    let at = this.#entries.length;
    while (at > 0 && this.#entries[at - 1]!.number > entry.number) at--;
    this.#entries.splice(at, 0, entry);
    this.#byId.set(id, entry);
    this.#raw = null;
    return entry;
  }

  /**
   * Stores one exchange; one without an outcome is under way, and is not stored.
   *
   * @returns reads the exchange, redacted by the secrets known by then; a long answer is cut in it where
   *   the run has no space left
   */
  record(
    id: string,
    label: RequestLabel,
    request: WireRequest,
    outcome: WireOutcome | null,
    times: {
      /** This machine's clock, ms since the epoch. */
      readonly atMs: number;
      readonly durationMs: number;
      /** Clock of the target, where it has its own. */
      readonly targetAtMs?: number;
    },
  ): () => Exchange {
    const { response = null, error = null } = outcome ?? {};
    if (response) {
      this.redactor.suspect(bodyOf(request, response));
      this.redactor.suspect({ text: this.#newFields(response.headers), kind: 'other' });
    }
    const exchange: Exchange = {
      id,
      at: new Date(times.atMs).toISOString(),
      ...(this.#startedAtMs === undefined ? {} : { elapsedMs: times.atMs - this.#startedAtMs }),
      ...(times.targetAtMs === undefined
        ? {}
        : { targetAt: new Date(times.targetAtMs).toISOString() }),
      purpose: label.purpose,
      ...(label.expects ? { expects: label.expects } : {}),
      partnerId: label.partnerId,
      ...(label.otherPartner === undefined ? {} : { otherPartner: label.otherPartner }),
      ...(label.connection === undefined ? {} : { connection: label.connection }),
      request: {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: request.body,
        ...(request.body === null ? {} : { bodyBytes: Buffer.byteLength(request.body) }),
      },
      ...(label.signed ? { signed: label.signed } : {}),
      ...(label.made ? { made: label.made } : {}),
      response,
      error,
      durationMs: times.durationMs,
      ...(label.part ? { part: label.part } : {}),
    };
    const whole = response?.truncated
      ? shortened(exchange, response, HUGE_CHARACTERS, response.headers)
      : { exchange, bodyLength: response?.body.length ?? 0 };
    const within = this.#withinSpace(whole);
    if (outcome) {
      const entry = this.#add(within);
      this.#onRecord(label.part);
      if (within !== whole) this.#keepForNow(entry, whole);
    }
    return () => this.#redacted(within);
  }

  /** Notes that a clock was set while an exchange was measured. */
  noteClockStep(id: string, clockStepMs: number): void {
    const entry = this.#byId.get(id);
    if (!entry) return;
    const { exchange, bodyLength } = entry.stored;
    entry.stored = { exchange: { ...exchange, clockStepMs }, bodyLength };
    this.#raw = null;
  }

  /** Keeps the answer of an exchange that shows a violation, as far as it is not huge. */
  keepWhole(id: string): void {
    this.#longAnswers.keep(id);
  }

  /** Exchanges so far, in order of sending. */
  get exchanges(): readonly Exchange[] {
    // Most header fields and purposes recur.
    const redactor = {
      redact: remembering((text) => this.redactor.redact(text)),
      redactSentence: remembering((text) => this.redactor.redactSentence(text)),
    };
    return this.#entries.map(({ stored }) => this.#redacted(stored, redactor));
  }

  /** An exchange so far; undefined if there is none with that id. */
  redacted(id: string): Exchange | undefined {
    const entry = this.#byId.get(id);
    return entry && this.#redacted(entry.stored);
  }

  /** Exchanges so far in order of sending, their secrets not redacted: for judging only. */
  get raw(): readonly Exchange[] {
    this.#raw ??= this.#entries.map(({ stored }) => stored.exchange);
    return this.#raw;
  }

  /** Status of an exchange's answer; null if it has none. */
  statusOf(id: string): number | null {
    return this.#byId.get(id)?.stored.exchange.response?.status ?? null;
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

  /** The header fields that no earlier answer had: most recur. */
  #newFields(headers: Headers): string {
    const fields = textOf(headers).split('\n');
    const added = fields.filter((field) => !this.#seenFields.has(field));
    if (this.#seenFields.size < MOST_SEEN_FIELDS)
      for (const field of added) this.#seenFields.add(field);
    return added.join('\n');
  }

  /** Stores more of an answer than there is space for, until it is judged. */
  #keepForNow(entry: Entry, whole: StoredExchange): void {
    const short = entry.stored;
    const { exchange, bodyLength } = whole;
    const { response } = exchange;
    const isHuge = response && bodyLength > HUGE_CHARACTERS;
    const store = (stored: StoredExchange): void => {
      entry.stored = stored;
      this.#raw = null;
    };
    store(isHuge ? shortened(exchange, response, HUGE_CHARACTERS, response.headers) : whole);
    this.#longAnswers.add(exchange.id, charactersOf(entry.stored), () => store(short));
  }

  /** The same exchange; shorter where what its answer takes is no longer left. */
  #withinSpace(whole: StoredExchange): StoredExchange {
    const { exchange, bodyLength } = whole;
    const { response } = exchange;
    if (!response) return whole;
    const text = response.body.slice(0, bodyLength);
    const headers = this.#take(response.headers) ? response.headers : headersWithin(response);
    const length = this.#take(text) ? text.length : lengthWithin(text);
    if (length === bodyLength && headers === response.headers) return whole;
    return shortened(exchange, response, length, headers);
  }

  /** Takes what a part of an answer needs from the space left; false, and takes none, if it needs more. */
  #take(part: string | Headers): boolean {
    // Spares the JSON of a long text.
    if (typeof part === 'string' && part.length > USUAL_CHARACTERS && part.length > this.#left.long)
      return false;
    const characters = JSON.stringify(part).length;
    const kind = characters <= USUAL_CHARACTERS ? 'usual' : 'long';
    if (characters > this.#left[kind]) return false;
    this.#left[kind] -= characters;
    return true;
  }

  #redacted(
    { exchange, bodyLength }: StoredExchange,
    redactor: Pick<Redactor, 'redact' | 'redactSentence'> = this.redactor,
  ): Exchange {
    const redact = (text: string): string => redactor.redact(text);
    const { request, signed, made, response, error } = exchange;
    const stored: Exchange = {
      ...exchange,
      purpose: redactor.redactSentence(exchange.purpose),
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
        body: this.redactor.redactReceived(bodyOf(request, response), bodyLength),
      },
      error: error && { code: error.code, message: redact(error.message) },
    };
    return made ? { ...stored, made: storedRecipe(made, exchange, stored, redact) } : stored;
  }
}

/** The same function, computed once for each text. */
function remembering(of: (text: string) => string): (text: string) => string {
  const results = new Map<string, string>();
  return (text) => {
    const result = results.get(text) ?? of(text);
    results.set(text, result);
    return result;
  };
}

/** An exchange with the start of its answer; some characters more, which are not shown. */
function shortened(
  exchange: Exchange,
  answer: StoredAnswer,
  length: number,
  headers: Headers,
): StoredExchange {
  const bodyLength = Math.min(answer.body.length, length);
  const body = startOf(answer.body, bodyLength + BEYOND_CUT);
  const response = cutAnswer(answer, answer.body.slice(0, bodyLength), headers);
  return { exchange: { ...exchange, response: { ...response, body } }, bodyLength };
}

/** The first header fields; each whole, as a cut could leave a part of a secret. */
function headersWithin({ headers }: StoredAnswer): Headers {
  let left = CUT_CHARACTERS;
  const kept = Object.entries(headers).filter(([name, value]) => {
    left -= JSON.stringify([name, value]).length;
    return left >= 0;
  });
  return Object.fromEntries(kept);
}

function charactersOf({ exchange: { response } }: StoredExchange): number {
  const headers = Object.entries(response?.headers ?? {}).flat();
  return [response?.body ?? '', ...headers].reduce((sum, { length }) => sum + length, 0);
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
  return Buffer.from(text.slice(0, length)).toString();
}

/** Body of an answer, as it is searched for what may be a secret. */
function bodyOf(request: Exchange['request'], { body }: StoredAnswer): ReceivedText {
  const { method, url, headers } = request;
  const isOfToken = method === 'POST' || url.includes(TOKEN_ENDPOINT);
  return {
    text: body,
    kind: isOfToken ? 'token-answer' : 'other',
    request: () => [method, url, textOf(headers), request.body ?? ''].join('\n'),
  };
}

function textOf(headers: Headers): string {
  return Object.entries(headers)
    .map((field) => field.join(': '))
    .join('\n');
}

function redactValues(headers: Headers, redact: (text: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
}
