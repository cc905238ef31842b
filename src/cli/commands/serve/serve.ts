import { openServer } from '../../../app/serve/open-server.ts';
import { untilAborted } from '../../../app/surroundings.ts';
import { isLoopbackHost } from '../../../interface/loopback.ts';
import type { LivePage, LiveSubject } from '../../../report/index.ts';
import type { MetricsEndpoint, RunningServer, ServerOptions } from '../../../server/index.ts';
import type { Io } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { openLivePage } from '../../output/live-page.ts';
import { describeServer, greet } from './greeting.ts';
import { readServeSettings, type ServeFlags } from './settings.ts';

/**
 * Runs the reference server until interrupted.
 *
 * @throws ConfigurationError for flags and files that cannot be used, as {@link readServeSettings}
 */
export async function serve(flags: ServeFlags, io: Io): Promise<void> {
  const settings = { ...(await readServeSettings(flags, io)), accessLog: accessLogOf(flags, io) };
  const interruption = AbortSignal.any([io.interruption(), readerLost(io)]);
  const { server, traffic } = await openServer(settings, flags.live === true, io);
  for (const warning of serveWarnings(flags, server)) io.note(warning);
  let page: LivePage | null = null;
  let metrics: MetricsEndpoint | null = null;
  try {
    metrics = await openMetrics(flags, server, io);
    const opened = await openLivePage(flags, liveSubject(server, flags), io);
    page = opened;
    traffic?.start((event) => opened?.publish(event), server.partners);
    if (flags.writeProfile) {
      const { saveProfile } = await import('../../../app/serve/save-profile.ts');
      await saveProfile(flags.writeProfile, server, flags.cert, io);
    }
    const isTokenChosen = settings.controlToken !== undefined;
    const words = flags.json
      ? describeServer(server, metrics?.url, flags.partners)
      : greet(server, flags, isTokenChosen);
    // Not by print: it shows the demo partner and the token of the control API on purpose.
    io.stdout.write(`${words}\n`);
    await untilAborted(interruption);
    io.note('Stopping once the requests in flight are answered.');
  } finally {
    // Before the page closes, since it publishes the rest.
    traffic?.stop();
    await Promise.all([page?.close(), metrics?.close(), server.close()]);
  }
  io.exit(EXIT.passed);
}

/** Aborts once stdout or stderr has no reader left: what started this server is gone. */
function readerLost({ stdout, stderr }: Io): AbortSignal {
  const lost = new AbortController();
  for (const stream of [stdout, stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') lost.abort();
    });
  return lost.signal;
}

async function openMetrics(
  flags: ServeFlags,
  { metrics: read }: RunningServer,
  io: Io,
): Promise<MetricsEndpoint | null> {
  if (read === null) return null;
  const { openMetrics: open } = await import('../../metrics/prometheus.ts');
  const { serverMetrics } = await import('../../metrics/server-metrics.ts');
  return open(flags, async () => serverMetrics(await read()), io);
}

function accessLogOf({ accessLog }: ServeFlags, io: Io): ServerOptions['accessLog'] {
  if (!accessLog) return undefined;
  return ({ at, remoteAddress, method, path, status, durationMs, rule }) => {
    const refusedBy = rule === undefined ? '' : ` ${rule}`;
    io.note(`${at} ${remoteAddress} ${method} ${path} ${status} ${durationMs}ms${refusedBy}`);
  };
}

/** The server, as the page of `--live` describes it. */
function liveSubject({ baseUrl, environment }: RunningServer, { fault }: ServeFlags): LiveSubject {
  return {
    kind: 'serve',
    title: 'The reference server',
    state: 'Serving',
    facts: [
      ['Listens on', baseUrl],
      ['Environment', environment],
      ...(fault.length === 0 ? [] : ([['Broken on purpose', fault.join(', ')]] as const)),
    ],
  };
}

/** Warnings of a server that listens: who reaches it, what is broken, what it does not do. */
function serveWarnings({ host, fault }: ServeFlags, server: RunningServer): string[] {
  return [
    ...(isLoopbackHost(host)
      ? []
      : [`${host} is not loopback; anyone who can reach it can use this server.`]),
    ...fault.map((id) => {
      const [rule, form] = id.split('#');
      return `the rule ${rule} is broken on purpose${form === undefined ? '' : ` (${id})`}.`;
    }),
    ...(server.singleBecause === null ? [] : [oneWorker(server.singleBecause)]),
  ].map((words) => `warning: ${words}`);
}

/** Flags of the options that need one worker; the others are gaps. */
const FLAG_OF_OPTION: Readonly<Record<string, string>> = {
  interceptor: '--live',
  faults: '--fault',
};

function oneWorker(option: string): string {
  const what = FLAG_OF_OPTION[option] ?? `the gap ${option}`;
  return `one worker, not as many as --workers says: ${what} is not shared between processes.`;
}
