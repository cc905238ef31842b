import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionKind, DirectConnections } from './direct-connections.ts';
import { DirectExchange, directRequest } from './direct-exchange.ts';
import type { Send, Transport, TransportOptions, WireOutcome, WireRequest } from './message.ts';
import { NodeExchange } from './node-exchange.ts';
import { UnderWay } from './under-way.ts';

/**
 * Less than servers keep such a connection open (Node 5 s, nginx 75 s): a request that they get as they
 * close it is lost, and most must not be sent twice.
 */
const IDLE_MS = 4_000;

interface Agents {
  readonly keptAlive: PlainAgent;
  /** Opens a connection for each request, which the target could keep. */
  readonly opening: PlainAgent;
  readonly singleUse: PlainAgent;
}

/**
 * Opens a transport: redirects are not followed, each request has one deadline, bodies are bounded.
 * Whatever is not of the usual form goes through `node:http`, which skips interim responses: a target
 * may send them unasked (RFC 9110, 15.2), and a request that counts must not be sent again because of
 * one.
 */
export function openTransport(options: TransportOptions): Transport {
  const { timeoutMs, tls, idleMs = IDLE_MS, signal } = options;
  // A request under way ignores this timeout.
  const openPlain: OpenAgent = (more) => new PlainAgent({ ...more, timeout: idleMs });
  const openSecure: OpenAgent = (more) => new TlsAgent({ ...more, timeout: idleMs, ...tls });
  const plain = agentsBy(openPlain);
  const secure = agentsBy(openSecure);
  const named = new Map<string, PlainAgent>();
  const direct = new DirectConnections(idleMs);
  const underWay = new UnderWay({ timeoutMs, signal });
  const agentNamed = (name: string | undefined, isSecure: boolean): PlainAgent | undefined => {
    if (name === undefined) return undefined;
    const open = isSecure ? openSecure : openPlain;
    const agent = named.get(name) ?? open({ keepAlive: true, maxSockets: 1 });
    named.set(name, agent);
    return agent;
  };
  const reuse = new Map<string, Reuse>();
  const sendOnce = async (request: WireRequest, kind: ConnectionKind): Promise<Sent> => {
    const sentDirectly = directRequest(request);
    const { outcome, isReused, isBegun } = await underWay.run((progress) => {
      if (sentDirectly && !direct.avoids(sentDirectly.origin))
        return new DirectExchange(sentDirectly, kind, direct, progress);
      const isSecure = request.url.startsWith('https:');
      const agents = isSecure ? secure : plain;
      const agent =
        agentNamed(request.connection, isSecure) ?? agents[kind === 'unspoiled' ? 'opening' : kind];
      return new NodeExchange(request, { agent }, progress);
    });
    const isBroken = outcome.error?.code === 'CONNECTION_BROKEN';
    if (isReused) recordReuse(reuse, request.url, isBroken);
    return {
      outcome,
      isRefused: isBroken && isReused && !isBegun,
      isClosed: isReused && isClosing408(outcome),
    };
  };
  const send: Send = async (request) => {
    const isKept = request.mayBeKept === true && keepsConnections(reuse, request.url);
    if (request.ownConnection && !isKept) return (await sendOnce(request, 'singleUse')).outcome;
    const kind = request.apart === 'new' ? 'opening' : (request.apart ?? 'keptAlive');
    const { outcome, isRefused, isClosed } = await sendOnce(request, kind);
    // The target may close a kept connection just as it is reused (RFC 9112, 9.3.1): a GET is safe to send again.
    const isRetried = request.method === 'GET' ? isRefused || isClosed : isRefused && isKept;
    return isRetried ? (await sendOnce(request, 'singleUse')).outcome : outcome;
  };
  const close = async (): Promise<void> => {
    underWay.close();
    direct.close();
    for (const agents of [plain, secure])
      for (const agent of Object.values<PlainAgent>({ ...agents })) agent.destroy();
    for (const agent of named.values()) agent.destroy();
  };
  return { send, pause: (forMs) => sleep(forMs), close };
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

function recordReuse(reuse: Map<string, Reuse>, url: string, isBroken: boolean): void {
  const origin = originOf(url);
  const counts = reuse.get(origin) ?? { answered: 0, broken: 0 };
  reuse.set(origin, counts);
  counts[isBroken ? 'broken' : 'answered']++;
}

/** Checks whether a target keeps its connections: some were reused, and none was closed meanwhile. */
function keepsConnections(reuse: ReadonlyMap<string, Reuse>, url: string): boolean {
  const { answered = 0, broken = 0 } = reuse.get(originOf(url)) ?? {};
  return answered >= PROVEN && broken === 0;
}

type OpenAgent = (options: ConstructorParameters<typeof PlainAgent>[0] & object) => PlainAgent;

function agentsBy(open: OpenAgent): Agents {
  return {
    keptAlive: open({ keepAlive: true, maxSockets: 64 }),
    opening: Object.assign(open({ keepAlive: true }), { keepSocketAlive: () => false }),
    singleUse: open({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY }),
  };
}
