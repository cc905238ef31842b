import { Agent } from 'undici';
import { ConfigurationError } from '../interface/errors.ts';
import type { TargetProfile } from '../interface/index.ts';
import type { AttendedRequest, Direction } from '../server/index.ts';
import type { Io } from './io.ts';
import { readTextFile } from './read-text.ts';

const TIMEOUT_MS = 30_000;
const BODY_LIMIT_BYTES = 1024 * 1024;
/** Belong to one connection, or would bring a body that cannot be read. */
const NOT_FORWARDED =
  /^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|expect|upgrade|te|trailer|proxy-.*)$/;
const NOT_RETURNED = /^(connection|keep-alive|content-length|transfer-encoding|content-encoding)$/;

/** Hands requests on to a target. */
export interface Forwarder {
  readonly answer: (request: AttendedRequest) => Promise<Direction>;
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
  return {
    answer: (request) =>
      forward(agent, origin, prefix, profile.headers, request).catch((error: unknown) => ({
        status: 502,
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        body: `The target could not be reached: ${(error as NodeJS.ErrnoException).code ?? 'no answer'}.`,
      })),
    close: () => agent.close(),
  };
}

async function forward(
  agent: Agent,
  origin: string,
  prefix: string,
  own: TargetProfile['headers'],
  request: AttendedRequest,
): Promise<Direction> {
  const headers = Object.entries(request.headers).filter(([name]) => !NOT_FORWARDED.test(name));
  const response = await agent.request({
    origin,
    path: prefix + request.target,
    method: request.method,
    headers: { ...Object.fromEntries(headers), ...own },
    body: request.body.length === 0 ? null : request.body,
  });
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of response.body) {
    byteCount += (chunk as Buffer).length;
    if (byteCount > BODY_LIMIT_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk as Buffer);
  }
  const returned = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined || NOT_RETURNED.test(name)
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return {
    status: response.statusCode,
    headers: Object.fromEntries(returned) as Record<string, string>,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
