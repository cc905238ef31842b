import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { TlsTexts } from '../contract/target.ts';
import type { TransportFailure } from './failure.ts';
import { OutgoingRequest } from './request.ts';

/** One request as it goes out; `body` in pieces waits for its gate before the last one. */
export interface WireRequest {
  readonly method: string;
  /** Absolute URL, its query already encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The last byte of the body is held back until this resolves, so that requests land together. */
  readonly gate?: Promise<void> | undefined;
  /** A connection of its own, so that no closing one is reused; else kept alive. */
  readonly ownConnection?: boolean | undefined;
}

/** What came back, decoded; `truncated` where the body is longer than the cap. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; several of one name joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bodyBytes: number;
  readonly truncated: boolean;
}

/** Either of both is null. */
export type WireOutcome =
  | { readonly response: WireResponse; readonly error: null }
  | { readonly response: null; readonly error: TransportFailure };

/** Sends one request; never throws for what the target does. */
export type Send = (request: WireRequest) => Promise<WireOutcome>;

/** How requests go out. */
export interface TransportOptions {
  /** For a whole exchange, connection and body included, in milliseconds. */
  readonly timeoutMs: number;
  readonly tls?: TlsTexts | undefined;
  /** When it aborts, what is under way gets little time more. */
  readonly signal?: AbortSignal | undefined;
}

/** Connections to one target. */
export interface Transport {
  readonly send: Send;
  close(): Promise<void>;
}

/** Connections that are kept for another request, and such as serve one alone. */
interface Agents {
  readonly kept: PlainAgent;
  readonly own: PlainAgent;
}

/**
 * Opens a transport: no redirects followed, one deadline a request, bodies bounded. It goes by
 * `node:http`, which reads past interim answers: a target may send them unasked (RFC 9110, 15.2),
 * and a request that counts must not have to be sent again for that.
 */
export function openTransport({ timeoutMs, tls, signal }: TransportOptions): Transport {
  const plain = agentsBy((options) => new PlainAgent(options));
  const secure = agentsBy((options) => new TlsAgent({ ...options, ...tls }));
  const underWay = new Set<OutgoingRequest>();
  // One listener, however many requests are under way at once.
  const hurryAll = (): void => {
    for (const one of underWay) one.hurry();
  };
  signal?.addEventListener('abort', hurryAll, { once: true });
  const exchange = async (request: WireRequest, kind: keyof Agents): Promise<WireOutcome> => {
    const agents = request.url.startsWith('https:') ? secure : plain;
    const exchanging = new OutgoingRequest(request, agents[kind], timeoutMs);
    underWay.add(exchanging);
    if (signal?.aborted) exchanging.hurry();
    const outcome = await exchanging.outcome();
    underWay.delete(exchanging);
    return outcome;
  };
  const send: Send = async (request) => {
    const first = await exchange(request, request.ownConnection ? 'own' : 'kept');
    // A kept connection may be closed by the target at the very moment of its reuse: a GET may go
    // again, on a new one.
    const mayGoAgain =
      first.error?.code === 'CONNECTION_BROKEN' &&
      request.method === 'GET' &&
      !request.ownConnection;
    return mayGoAgain ? exchange(request, 'own') : first;
  };
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', hurryAll);
    for (const agent of [plain.kept, plain.own, secure.kept, secure.own]) agent.destroy();
  };
  return { send, close };
}

function agentsBy(
  open: (options: { keepAlive: boolean; maxSockets: number }) => PlainAgent,
): Agents {
  return {
    kept: open({ keepAlive: true, maxSockets: 64 }),
    own: open({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY }),
  };
}
