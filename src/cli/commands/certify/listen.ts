import type { CapturedExchange, ClientResult } from '../../../conformance/index.ts';
import { FaultInjector, Listener } from '../../../conformance/index.ts';
import type { TargetProfile } from '../../../interface/index.ts';
import { cutText, escapeTerminalLine } from '../../../report/index.ts';
import { type RunningServer, startServer } from '../../../server/index.ts';
import { readProfileFile } from '../../files/profile.ts';
import { type Io, note, print, untilAborted } from '../../io.ts';
import type { CertifyLive } from './live.ts';
import { openProxy } from './proxy.ts';

/** Where a certification listens. */
export interface ListenFlags {
  readonly port: number;
  /** Path of a profile whose target stands behind. */
  readonly proxy: string | undefined;
  /** Whether stdout is kept for the run document. */
  readonly quiet: boolean;
  /** Told of each request too; null without a live page. */
  readonly live: CertifyLive | null;
}

/** Listens to a client until interrupted, and shows each request judged as it comes. */
export async function listen(flags: ListenFlags, io: Io): Promise<ClientResult> {
  const profile = flags.proxy === undefined ? null : await readProfileFile(flags.proxy, io);
  const interruption = io.interruption();
  const startedAt = new Date().toISOString();
  const say = (line: string): void => (flags.quiet ? note(io, line) : print(io, line));
  const { server, listener, close } = await open(profile, flags, io, say);
  try {
    for (const line of greeting(server, profile)) say(line);
    await untilAborted(interruption);
  } finally {
    await close();
  }
  return listener().result({
    target: {
      name: 'a client that was listened to',
      baseUrl: profile?.baseUrl ?? server.baseUrl,
      environment: profile?.environment ?? 'production',
    },
    startedAt,
    finishedAt: new Date().toISOString(),
  });
}

async function open(
  profile: TargetProfile | null,
  { port, live }: ListenFlags,
  io: Io,
  say: (line: string) => void,
): Promise<{ server: RunningServer; listener: () => Listener; close: () => Promise<void> }> {
  let listener: Listener | null = null;
  const take = (captured: CapturedExchange): void => {
    if (listener === null) return;
    const { request, broken } = listener.take(captured);
    if (request.kind === 'probe') return;
    live?.judged(request, broken);
    const { method, path, answer } = request;
    const time = new Date(request.receivedMs).toISOString().slice(11, 23);
    const verdict = broken.length === 0 ? (io.color ? '\u001b[32mok\u001b[0m' : 'ok') : '';
    say(`${time} ${request.id} ${method} ${shown(path)} ${answer.status ?? '-'} ${verdict}`);
    for (const { rule, level, expected, got } of broken) {
      const word = level === 'must' ? 'FAIL' : 'WARN';
      say(`  ${io.color ? `\u001b[31m${word}\u001b[0m` : word} ${rule}: ${shown(got)}`);
      say(`       expected: ${shown(expected)}`);
    }
  };
  const injector = new FaultInjector({ script: null, onExchange: take });
  const proxy = profile === null ? null : await openProxy(profile, injector, io);
  const server = await startServer({ port, interceptor: proxy ?? injector });
  listener = new Listener(
    {
      baseUrlOf: () => server.baseUrl,
      partners: profile?.partners ?? server.partners,
      signedFields: {
        token: profile?.signature.tokenFields ?? 'all',
        estimate: profile?.signature.estimateFields ?? 'all',
      },
    },
    profile === null,
  );
  const opened = listener;
  return {
    server,
    listener: () => opened,
    close: async () => {
      await server.close(500);
      // Requests that the target has not answered yet are judged without an answer.
      for (const request of proxy?.takeUnanswered() ?? []) {
        take({
          scenario: null,
          sender: 'client',
          request,
          answer: null,
          finishedMs: null,
          stimuli: [],
        });
      }
      await proxy?.close();
    },
  };
}

function greeting(server: RunningServer, profile: TargetProfile | null): string[] {
  const [partner] = profile?.partners ?? server.partners;
  const lines =
    profile === null
      ? [
          'Configure your client with:',
          `  FAREPROOF_BASE_URL=${server.baseUrl}`,
          `  FAREPROOF_PARTNER_ID=${partner?.id ?? ''}`,
          `  FAREPROOF_SIGNING_KEY=${partner?.signingKey ?? ''}`,
          `  FAREPROOF_AUTH_CODE=${partner?.authCodes[0] ?? ''}   (good once; more: ${partner?.authCodes.slice(1, 4).join(' ') ?? ''})`,
        ]
      : [
          `Point your client at ${server.baseUrl} in place of ${profile.baseUrl}.`,
          `Signatures are checked with the keys of ${profile.partners.map(({ id }) => id).join(', ')}.`,
        ];
  return [...lines, 'Each request is judged as it comes; Ctrl-C ends and writes the report.', ''];
}

/** A text of the client's, escaped and cut to fit a terminal. */
function shown(text: string): string {
  return escapeTerminalLine(cutText(text, 600));
}
