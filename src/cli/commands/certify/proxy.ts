import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { TargetProfile } from '../../../interface/index.ts';
import type { AttendedRequest, Direction } from '../../../server/index.ts';
import { readTextFile } from '../../files/text.ts';
import type { Io } from '../../io.ts';

const TIMEOUT_MS = 30_000;
const BODY_LIMIT_BYTES = 1024 * 1024;
/** Belong to one connection; a header `Connection` may name more of them. */
const OF_ONE_CONNECTION = /^(connection|keep-alive|transfer-encoding|upgrade|te|trailer|proxy-.*)$/;
/** The address is that of the target, the length is counted anew, and `expect` was answered. */
const NOT_FORWARDED = /^(host|content-length|expect)$/;

/** Hands requests on to a target. */
export interface Forwarder {
  /** Bytes and headers go on as they came, both ways, but for those of one connection. */
  readonly answer: (request: AttendedRequest) => Promise<Direction>;
  /** Ends every connection at once; a request that waits for its answer gets 502. */
  close(): Promise<void>;
}

/**
 * Opens connections to a profile's target.
 *
 * @throws ConfigurationError `PROXY_EMBEDDED` for a profile without an address, `FILE_NOT_READ`
 */
export async function forwarder(profile: TargetProfile, io: Io): Promise<Forwarder> {
  if (profile.baseUrl === 'embedded') {
    throw new ConfigurationError(
      'PROXY_EMBEDDED',
      '--proxy: the profile names no address; leave --proxy out to listen on the embedded server.',
    );
  }
  const read = async (path: string | undefined): Promise<string | undefined> =>
    path === undefined ? undefined : readTextFile(path, io.cwd);
  const [ca, cert, key] = await Promise.all([profile.ca, profile.cert, profile.key].map(read));
  const agent = new Agent({
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  });
  const { origin, pathname } = new URL(profile.baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const forward = async (request: AttendedRequest): Promise<Direction> => {
    const answer = await dispatched(agent, {
      origin,
      path: prefix + request.target,
      method: request.method,
      headers: forwardedHeaders(request.rawHeaders, profile.headers),
      body: request.body.length === 0 ? null : request.body,
    });
    return directionOf(answer, request.method);
  };
  return {
    answer: (request) =>
      forward(request).catch((error: unknown) => ({
        status: 502,
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        body: `The target could not be reached: ${(error as NodeJS.ErrnoException).code ?? 'no answer'}.`,
      })),
    close: () => agent.destroy(),
  };
}

type Field = readonly [name: string, value: string];

function forwardedHeaders(
  rawHeaders: readonly string[],
  own: TargetProfile['headers'] = {},
): string[] {
  const replaced = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const passed = endToEnd(fieldsOf(rawHeaders)).filter(([name]) => {
    const lower = name.toLowerCase();
    return !NOT_FORWARDED.test(lower) && !replaced.has(lower);
  });
  return [...passed, ...Object.entries(own)].flat();
}

function fieldsOf(rawHeaders: readonly string[]): Field[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, at) => [
    rawHeaders[2 * at] ?? '',
    rawHeaders[2 * at + 1] ?? '',
  ]);
}

function endToEnd(fields: readonly Field[]): Field[] {
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !OF_ONE_CONNECTION.test(lower) && !named.includes(lower);
  });
}

/** What a target answered, byte for byte. */
interface TargetAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly fields: readonly Field[];
  readonly body: Buffer;
}

/** Sends and receives without a conversion: each byte of a header is one character. */
function dispatched(agent: Agent, options: Dispatcher.DispatchOptions): Promise<TargetAnswer> {
  return new Promise((resolve, reject) => {
    let head: Omit<TargetAnswer, 'body'> | null = null;
    const chunks: Buffer[] = [];
    let byteCount = 0;
    agent.dispatch(options, {
      onRequestStart() {
        // Required of a handler; there is nothing to prepare.
      },
      onResponseStart({ rawHeaders }, status, _headers, statusText = '') {
        if (status < 200) return;
        const texts = ((rawHeaders ?? []) as Buffer[]).map((bytes) => bytes.toString('latin1'));
        head = { status, statusText, fields: fieldsOf(texts) };
      },
      onResponseData(controller, chunk) {
        byteCount += chunk.length;
        if (byteCount <= BODY_LIMIT_BYTES) chunks.push(chunk);
        else controller.abort(new Error('the answer is too large'));
      },
      onResponseEnd() {
        if (head === null) reject(new Error('the answer has no head'));
        else resolve({ ...head, body: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        reject(error);
      },
    });
  });
}

async function directionOf(
  { status, statusText, fields, body }: TargetAnswer,
  method: string,
): Promise<Direction> {
  // Without a body, its length is all that is said of it.
  const isWithoutBody = method === 'HEAD' || status === 304;
  const returned = endToEnd(fields).filter(
    ([name]) => isWithoutBody || name.toLowerCase() !== 'content-length',
  );
  const headers: Record<string, string> = {};
  for (const [name, value] of returned) {
    const lower = name.toLowerCase();
    headers[lower] = headers[lower] === undefined ? value : `${headers[lower]}, ${value}`;
  }
  return {
    status,
    headers,
    body: (await decoded(body, headers['content-encoding'] ?? '')).toString('utf8'),
    raw: { statusText, headers: returned.flat(), body },
  };
}

/** What is judged of a compressed body; the client gets it as it came. */
async function decoded(body: Buffer, encoding: string): Promise<Buffer> {
  const options = { maxOutputLength: BODY_LIMIT_BYTES };
  try {
    if (/^(gzip|x-gzip|deflate)$/i.test(encoding)) return await promisify(unzip)(body, options);
    if (/^br$/i.test(encoding)) return await promisify(brotliDecompress)(body, options);
    return body;
  } catch {
    // Not what its header says, or too large: there is nothing to read in it.
    return body;
  }
}
