import { signatureExplainer } from '../../../app/serve/signature-explainer.ts';
import { untilAborted } from '../../../app/surroundings.ts';
import { checkPairs } from '../../../conformance/client/signature/check-signature.ts';
import { isLoopbackHost } from '../../../interface/loopback.ts';
import type { LivePage, LiveSubject } from '../../../report/index.ts';
import {
  type MetricsEndpoint,
  preferShortPauses,
  type RunningServer,
  type ServerMetrics,
  type ServerOptions,
  startServer,
  TrafficMonitor,
} from '../../../server/index.ts';
import type { Io } from '../../io.ts';
import type { MetricsFlags } from '../../metrics/flags.ts';
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
  preferShortPauses();
  const settings = await readServeSettings(flags, io);
  const { partners, tls, controlToken } = settings;
  if (partners || tls) await io.secrets.addProfile({ partners, tls });
  await io.secrets.add('control_token', controlToken);
  if (!isLoopbackHost(flags.host)) {
    io.note(`warning: ${flags.host} is not loopback; anyone who can reach it can use this server.`);
  }
  const interruption = AbortSignal.any([io.interruption(), readerLost(io)]);
  const traffic = flags.live ? new TrafficMonitor(() => performance.now()) : undefined;
  const accessLog = accessLogOf(flags, io);
  const server = await startServer({
    ...settings,
    accessLog,
    interceptor: traffic,
    explainSignature: signatureExplainer(checkPairs, () => performance.now()),
  });
  for (const id of settings.faults ?? []) {
    const [rule, form] = id.split('#');
    const how = form === undefined ? '' : ` (${id})`;
    io.note(`warning: the rule ${rule} is broken on purpose${how}.`);
  }
  if (server.singleBecause !== null) io.note(oneWorkerWords(server.singleBecause));
  let page: LivePage | null = null;
  let metrics: MetricsEndpoint | null = null;
  try {
    if (server.metrics !== null) metrics = await openMetrics(flags, server.metrics, io);
    const opened = await openLivePage(flags, subjectOf(server, flags), io);
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

/** Flags of the options that need one worker; the others are gaps. */
const FLAG_OF_OPTION: Readonly<Record<string, string>> = {
  interceptor: '--live',
  faults: '--fault',
};

function oneWorkerWords(option: string): string {
  const what = FLAG_OF_OPTION[option] ?? `the gap ${option}`;
  return `warning: one worker, not as many as --workers says: ${what} is not shared between processes.`;
}

async function openMetrics(
  flags: MetricsFlags,
  read: () => Promise<ServerMetrics>,
  io: Io,
): Promise<MetricsEndpoint | null> {
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

function subjectOf({ baseUrl, environment }: RunningServer, { fault }: ServeFlags): LiveSubject {
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
