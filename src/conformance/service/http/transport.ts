import { type ConnectionKind, type ConnectionOptions, Connections } from './connections.ts';
import { Exchange } from './exchange.ts';
import type { Send, WireOutcome, WireRequest } from './message.ts';
import { OutgoingRequest } from './request.ts';

/** Limits and certificates of a transport. */
export interface TransportOptions extends Partial<ConnectionOptions> {
  /** Limit of a whole exchange, connection and body included. */
  readonly timeoutMs: number;
  /** Leaves requests under way a short grace period when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Less than servers keep such a connection open (Node 5 s, nginx 75 s): a request that they get as they
 * close it is lost, and most must not be sent twice.
 */
const IDLE_MS = 4_000;

/** Connections to one target. */
export interface Transport {
  readonly send: Send;
  close(): Promise<void>;
}

/**
 * Opens a transport: redirects are not followed, each request has one deadline, bodies are bounded, and
 * interim responses are skipped.
 */
export function openTransport(options: TransportOptions): Transport {
  const { timeoutMs, tls, idleMs = IDLE_MS, signal } = options;
  const connections = new Connections({ idleMs, tls });
  const underWay = new Set<OutgoingRequest>();
  // One listener, however many requests are under way.
  const hurryAll = (): void => {
    for (const one of underWay) one.hurry();
  };
  signal?.addEventListener('abort', hurryAll, { once: true });
  const reuse = new Map<string, Reuse>();
  const sendOnce = async (request: WireRequest, kind: ConnectionKind): Promise<Sent> => {
    const { connection: name } = request;
    const origin = originOf(request.url);
    const connection = await (name === undefined
      ? connections.take(origin, kind)
      : connections.named(name, origin));
    const isLast = kind === 'singleUse' && name === undefined;
    const exchange = new Exchange(connection, request, isLast);
    const outgoing = new OutgoingRequest(timeoutMs, exchange);
    underWay.add(outgoing);
    if (signal?.aborted) outgoing.hurry();
    const outcome = await outgoing.outcome();
    underWay.delete(outgoing);
    if (name === undefined) connections.release(connection, origin, kind, outcome.response?.status);
    else await connections.forgetClosed(name, origin);
    const isBroken = outcome.error?.code === 'CONNECTION_BROKEN';
    const { isReused, isBegun } = exchange;
    if (isReused) recordReuse(reuse, origin, isBroken);
    return {
      outcome,
      isRefused: isBroken && isReused && !isBegun,
      isClosed: isReused && isClosing408(outcome),
    };
  };
  const send: Send = async (request) => {
    const isKept = request.mayBeKept === true && keepsConnections(reuse, originOf(request.url));
    if (request.ownConnection && !isKept) return (await sendOnce(request, 'singleUse')).outcome;
    const kind = request.apart === 'new' ? 'opening' : (request.apart ?? 'keptAlive');
    const { outcome, isRefused, isClosed } = await sendOnce(request, kind);
    // The target may close a kept connection just as it is reused (RFC 9112, 9.3.1): a GET is safe to send again.
    const isRetried = request.method === 'GET' ? isRefused || isClosed : isRefused && isKept;
    if (!isRetried) return outcome;
    return (await sendOnce({ ...request, connection: undefined }, 'singleUse')).outcome;
  };
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', hurryAll);
    connections.close();
  };
  return { send, close };
}

interface Sent {
  readonly outcome: WireOutcome;
  /** True if a connection that was reused broke before any of the answer came. */
  readonly isRefused: boolean;
  /** True if the target closed a connection that was reused with nothing but a 408. */
  readonly isClosed: boolean;
}

function isClosing408({ response }: WireOutcome): boolean {
  return (
    response?.status === 408 &&
    /(?:^|[ ,])close(?:[ ,]|$)/i.test(response.headers['connection'] ?? '')
  );
}

/** Requests on connections that had others before. */
interface Reuse {
  answered: number;
  broken: number;
}

/** Answers on reused connections that show that a target keeps them. */
const PROVEN = 5;

/** The start of a URL up to its path: `URL` takes ten times as long, and each request needs it twice. */
const originOf = (url: string): string => /^\w+:\/\/[^/]*/.exec(url)?.[0] ?? url;

function recordReuse(reuse: Map<string, Reuse>, origin: string, isBroken: boolean): void {
  const counts = reuse.get(origin) ?? { answered: 0, broken: 0 };
  reuse.set(origin, counts);
  counts[isBroken ? 'broken' : 'answered']++;
}

/** Checks whether a target keeps its connections: some were reused, and none was closed meanwhile. */
function keepsConnections(reuse: ReadonlyMap<string, Reuse>, origin: string): boolean {
  const { answered = 0, broken = 0 } = reuse.get(origin) ?? {};
  return answered >= PROVEN && broken === 0;
}
