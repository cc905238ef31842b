import type { CertifyLive } from '../../../app/certify/live.ts';
import { readProfile } from '../../../app/files/profile.ts';
import { untilAborted } from '../../../app/surroundings.ts';
import {
  ALL_FIELDS,
  type BrokenRule,
  type ClientResult,
  type DelayAt,
  ExchangeCapture,
  type JudgedRequest,
  type ListeningThread,
  type RemoteListener,
} from '../../../conformance/index.ts';
import { readCertificates } from '../../../files/certificates.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { ProfilePartner, TargetProfile } from '../../../interface/index.ts';
import { cutText, escapeTerminalLine } from '../../../report/index.ts';
import { DEMO_PARTNERS, Forwarder, type Interceptor, startServer } from '../../../server/index.ts';
import { readInteger } from '../../flags/numbers.ts';
import { type Io, print } from '../../io.ts';
import type { CertifyFlags } from './flags.ts';

const GREEN = 32;
const RED = 31;
const MAX_CHARACTERS = 600;

/** Page and counters that follow a certification while it runs. */
export interface Watchers {
  readonly live: CertifyLive | null;
  readonly thread: ListeningThread;
  readonly delayAt: DelayAt;
}

/**
 * Listens to a client until interrupted, on the embedded server or as a proxy, and prints each
 * request as it is judged; with `--json` on stderr.
 */
export async function listen(
  flags: Pick<CertifyFlags, 'port' | 'proxy' | 'json' | 'orders'>,
  { live, thread, delayAt }: Watchers,
  io: Io,
): Promise<ClientResult> {
  const port = readInteger(flags.port, 'port', { min: 0, max: 65_535 });
  const profile = flags.proxy === undefined ? null : await readProfile(flags.proxy, io);
  const partners = profile?.partners ?? DEMO_PARTNERS;
  const interruption = io.interruption();
  const startedAt = new Date().toISOString();
  const printAll = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (flags.json) io.note(line);
      else print(io, line);
    }
  };
  const signedFields = profile && {
    token: profile.signature.tokenFields,
    estimate: profile.signature.estimateFields,
  };
  let listener: RemoteListener | null = null;
  const show = ({ request, broken }: JudgedRequest): void => {
    if (request.kind === 'probe') return;
    live?.judged(request, broken);
    printAll(requestLines(request, broken, io.color));
  };
  const capture = new ExchangeCapture((captured) => {
    // A failure of the thread shows when the result is asked for.
    listener?.take(captured).then(show, () => undefined);
  }, delayAt);
  const proxy = profile && openProxy(profile, capture);
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
    orders: flags.orders ?? null,
    complete: profile === null,
  });
  try {
    printAll(greeting(baseUrl, partners, profile?.baseUrl ?? null));
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
    finishedAt: new Date().toISOString(),
  });
}

/**
 * Opens the proxy of `certify --proxy` to a profile's target.
 *
 * @throws ConfigurationError `PROXY_EMBEDDED` for a profile without an address
 */
function openProxy(profile: TargetProfile, observer: Interceptor): Forwarder {
  const { baseUrl, headers } = profile;
  if (baseUrl === 'embedded') {
    throw new ConfigurationError(
      'PROXY_EMBEDDED',
      '--proxy: the profile names no address; leave --proxy out to listen on the embedded server.',
    );
  }
  return new Forwarder({ baseUrl, headers, ...readCertificates(profile) }, observer);
}

/**
 * Instructions for the client that is listened to.
 *
 * @param target address that requests are forwarded to; null for the embedded server
 */
function greeting(
  baseUrl: string,
  partners: readonly ProfilePartner[],
  target: string | null,
): string[] {
  const instructions =
    target === null
      ? ['Configure your client with:', ...environment(baseUrl, partners)]
      : [
          `Point your client at ${baseUrl} in place of ${target}.`,
          `Signatures are checked with the keys of ${partners.map(({ id }) => id).join(', ')}.`,
        ];
  return [
    ...instructions,
    'Each request is judged as it arrives; Ctrl-C ends and writes the report.',
    '',
  ];
}

function environment(baseUrl: string, [partner]: readonly ProfilePartner[]): string[] {
  if (partner === undefined) return [];
  const [code, ...others] = partner.authCodes;
  return [
    `  FAREPROOF_BASE_URL=${baseUrl}`,
    `  FAREPROOF_PARTNER_ID=${partner.id}`,
    `  FAREPROOF_SIGNING_KEY=${partner.signingKey}`,
    `  FAREPROOF_AUTH_CODE=${code}   (good once; more: ${others.slice(0, 3).join(' ')})`,
  ];
}

/** A request, and the rules that it broke, as lines for the terminal. */
function requestLines(
  { receivedMs, id, method, path, answer }: JudgedRequest['request'],
  broken: readonly BrokenRule[],
  isColored: boolean,
): string[] {
  const paint = (color: number, text: string): string =>
    isColored ? `\u001b[${color}m${text}\u001b[0m` : text;
  const time = new Date(receivedMs).toISOString().slice(11, 23);
  const verdict = broken.length === 0 ? paint(GREEN, 'ok') : '';
  return [
    `${time} ${id} ${method} ${printable(path)} ${answer.status ?? '-'} ${verdict}`,
    ...broken.flatMap(({ rule, level, expected, got }) => [
      `  ${paint(RED, level === 'must' ? 'FAIL' : 'WARN')} ${rule}: ${printable(got)}`,
      `       expected: ${printable(expected)}`,
    ]),
  ];
}

/** A text of the client, escaped and cut for a terminal. */
function printable(text: string): string {
  return escapeTerminalLine(cutText(text, MAX_CHARACTERS));
}
