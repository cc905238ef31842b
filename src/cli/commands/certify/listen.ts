import {
  ALL_FIELDS,
  type ClientResult,
  ExchangeCapture,
  Listener,
} from '../../../conformance/index.ts';
import { DEMO_PARTNERS, startServer } from '../../../server/index.ts';
import { readProfileFile } from '../../files/profile.ts';
import { readInteger } from '../../flags/numbers.ts';
import { type Io, note, print, untilAborted } from '../../io.ts';
import type { CertifyFlags } from './flags.ts';
import { greeting, requestLines } from './listening-text.ts';
import type { CertifyLive } from './live.ts';
import { openProxy } from './proxy.ts';

/**
 * Listens to a client until interrupted, on the embedded server or as a proxy, and prints each
 * request as it is judged; with `--json` on stderr.
 */
export async function listen(
  flags: Pick<CertifyFlags, 'port' | 'proxy' | 'json' | 'orders'>,
  live: CertifyLive | null,
  io: Io,
): Promise<ClientResult> {
  const port = readInteger(flags.port, '--port', { min: 0, max: 65_535 });
  const profile = flags.proxy === undefined ? null : await readProfileFile(flags.proxy, io);
  const partners = profile?.partners ?? DEMO_PARTNERS;
  const interruption = io.interruption();
  const startedAt = new Date().toISOString();
  const printAll = (lines: readonly string[]): void => {
    for (const line of lines) (flags.json ? note : print)(io, line);
  };
  let baseUrl = '';
  const signedFields = profile && {
    token: profile.signature.tokenFields,
    estimate: profile.signature.estimateFields,
  };
  const listener = new Listener(
    {
      partners,
      baseUrlOf: () => baseUrl,
      signedFields: signedFields ?? ALL_FIELDS,
      orders: flags.orders ?? null,
    },
    profile === null,
  );
  const capture = new ExchangeCapture((captured) => {
    const { request, broken } = listener.take(captured);
    if (request.kind === 'probe') return;
    live?.judged(request, broken);
    printAll(requestLines(request, broken, io.color));
  });
  const proxy = profile && (await openProxy(profile, capture, io));
  const server = await startServer({
    port,
    partners: DEMO_PARTNERS,
    interceptor: proxy ?? capture,
    refusesForeign: true,
  });
  ({ baseUrl } = server);
  try {
    printAll(greeting(baseUrl, partners, profile?.baseUrl ?? null));
    await untilAborted(interruption);
  } finally {
    await server.close(500);
    // Requests that the target has not answered yet are judged without an answer.
    for (const request of proxy?.takeUnanswered() ?? []) {
      capture.onExchange({ request, answer: null, finishedMs: null });
    }
    await proxy?.close();
  }
  return listener.result({
    target: {
      name: 'a client that was listened to',
      baseUrl: profile?.baseUrl ?? baseUrl,
      environment: profile?.environment ?? 'production',
    },
    startedAt,
    finishedAt: new Date().toISOString(),
  });
}
