import { type AssembledService, assembleService } from './assemble-service.ts';
import { BODY_LIMIT_BYTES, toServiceRequest } from './http/requests.ts';
import { datedHeadersOf } from './http/write-answer.ts';
import type { DescribedServer } from './profile.ts';
import type { ServerOptions } from './server-options.ts';
import { type Clock, wallClock } from './service/clock.ts';
import { ControlApi } from './service/control.ts';
import type { Answer } from './service/messages.ts';

/** A request whose bytes arrived, its headers by names in lower case. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Answer to it, its headers by names in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** A server that answers a function call instead of a socket. */
export interface InProcessServer extends DescribedServer {
  /** Host of its addresses. */
  readonly hostname: string;
  answer(request: HttpRequest): Promise<HttpAnswer>;
}

/** Options of a server in this process; the control API is there if it has a token. */
export type InProcessOptions = Omit<ServerOptions, 'port' | 'controlPort' | 'fastPath' | 'workers'>;

const CONTROL_PORT = '81';

/**
 * Opens a server whose `host` and ports are names only.
 *
 * @throws ConfigurationError `PARTNERS_INVALID`, `BEHAVIOUR_INVALID`, `EXPIRES_IN_INVALID`, `FAULT_UNKNOWN`
 * or `MD5_MISSING`
 */
export async function openInProcess(options: InProcessOptions): Promise<InProcessServer> {
  const { host: hostname = '127.0.0.1', controlToken = null } = options;
  const assembled = await assembleService(options);
  const { created, settings, clock, partners } = assembled;
  const { environment, behaviour, random } = settings;
  const baseUrl = `http://${hostname}`;
  const control =
    controlToken === null
      ? null
      : new ControlApi({ state: created.state, clock, random, token: controlToken });
  return {
    hostname,
    baseUrl,
    environment,
    behaviour,
    partners,
    controlUrl: control && `${baseUrl}:${CONTROL_PORT}`,
    controlToken,
    answer: async (request) => {
      const isControl = control !== null && request.url.port === CONTROL_PORT;
      const given = await answerTo(
        request,
        baseUrl,
        isControl ? control : created.service,
        created,
      );
      return written(given, options.clock ?? wallClock);
    },
  };
}

/** The answer of an endpoint, or of the listener in front of it. */
async function answerTo(
  { method, url, headers, body }: HttpRequest,
  baseUrl: string,
  endpoint: Pick<AssembledService['created']['service'], 'answer'>,
  { errors }: AssembledService['created'],
): Promise<Answer> {
  if (body.length > BODY_LIMIT_BYTES)
    return errors.answer(413, { code: 'body-too-large', message: 'The body is too large.' });
  const message = { method, url: `${url.pathname}${url.search}`, headers };
  return endpoint.answer(toServiceRequest(message, body, baseUrl));
}

/** An answer as HTTP carries it. */
function written(answer: Answer, clock: Clock): HttpAnswer {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(datedHeadersOf(answer, false, clock.now())))
    headers[name.toLowerCase()] = String(value);
  return {
    status: answer.status,
    headers,
    bytes: Buffer.from(answer.body, 'utf8'),
  };
}
