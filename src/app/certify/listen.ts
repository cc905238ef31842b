import {
  ALL_FIELDS,
  type ClientResult,
  type DelayAt,
  ExchangeCapture,
  type JudgedRequest,
  type ListeningThread,
  type Orders,
  type RemoteListener,
  type SteadyClock,
} from '../../conformance/index.ts';
import { readCertificates } from '../../files/certificates.ts';
import type { ProfilePartner } from '../../interface/index.ts';
import { DEMO_PARTNERS, startServer } from '../../server/index.ts';
import { readProfile } from '../files/profile.ts';
import { type Surroundings, untilAborted } from '../surroundings.ts';
import { type AskedSpending, openProxy } from './proxy.ts';

/** Client that is to be listened to. */
export interface AskedListening extends AskedSpending {
  readonly port: number;
  /** Profile of the target that requests are forwarded to; undefined for the embedded server. */
  readonly proxy: string | undefined;
  readonly orders: Orders;
}

/** Time after a step of this machine's clock in which a request may end that was sent before it, ms. */
const AFTER_STEP_MS = 10_000;

/** Callbacks of listening. */
export interface ListenWatch {
  /** @param target address that requests are forwarded to; null for the embedded server */
  onListening(baseUrl: string, partners: readonly ProfilePartner[], target: string | null): void;
  onRequest(judged: JudgedRequest): void;
}

/**
 * Listens to a client until interrupted, on the embedded server or as a proxy, and judges each request.
 *
 * @throws ConfigurationError as {@link openProxy} and readProfile
 */
export async function listen(
  { port, proxy: path, orders, ...spending }: AskedListening,
  {
    thread,
    machine,
    delayAt,
  }: {
    readonly thread: ListeningThread;
    readonly machine: SteadyClock;
    readonly delayAt: DelayAt;
  },
  watch: ListenWatch,
  surroundings: Surroundings,
): Promise<ClientResult> {
  const profile = path === undefined ? null : await readProfile(path, surroundings);
  const partners = profile?.partners ?? DEMO_PARTNERS;
  const interruption = surroundings.interruption();
  const startedAt = new Date(machine.now()).toISOString();
  const signedFields = profile && {
    token: profile.signature.tokenFields,
    estimate: profile.signature.estimateFields,
  };
  let listener: RemoteListener | null = null;
  const show = (judged: JudgedRequest): void => {
    if (judged.request.kind !== 'probe') watch.onRequest(judged);
  };
  const capture = new ExchangeCapture(
    (captured) => {
      const step = machine.steps.within(machine.now() - AFTER_STEP_MS);
      const marked = step ? { ...captured, clockStepMs: step.byMs } : captured;
      // A failure of the thread shows when the result is asked for.
      listener?.take(marked).then(show, () => undefined);
    },
    { delayAt, clock: machine },
  );
  const place = profile && { ...spending, profile, signal: interruption };
  const proxy = place && (await openProxy(place, capture, surroundings));
  const server = await startServer({
    port,
    partners: DEMO_PARTNERS,
    interceptor: proxy ?? capture,
    refusesForeign: true,
  });
  const { baseUrl } = server;
  listener = thread.open({
    partners,
    profile: profile ? { ...profile, tls: readCertificates(profile) } : undefined,
    baseUrl,
    signedFields: signedFields ?? ALL_FIELDS,
    orders,
    complete: profile === null,
  });
  try {
    watch.onListening(baseUrl, partners, profile?.baseUrl ?? null);
    await untilAborted(interruption);
  } finally {
    await server.close(500);
    // Requests that the target has not answered yet are judged without an answer.
    for (const request of proxy?.takeUnanswered() ?? []) {
      capture.onExchange({ request, answer: null, finishedMs: null });
    }
    proxy?.close();
  }
  return listener.result({
    target: {
      name: 'a client that was listened to',
      baseUrl: profile?.baseUrl ?? baseUrl,
      environment: profile?.environment ?? 'production',
    },
    startedAt,
    finishedAt: new Date(machine.now()).toISOString(),
  });
}
