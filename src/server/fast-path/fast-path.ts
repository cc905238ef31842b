import { ESTIMATES_PATH } from '../../interface/index.ts';
import type { Clock } from '../clock.ts';
import type { EstimateIds } from '../estimate/estimate-ids.ts';
import type { Pricing } from '../estimate/pricing.ts';
import type { RecordWriter } from '../estimate/record.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { Grant, Tokens } from '../state/tokens.ts';
import { type EstimateAnswer, EstimateWriter } from './estimate-writer.ts';
import { QueryScanner } from './query-scanner.ts';
import { BytePattern, RequestBytes } from './request-bytes.ts';
import { readRequestTail } from './request-tail.ts';
import { SignedQuery } from './signed-query.ts';

/** What the fast path works on: the very state of the service behind it. */
export interface FastPathState {
  readonly clock: Clock;
  readonly partners: Partners;
  readonly tokens: Tokens;
  readonly estimateIds: EstimateIds;
  readonly pricing: Pricing;
  readonly records: RecordWriter;
  /** Whether a user's token is good in the platform's header (gap `user-token-platform-header`). */
  readonly takesUserTokensUnsigned: boolean;
}

/** A head beyond this goes to the HTTP parser, which has the limit of the service. */
const HEAD_BYTES = 8192;
const START = new BytePattern(Buffer.from(`GET ${ESTIMATES_PATH}?`));
const SPACE = 0x20;
const SIGNATURE_LENGTH = 32;

/** What a connection's requests end in, all alike but for signature and token. */
interface KnownTail {
  /** In bytes, signature and token included. */
  readonly length: number;
  /** What stands before, between and behind signature and token. */
  readonly pieces: readonly BytePattern[];
  /** Where each piece stands. */
  readonly offsets: readonly number[];
  /** Where the signature stands; -1 in the platform's header. */
  readonly signatureAt: number;
  /** The token that came with it first, where it stands, and what it may do. */
  readonly token: BytePattern;
  readonly tokenAt: number;
  readonly grant: Grant;
  readonly partner: Partner;
}

/** What is remembered of a connection from request to request. */
export class FastConnection {
  tail: KnownTail | null = null;
}

/**
 * Answers estimates in the one strict shape that clients send, on the bytes of the connection, with
 * every rule on. It judges nothing else: whatever it does not answer goes, byte for byte, to the HTTP
 * parser behind it, whose judgement counts.
 */
export class FastPath {
  readonly #state: FastPathState;
  readonly #scanner = new QueryScanner();
  readonly #signed = new SignedQuery(HEAD_BYTES);
  readonly #writer: EstimateWriter;
  #request = new RequestBytes(HEAD_BYTES);
  /** The request whose query the scanner holds, and where that query ends; 0 for none. */
  #scanned = new RequestBytes(HEAD_BYTES);
  #scannedEnd = 0;
  /** What the scanned query costs, for a departure in Unix seconds; -1 where it is not priced. */
  #pricedForS = -1;
  #priceFen = 0;
  #answer: EstimateAnswer | null = null;
  /** Bytes of the current chunk that are answered. */
  #consumed = 0;

  constructor(state: FastPathState) {
    this.#state = state;
    this.#writer = new EstimateWriter(state.records, state.estimateIds);
  }

  /** Bytes of the last chunk that were answered; the rest is for the HTTP parser. */
  get consumed(): number {
    return this.#consumed;
  }

  /**
   * Answers as many requests as stand in the chunk, in their order; null for none. The bytes are
   * written over by the next answer, unless they are kept.
   */
  answer(connection: FastConnection, chunk: Buffer): Buffer | null {
    this.#consumed = 0;
    const first = this.#answerOne(connection, chunk);
    if (first === null || this.#consumed === chunk.length) return first;
    const answers = [Buffer.from(first)];
    while (this.#consumed < chunk.length) {
      const next = this.#answerOne(connection, chunk);
      if (next === null) break;
      answers.push(Buffer.from(next));
    }
    return Buffer.concat(answers);
  }

  /** Gives up the last answer's buffer: the socket may still be writing it. */
  giveUpBuffer(): void {
    const answer = this.#answer;
    if (answer !== null) answer.bytes = Buffer.from(answer.bytes);
  }

  #answerOne(connection: FastConnection, chunk: Buffer): Buffer | null {
    const request = this.#request;
    const known = connection.tail;
    request.load(chunk, this.#consumed);
    if (!request.standsAt(0, START)) return null;
    if (known !== null) {
      // Mostly the chunk is one request, and its tail the one before: no need to look for its start.
      const at = request.length - known.length;
      const answer = isTailAt(known, request, at) ? this.#answerUpTo(known, at) : null;
      if (answer !== null) return answer;
    }
    const end = request.bytes.indexOf(SPACE, START.length);
    if (end < 0 || end >= request.length) return null;
    const tail = known !== null && isTailAt(known, request, end) ? known : this.#readTail(end);
    if (tail === null) return null;
    connection.tail = tail;
    return this.#answerUpTo(tail, end);
  }

  /** Answers the request in hand, whose query ends there, before that tail. */
  #answerUpTo(tail: KnownTail, end: number): Buffer | null {
    const nowMs = this.#state.clock.now();
    const request = this.#request;
    const grant = this.#grantAt(tail, end);
    if (grant === undefined || !isGood(grant, nowMs) || !this.#scan(end)) return null;
    if (tail.signatureAt >= 0 && !this.#isSigned(tail, request.bytes, end)) return null;
    this.#consumed += end + tail.length;
    return this.#price(tail.partner, nowMs);
  }

  /** What the token in that tail may do: the one that is known, or another of the same sort. */
  #grantAt({ token, tokenAt, grant, partner }: KnownTail, end: number): Grant | undefined {
    const at = end + tokenAt;
    if (this.#request.standsAt(at, token)) return grant;
    const text = this.#request.bytes.toString('latin1', at, at + token.length);
    const other = this.#state.tokens.findAccess(text);
    const isAlike = (other?.userId === null) === (grant.userId === null);
    return isAlike && other?.partner === partner ? other : undefined;
  }

  #isSigned({ signatureAt, partner }: KnownTail, bytes: Uint8Array, end: number): boolean {
    const expected = this.#signed.sign(this.#scanned.bytes, this.#scanner, partner.signingKey);
    const start = end + signatureAt;
    let difference = 0;
    for (let at = 0; at < SIGNATURE_LENGTH; at++)
      difference |= bytes[start + at]! ^ expected.charCodeAt(at);
    return difference === 0;
  }

  /** Has the scanner hold the query in hand, which it may do already. */
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

  /** Reads the tail that starts there; null where it is not of the one shape, or names no good token. */
  #readTail(at: number): KnownTail | null {
    const { bytes, length } = this.#request;
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1') + 4;
    if (end < 4 || end > length) return null;
    const text = bytes.toString('latin1', at, end);
    const read = readRequestTail(text);
    if (read === null) return null;
    const { partnerId, signature, accessToken } = read;
    const partner = this.#state.partners.find(partnerId);
    const grant = this.#state.tokens.findAccess(accessToken);
    if (partner === undefined || grant?.partner !== partner) return null;
    const isUser = grant.userId !== null;
    if (signature === null ? isUser && !this.#state.takesUserTokensUnsigned : !isUser) return null;
    const texts = signature === null ? [accessToken] : [signature, accessToken];
    return knownTail(text, texts, { grant, partner });
  }
}

/** Whatever can stand against a token after it was looked up. */
function isGood(grant: Grant, nowMs: number): boolean {
  return (
    nowMs < grant.accessExpiresAtMs && !grant.superseded && !grant.family.ended && grant.isPublic
  );
}

/** Null where signature or token do not stand in it just once, or are too short to be looked for. */
function knownTail(
  text: string,
  texts: readonly string[],
  rest: Pick<KnownTail, 'grant' | 'partner'>,
): KnownTail | null {
  if (texts.some((part) => part.length < 4 || text.split(part).length !== 2)) return null;
  const starts = texts.map((part) => text.indexOf(part));
  const offsets = [0, ...texts.map((part, index) => starts[index]! + part.length)];
  const pieces = offsets.map((from, index) => patternOf(text.slice(from, starts[index])));
  const [token, tokenAt] = [patternOf(texts.at(-1)!), starts.at(-1)!];
  const signatureAt = texts.length === 2 ? starts[0]! : -1;
  return { ...rest, length: text.length, pieces, offsets, signatureAt, token, tokenAt };
}

/** Whether a tail stands there, signature and token left out. */
function isTailAt({ pieces, offsets }: KnownTail, request: RequestBytes, at: number): boolean {
  for (let index = 0; index < pieces.length; index++) {
    if (!request.standsAt(at + offsets[index]!, pieces[index]!)) return false;
  }
  return true;
}

function patternOf(latin1: string): BytePattern {
  return new BytePattern(Buffer.from(latin1, 'latin1'));
}
