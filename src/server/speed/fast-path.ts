import { type Behaviour, ESTIMATES_PATH } from '../../interface/index.ts';
import type { Clock } from '../service/clock.ts';
import { type FastPathRules, fastPathRules } from '../service/estimate/fast-path-rules.ts';
import type { ServiceState } from '../service/service-state.ts';
import type { Settings } from '../service/settings.ts';
import type { Partner } from '../service/state/partners.ts';
import type { Grant } from '../service/state/tokens.ts';
import { type EstimateAnswer, EstimateWriter } from './estimate-writer.ts';
import { QueryScanner } from './query-scanner.ts';
import { BytePattern, RequestBytes } from './request-bytes.ts';
import { hasTailAt, type KnownTail, knownTail, readRequestTail } from './request-tail.ts';
import { SignedQuery } from './signed-query.ts';

/** Longer heads go to the HTTP parser, which applies the limit of the service. */
const HEAD_BYTES = 8192;
const START = new BytePattern(Buffer.from(`GET ${ESTIMATES_PATH}?`));
const SPACE = 0x20;
/** An answer with it is the last of its connection. */
const CLOSE = Buffer.from('Connection: close\r\n');
const STATUS_LINE_BYTES = 'HTTP/1.1 200 OK\r\n'.length;

/** State of a connection, kept between its requests. */
export class FastConnection {
  tail: KnownTail | null = null;
}

/**
 * Answers estimates of the one strict form that clients send, from the bytes of the connection, with
 * all rules applied. It refuses nothing: a request that it does not answer goes unchanged to the HTTP
 * parser and the service, which judge it.
 */
export class FastPath {
  readonly #state: ServiceState;
  readonly #clock: Clock;
  readonly #allowsUnsigned: boolean;
  readonly #comparedDigits: number;
  readonly #objectionTo: FastPathRules['objectionTo'];
  readonly #scanner: QueryScanner;
  readonly #signed = new SignedQuery(HEAD_BYTES);
  readonly #writer: EstimateWriter;
  #request = new RequestBytes(HEAD_BYTES);
  /** The request whose query the scanner has read, and the end of that query; 0 for none. */
  #scanned = new RequestBytes(HEAD_BYTES);
  #scannedEnd = 0;
  /** Departure, in Unix seconds, that the scanned query was priced for; -1 for none. */
  #pricedForS = -1;
  #priceFen = 0;
  #answer: EstimateAnswer | null = null;
  /** Of any connection: the first request of a new one often has it too. */
  #lastTail: KnownTail | null = null;
  /** Bytes of the last chunk that were answered; the rest is for the HTTP parser. */
  consumed = 0;
  /** Requests answered since the start. */
  answeredCount = 0;

  /**
   * @param state of the service that answers the other requests
   * @param rules default those of the interface
   */
  constructor(
    state: ServiceState,
    { clock, behaviour }: Pick<Settings, 'clock' | 'behaviour'>,
    rules: FastPathRules = fastPathRules(state.records),
  ) {
    this.#state = state;
    this.#clock = clock;
    this.#allowsUnsigned = behaviour['user-token-platform-header'] === 'accepted';
    this.#comparedDigits = rules.comparedDigits;
    this.#objectionTo = rules.objectionTo;
    this.#scanner = new QueryScanner(rules.bounds);
    this.#writer = new EstimateWriter(rules.records, state.estimateIds);
  }

  /**
   * Answers the requests of a chunk, in their order, up to the first that it does not answer; null for
   * none. The next answer overwrites the bytes.
   */
  answer(connection: FastConnection, chunk: Buffer): Buffer | null {
    this.consumed = 0;
    const first = this.#answerOne(connection, chunk);
    if (first === null || this.consumed === chunk.length) return first;
    const answers = [Buffer.from(first)];
    while (this.consumed < chunk.length) {
      const next = this.#answerOne(connection, chunk);
      if (next === null) break;
      answers.push(Buffer.from(next));
    }
    return Buffer.concat(answers);
  }

  #answerOne(connection: FastConnection, chunk: Buffer): Buffer | null {
    const request = this.#request;
    const known = connection.tail ?? this.#lastTail;
    request.load(chunk, this.consumed);
    if (!request.hasAt(0, START)) return null;
    if (known !== null) {
      // Usually the chunk is one request with the known tail: then its start need not be searched for.
      const at = request.length - known.length;
      const answer = hasTailAt(request, known, at) ? this.#answerUpTo(known, at) : null;
      if (answer !== null) {
        connection.tail = known;
        return answer;
      }
      // It was read and refused; what would be read now is the request before it.
      if (this.#request !== request) return null;
    }
    const end = request.bytes.indexOf(SPACE, START.length);
    if (end < 0 || end >= request.length) return null;
    const tail = known !== null && hasTailAt(request, known, end) ? known : this.#readTail(end);
    if (tail === null) return null;
    connection.tail = tail;
    this.#lastTail = tail;
    return this.#answerUpTo(tail, end);
  }

  /** Answers the current request, whose query ends where the tail starts. */
  #answerUpTo(tail: KnownTail, end: number): Buffer | null {
    const nowMs = this.#clock.now();
    const request = this.#request;
    // What a client sends after its last request is for the HTTP parser to refuse.
    if (tail.closes && request.length > end + tail.length) return null;
    const grant = this.#grantOf(tail, end);
    const objection = this.#objectionTo(grant, tail, this.#allowsUnsigned, nowMs);
    if (objection !== null || !this.#scan(end)) {
      return null;
    }
    if (tail.isSigned && !this.#hasRightSignature(tail, request, end)) return null;
    this.consumed += end + tail.length;
    this.answeredCount++;
    const answer = this.#price(tail.partner, nowMs);
    return tail.closes ? withClose(answer) : answer;
  }

  /** The grant of the token in a tail: that of the first request, or of another token. */
  #grantOf({ token, tokenAt, grant }: KnownTail, tailAt: number): Grant | undefined {
    const at = tailAt + tokenAt;
    if (this.#request.hasAt(at, token)) return grant;
    const text = this.#request.bytes.toString('latin1', at, at + token.length);
    return this.#state.tokens.findAccess(text);
  }

  /** Checks the signature of a request, whose query the scanner has read. */
  #hasRightSignature(
    { signatureAt, partner }: KnownTail,
    request: RequestBytes,
    tailAt: number,
  ): boolean {
    const expected = this.#signed.sign(this.#scanned, this.#scanner, partner.signingKey);
    return request.equalsAt(tailAt + signatureAt, expected, this.#comparedDigits);
  }

  /** Has the scanner read the current query, unless it is the one that it has read already. */
  #scan(end: number): boolean {
    const request = this.#request;
    if (end === this.#scannedEnd && request.startsLike(this.#scanned, end)) return true;
    this.#pricedForS = -1;
    this.#scannedEnd = 0;
    if (!this.#scanner.scan(request, START.length, end)) return false;
    this.#request = this.#scanned;
    this.#scanned = request;
    this.#scannedEnd = end;
    return true;
  }

  #price(partner: Partner, nowMs: number): Buffer {
    const route = this.#scanner;
    const departureS = route.departureS ?? Math.floor(nowMs / 1000);
    let answer = this.#answer;
    if (answer === null || departureS !== this.#pricedForS) {
      const fare = this.#state.pricing.fare(route, departureS);
      answer = this.#writer.answer(route, fare);
      this.#answer = answer;
      this.#pricedForS = departureS;
      this.#priceFen = fare.priceFen;
    }
    return this.#writer.finish(answer, partner, this.#priceFen, nowMs);
  }

  /** Reads the tail at an offset; null for another form, and for an unknown partner or token. */
  #readTail(at: number): KnownTail | null {
    const { bytes, length } = this.#request;
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1') + 4;
    if (end < 4 || end > length) return null;
    const text = bytes.toString('latin1', at, end);
    const tail = readRequestTail(text);
    if (tail === null) return null;
    const partner = this.#state.partners.find(tail.partnerId);
    const grant = this.#state.tokens.findAccess(tail.accessToken);
    if (partner === undefined || grant === undefined) return null;
    return knownTail(text, tail, { partner, grant });
  }
}

function withClose(answer: Buffer): Buffer {
  const [head, rest] = [answer.subarray(0, STATUS_LINE_BYTES), answer.subarray(STATUS_LINE_BYTES)];
  return Buffer.concat([head, CLOSE, rest]);
}

/** The fast path counts characters as bytes. */
const ASCII = /^[\x21-\x7e]+$/;

/** Checks whether the gaps that concern estimates have the defaults that the fast path implements. */
export function supports(behaviour: Behaviour): boolean {
  return (
    behaviour['ban-reach'] !== 'everything' &&
    behaviour['estimate-rate-limit'] === 'none' &&
    behaviour['estimate-content-type-required'] === 'no' &&
    behaviour['signed-fields-estimate'] === 'all' &&
    behaviour['estimate-signed-decoded-or-encoded'] === 'decoded' &&
    behaviour['text-zero-signed'] === 'kept' &&
    behaviour['whitespace-trimmed'] === 'ascii' &&
    behaviour['pay-type-codes'].every((code) => ASCII.test(code))
  );
}
