import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as sendPlain } from 'node:http';
import { request as sendSecure } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { FareproofError } from '../../interface/errors.ts';

const TIMEOUT_MS = 10_000;
const ANSWER_LIMIT_BYTES = 65_536;

/** A request with a JSON body. */
export interface JsonPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** PEM texts; null for those of the system. */
  readonly tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> | null;
  /** Time limit of the whole exchange, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Breaks the exchange off. */
  readonly signal?: AbortSignal | undefined;
}

/** No whole answer came in time. */
class TimeoutError extends Error {
  readonly code = 'TIMEOUT';
}

/** Answer to a request, with its body as text. */
export interface PostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends JSON on a connection of its own, and reads the answer. It uses `node:http`, which skips interim
 * responses: a target may send them unasked (RFC 9110, 15.2), and the request counts all the same.
 *
 * @throws FareproofError `INTERRUPTED` once the signal aborts
 * @throws Error for no whole answer in time, or one with a body over 64 KiB
 */
export async function postJson(post: JsonPost): Promise<PostAnswer> {
  const { timeoutMs = TIMEOUT_MS, signal: interruption } = post;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = interruption ? AbortSignal.any([timeout, interruption]) : timeout;
  try {
    const answer = await send(post, signal);
    const { statusCode: status = 0, headers } = answer;
    return { status, headers, text: await readText(answer) };
  } catch (error) {
    if (interruption?.aborted)
      throw new FareproofError('INTERRUPTED', 'interrupted before the target gave a token');
    throw timeout.aborted ? new TimeoutError(`no complete response within ${timeoutMs} ms`) : error;
  }
}

async function send(
  { url, headers, body, tls }: JsonPost,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const text = JSON.stringify(body);
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options = { ...tls, method: 'POST', headers: { ...headers, ...own }, agent: false, signal };
  const request = (url.startsWith('https:') ? sendSecure : sendPlain)(url, options);
  // A connection may also break while the body is read, which tells of it as well.
  request.on('error', () => undefined);
  request.end(text);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

async function readText(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > ANSWER_LIMIT_BYTES) throw new Error('the response is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
