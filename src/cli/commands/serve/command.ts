import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { LivePage, LiveSubject } from '../../../report/index.ts';
import type { RunningServer, TrafficMonitor } from '../../../server/index.ts';
import { repeatable } from '../../flags/repeatable.ts';
import { type Io, note, print, untilAborted } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { openLivePage } from '../../output/live-page.ts';
import type { ServeFlags } from './settings.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Defines `fareproof serve`: the reference server. */
export function defineServe(program: Command, io: Io): void {
  program
    .command('serve')
    .description('run the reference server')
    .option('--port <n>', 'where it listens; 0 is any free port', '8080')
    .option('--host <address>', 'the address it listens on', '127.0.0.1')
    .option('--control-port <n>', 'the control API (default: off); 0 is any free port')
    .addOption(
      new Option('--environment <name>', 'in test, the timestamp _ is not checked')
        .choices(['production', 'test'])
        .default('production'),
    )
    .option('--partners <file>', 'partners as in a profile (default: four for a demo)')
    .option('--behaviour <file>', 'answers to the gaps of the interface')
    .option('--expires-in <seconds>', 'validity of an access_token (default: 7200)')
    .option('--cert <file>', 'TLS certificate, PEM')
    .option('--key <file>', 'its private key, PEM')
    .option('--access-log', 'write a line to stderr for each request')
    .addOption(repeatable('--fault <rule>', 'break that one rule', 'none'))
    .option('--list-faults', 'print what --fault can break, and end')
    .option('--seed <n>', 'shapes the dynamic pricing of the day (default: 1)')
    .option('--no-fast-path', 'answer every request by way of node:http')
    .option('--write-profile <file>', 'write a profile with which check and load find this server')
    .option('--live', 'show each request on a page on loopback; all go by node:http then')
    .option('--json', 'print one line of JSON once it listens, and nothing after it')
    .addHelpText(
      'after',
      `
With FAREPROOF_CONTROL_TOKEN set, the control API asks for it and listens on --host too; without
it, the API is open, on loopback only.

Example:
  $ fareproof serve --control-port 9100 --write-profile server.yaml`,
    )
    .action((flags: ServeFlags) => (flags.listFaults ? listFaults(flags, io) : serve(flags, io)));
}

async function listFaults({ json }: ServeFlags, io: Io): Promise<void> {
  const { FAULTS } = await import('../../../server/index.ts');
  if (json) return print(io, JSON.stringify(FAULTS, null, 2));
  const width = Math.max(...FAULTS.map(({ id }) => id.length));
  for (const { id, how } of FAULTS) print(io, `${id.padEnd(width)}  ${how}`);
}

async function serve(flags: ServeFlags, io: Io): Promise<void> {
  const { preferShortPauses } = await import('./short-pauses.ts');
  preferShortPauses();
  const { readServeSettings } = await import('./settings.ts');
  const { startServer } = await import('../../../server/index.ts');
  const { describeServer, greet } = await import('./greeting.ts');
  const settings = await readServeSettings(flags, io);
  if (!LOOPBACK.test(flags.host)) {
    note(io, `warning: ${flags.host} is not loopback; whoever reaches it can use this server.`);
  }
  for (const id of settings.faults ?? []) note(io, `warning: the rule ${id} is broken on purpose.`);
  const interruption = io.interruption();
  const traffic = await trafficOf(flags);
  const interceptor = traffic ?? undefined;
  const server = await startServer({ ...settings, accessLog: accessLogOf(flags, io), interceptor });
  let page: LivePage | null = null;
  try {
    page = await openLivePage(flags, subjectOf(server, flags), io);
    const live = page;
    if (live !== null) traffic?.start((event) => live.publish(event), server.partners);
    if (flags.writeProfile) await writeProfile(flags.writeProfile, server, flags, io);
    print(io, flags.json ? describeServer(server) : greet(server, flags.cert));
    await untilAborted(interruption);
    note(io, 'Stopping: requests in flight end.');
  } finally {
    traffic?.stop();
    await Promise.all([page?.close(), server.close()]);
  }
  io.exit(EXIT.passed);
}

async function trafficOf({ live }: ServeFlags): Promise<TrafficMonitor | null> {
  if (!live) return null;
  const { TrafficMonitor: Monitor } = await import('../../../server/index.ts');
  return new Monitor(() => performance.now());
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

type AccessLog = NonNullable<NonNullable<Parameters<StartServer>[0]>['accessLog']>;
type StartServer = typeof import('../../../server/index.ts').startServer;

function accessLogOf({ accessLog }: ServeFlags, io: Io): AccessLog | undefined {
  if (!accessLog) return undefined;
  return ({ at, remoteAddress, method, path, status, durationMs }) =>
    note(io, `${at} ${remoteAddress} ${method} ${path} ${status} ${durationMs}ms`);
}

/** Signing keys stand in it: nobody but its owner may read it. */
async function writeProfile(
  path: string,
  server: RunningServer,
  { cert }: ServeFlags,
  io: Io,
): Promise<void> {
  const { describeProfile } = await import('../../../server/index.ts');
  const { stringify } = await import('yaml');
  const profile = describeProfile(server);
  if (profile.control?.token !== undefined) profile.control.token = '${FAREPROOF_CONTROL_TOKEN}';
  if (cert !== undefined) profile.ca = resolve(io.cwd, cert);
  const text = `# The reference server of "fareproof serve"; written at its start, good while it runs.\n${stringify(profile)}`;
  try {
    await writeFile(resolve(io.cwd, path), text, { mode: 0o600 });
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ConfigurationError(
      'PROFILE_NOT_WRITTEN',
      `--write-profile: ${path} cannot be written (${why}); choose another place.`,
      { cause: error },
    );
  }
}
