import { isHost } from '../http/request-head.ts';
import type { EstimateAuthorization } from '../service/authorization.ts';
import type { TokenUse } from '../service/estimate/authorize.ts';
import type { Grant } from '../service/state/tokens.ts';
import { BytePattern, type RequestBytes } from './request-bytes.ts';

const START = ' HTTP/1.1\r\n';
const FIELD = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\x20-\x7e]*)$/;
const CREDENTIALS = /^Bearer ([^|\s]+)\|(?:([^|\s]{32}) openid\|)?([^|\s]+)$/;

/** Headers of estimates that affect neither message framing nor the connection. */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'host',
  'pragma',
  'sec-fetch-mode',
  'traceparent',
  'user-agent',
  'x-request-id',
]);

/** Contents of the end of a head. */
export interface RequestTail extends EstimateAuthorization {
  /** True if the client closes the connection after this request (RFC 9112, 9.6). */
  readonly closes: boolean;
}

/**
 * Reads the rest of a head after the request's target, from ` HTTP/1.1` to the empty line
 * (interface.md, "Authentication"); null for any but the one strict form, which does not mean that
 * it is refused.
 */
export function readRequestTail(text: string): RequestTail | null {
  if (!text.startsWith(START) || !text.endsWith('\r\n\r\n')) return null;
  const fields = new Map<string, string>();
  for (const line of text.slice(START.length, -4).split('\r\n')) {
    const field = FIELD.exec(line);
    if (field === null) return null;
    const name = field[1]!.toLowerCase();
    if (fields.has(name) || !isHarmless(name, field[2]!)) return null;
    fields.set(name, field[2]!);
  }
  const host = fields.get('host');
  if (!host || !isHost(host)) return null;
  const credentials = CREDENTIALS.exec(fields.get('authorization') ?? '');
  if (credentials === null) return null;
  const [, partnerId, signature, accessToken] = credentials;
  const closes = fields.get('connection')?.toLowerCase() === 'close';
  return { partnerId: partnerId!, signature: signature ?? null, accessToken: accessToken!, closes };
}

function isHarmless(name: string, value: string): boolean {
  if (name === 'connection') return /^(?:keep-alive|close)$/i.test(value);
  return name === 'authorization' || HARMLESS.has(name);
}

/** The end of a connection's requests, which differ only in signature and token. */
export interface KnownTail extends TokenUse {
  /** In bytes, with signature and token. */
  readonly length: number;
  /** The text before, between and after signature and token. */
  readonly pieces: readonly BytePattern[];
  /** Offset of each piece. */
  readonly offsets: readonly number[];
  /** Offset of the signature; -1 in the platform's header. */
  readonly signatureAt: number;
  /** The token of the first request. */
  readonly token: BytePattern;
  readonly tokenAt: number;
  readonly grant: Grant;
  readonly closes: boolean;
}

/** Shortest text that a {@link BytePattern} can hold. */
const SHORTEST_PATTERN = 4;

/** Makes the tail of requests alike; null if signature or token are too short or occur twice in it. */
export function knownTail(
  text: string,
  { signature, accessToken, closes }: RequestTail,
  { partner, grant }: Pick<KnownTail, 'partner' | 'grant'>,
): KnownTail | null {
  const texts = signature === null ? [accessToken] : [signature, accessToken];
  const isAmbiguous = (part: string): boolean =>
    part.length < SHORTEST_PATTERN || text.split(part).length !== 2;
  if (texts.some(isAmbiguous)) return null;
  const starts = texts.map((part) => text.indexOf(part));
  const offsets = [0, ...texts.map((part, index) => starts[index]! + part.length)];
  const pieces = offsets.map((from, index) => patternOf(text.slice(from, starts[index])));
  const isSigned = signature !== null;
  return {
    partner,
    isSigned,
    length: text.length,
    pieces,
    offsets,
    signatureAt: isSigned ? starts[0]! : -1,
    token: patternOf(accessToken),
    tokenAt: starts.at(-1)!,
    grant,
    closes,
  };
}

/** Checks whether a request has that tail at an offset, with any signature and token. */
export function hasTailAt(
  request: RequestBytes,
  { pieces, offsets }: KnownTail,
  at: number,
): boolean {
  for (let index = 0; index < pieces.length; index++) {
    if (!request.hasAt(at + offsets[index]!, pieces[index]!)) return false;
  }
  return true;
}

function patternOf(latin1: string): BytePattern {
  return new BytePattern(Buffer.from(latin1, 'latin1'));
}
