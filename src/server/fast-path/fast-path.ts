import { ESTIMATES_PATH } from '../../interface/index.ts';
import type { Clock } from '../clock.ts';
import type { EstimateIds } from '../estimate/estimate-ids.ts';
import { EstimateWriter } from '../estimate/estimate-writer.ts';
import type { Pricing } from '../estimate/pricing.ts';
import { QueryScanner } from '../estimate/query-scanner.ts';
import type { RecordWriter } from '../estimate/record.ts';
import { SignedQuery } from '../estimate/signed-query.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { Grant, Tokens } from '../state/tokens.ts';
import { readRequestTail } from './request-tail.ts';

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
const START = Buffer.from(`GET ${ESTIMATES_PATH}?`);
const SPACE = 0x20;
const SIGNATURE_LENGTH = 32;

/** What a connection's requests end in, all alike but for a signature, and what was made of it. */
interface KnownTail {
  readonly bytes: Buffer;
  readonly partner: Partner;
  readonly grant: Grant;
  /** Where the signature stands in `bytes`; -1 in the platform's header. */
  readonly signatureAt: number;
}

/** Per connection: what is remembered from request to request. */
export interface FastConnection {
  tail: KnownTail | null;
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
  /** The request in hand: one array for all is read faster than each chunk's own. */
  #bytes = Buffer.alloc(HEAD_BYTES);
  /** The request whose query the scanner holds, and where that query ends; 0 for none. */
  #scannedBytes = Buffer.alloc(HEAD_BYTES);
  #scannedEnd = 0;
  /** What the scanned query costs, for a departure in Unix seconds; -1 where it is not priced. */
  #pricedForS = -1;
  #priceFen = 0;
  #opening = '';
  #closing = '';
  /** Bytes of the chunk in hand that are answered. */
  #done = 0;

  constructor(state: FastPathState) {
    this.#state = state;
    this.#writer = new EstimateWriter(state.records);
  }

  /** How many bytes of the chunk that was answered last are answered; the rest is to be handed over. */
  get done(): number {
    return this.#done;
  }

  /** Answers as many requests as stand in the chunk, in their order, as one text in Latin-1. */
  answer(connection: FastConnection, chunk: Buffer): string {
    let answers = '';
    this.#done = 0;
    while (this.#done < chunk.length) {
      const answer = this.#answerOne(connection, chunk, this.#done);
      if (answer === null) break;
      answers += answer;
    }
    return answers;
  }

  #answerOne(connection: FastConnection, chunk: Buffer, start: number): string | null {
    const queryAt = start + START.length;
    const queryEnd = chunk.indexOf(SPACE, queryAt);
    if (queryEnd < 0 || queryEnd - start > HEAD_BYTES) return null;
    const tail = this.#tailAt(connection, chunk, queryEnd);
    if (tail === null) return null;
    const bytes = this.#bytes;
    const length = queryEnd - start;
    bytes.set(start === 0 && chunk.length <= HEAD_BYTES ? chunk : chunk.subarray(start, queryEnd));
    for (let at = 0; at < START.length; at++) if (bytes[at] !== START[at]) return null;
    const nowMs = this.#state.clock.now();
    if (!isGood(tail.grant, nowMs)) return null;
    const answer =
      tail.signatureAt < 0
        ? this.#answerPlatform(tail.partner, length, nowMs)
        : this.#answerUser(tail, chunk.subarray(queryEnd + tail.signatureAt), length, nowMs);
    if (answer !== null) this.#done = queryEnd + tail.bytes.length;
    return answer;
  }

  #answerPlatform(partner: Partner, end: number, nowMs: number): string | null {
    return this.#scan(end) ? this.#price(partner, nowMs) : null;
  }

  #answerUser(tail: KnownTail, given: Buffer, end: number, nowMs: number): string | null {
    if (!this.#scan(end)) return null;
    const { signingKey } = tail.partner;
    const expected = this.#signed.sign(this.#scannedBytes, this.#scanner, signingKey);
    let difference = 0;
    for (let at = 0; at < SIGNATURE_LENGTH; at++)
      difference |= given[at]! ^ expected.charCodeAt(at);
    return difference === 0 ? this.#price(tail.partner, nowMs) : null;
  }

  /** Has the scanner hold the query in hand, which it may do already. */
  #scan(end: number): boolean {
    const bytes = this.#bytes;
    const start = START.length;
    if (end === this.#scannedEnd && bytes.compare(this.#scannedBytes, start, end, start, end) === 0)
      return true;
    this.#pricedForS = -1;
    this.#scannedEnd = 0;
    if (!this.#scanner.scan(bytes, start, end)) return false;
    this.#bytes = this.#scannedBytes;
    this.#scannedBytes = bytes;
    this.#scannedEnd = end;
    return true;
  }

  #price(partner: Partner, nowMs: number): string {
    const route = this.#scanner;
    const departureS = route.departureS ?? Math.floor(nowMs / 1000);
    if (departureS !== this.#pricedForS) {
      const fare = this.#state.pricing.fare(route, departureS);
      this.#pricedForS = departureS;
      this.#priceFen = fare.priceFen;
      this.#opening = this.#writer.opening(route, fare);
      this.#closing = this.#writer.closing(route, fare);
    }
    const id = this.#state.estimateIds.issue(partner, this.#priceFen, nowMs);
    return this.#writer.write(this.#opening, id, this.#closing, nowMs);
  }

  /** The tail that starts there, be it the one that is known or another. */
  #tailAt(connection: FastConnection, chunk: Buffer, at: number): KnownTail | null {
    const known = connection.tail;
    if (known !== null && standsAt(known, chunk, at)) return known;
    const end = chunk.indexOf('\r\n\r\n', at, 'latin1') + 4;
    if (end < 4 || end - at > HEAD_BYTES) return null;
    const read = this.#readTail(chunk.subarray(at, end));
    if (read !== null) connection.tail = read;
    return read;
  }

  #readTail(bytes: Buffer): KnownTail | null {
    const text = bytes.toString('latin1');
    const read = readRequestTail(text);
    if (read === null) return null;
    const { partnerId, signature, accessToken } = read;
    const partner = this.#state.partners.find(partnerId);
    const grant = this.#state.tokens.findAccess(accessToken);
    if (partner === undefined || grant?.partner !== partner) return null;
    const isUser = grant.userId !== null;
    if (signature === null) {
      if (isUser && !this.#state.takesUserTokensUnsigned) return null;
      return { bytes: Buffer.from(bytes), partner, grant, signatureAt: -1 };
    }
    const signatureAt = text.indexOf(signature);
    const standsOnce = signatureAt === text.lastIndexOf(signature);
    if (!isUser || !standsOnce || signature.length !== SIGNATURE_LENGTH) return null;
    return { bytes: Buffer.from(bytes), partner, grant, signatureAt };
  }
}

/** A connection of which nothing is known. */
export function newFastConnection(): FastConnection {
  return { tail: null };
}

/** Whatever can stand against a token after it was looked up. */
function isGood(grant: Grant, nowMs: number): boolean {
  return (
    nowMs < grant.accessExpiresAtMs && !grant.superseded && !grant.family.ended && grant.isPublic
  );
}

/** Whether those bytes stand there, the signature left out. */
function standsAt({ bytes, signatureAt }: KnownTail, chunk: Buffer, at: number): boolean {
  const end = at + bytes.length;
  if (end > chunk.length) return false;
  if (signatureAt < 0) return bytes.compare(chunk, at, end) === 0;
  const behind = signatureAt + SIGNATURE_LENGTH;
  return (
    bytes.compare(chunk, at, at + signatureAt, 0, signatureAt) === 0 &&
    bytes.compare(chunk, at + behind, end, behind) === 0
  );
}
