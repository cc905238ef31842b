import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { processRunner } from '../../../app/certify/client-process.ts';
import { CertifyLive } from '../../../app/certify/live.ts';
import { readScenarios } from '../../../app/certify/scenarios.ts';
import { prepareRunFolder } from '../../../app/files/run-folder.ts';
import { readTextFile } from '../../../app/files/text.ts';
import {
  type Certification,
  certifyClient,
  issueCertificate,
  ListeningThread,
  StallWatch,
} from '../../../conformance/index.ts';
import type { LiveSubject } from '../../../report/index.ts';
import { startServer } from '../../../server/index.ts';
import { readInteger } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { openLivePage } from '../../output/live-page.ts';
import { deliver } from './deliver.ts';
import type { CertifyFlags } from './flags.ts';
import { listen, type Watchers } from './listen.ts';

/**
 * Judges a client and delivers the result; without a command it listens.
 *
 * @throws ConfigurationError for files and flags that cannot be used
 */
export async function certify(
  command: readonly string[],
  flags: CertifyFlags,
  io: Io,
): Promise<void> {
  const signKey = await readSignKey(flags.signKey, io);
  const folder = await prepareRunFolder(io, 'certify', Date.now(), flags.out);
  const page = await openLivePage(flags, subjectOf(command, flags), io);
  const stalls = new StallWatch(Date.now);
  const thread = new ListeningThread();
  stalls.start();
  try {
    const live = page && new CertifyLive(page, flags.orders ?? null, thread);
    const certification =
      command.length > 0
        ? await runScenarios(command, flags, { live, stalls }, io)
        : {
            result: await listen(flags, { live, thread, delayAt: stalls.delayAt }, io),
            outputs: {},
          };
    const document = await deliver(folder, certification, { ...flags, command, signKey }, io);
    await live?.end(document, folder);
  } finally {
    stalls.stop();
    await thread.close();
    await page?.close();
  }
}

/** Reads the key that signs the certificate, and refuses an unusable one before anything is run. */
async function readSignKey(path: string | undefined, io: Io): Promise<string | null> {
  if (path === undefined) return null;
  const pem = await readTextFile(path, io.cwd);
  issueCertificate({}, '', pem);
  return pem;
}

function subjectOf(command: readonly string[], { proxy }: CertifyFlags): LiveSubject {
  const isListening = command.length === 0;
  return {
    kind: 'certify',
    state: isListening ? 'Listening' : 'Running its scenarios',
    title: isListening ? 'Listening to a client' : `Certification of ${command.join(' ')}`,
    facts: proxy === undefined ? [] : [['Forwarded to the target of', proxy]],
  };
}

/** Runs a client's command in each scenario, and reports each that has ended on stderr. */
async function runScenarios(
  command: readonly string[],
  flags: CertifyFlags,
  { live, stalls }: Pick<Watchers, 'live'> & { readonly stalls: StallWatch },
  io: Io,
): Promise<Certification> {
  const scenarios = await readScenarios(flags.scenario, io);
  const runClient = processRunner(command, io);
  live?.expect(scenarios.map(({ name }) => name));
  return certifyClient({
    name: command.join(' '),
    scenarios,
    orders: flags.orders ?? null,
    startReference: (options) => startServer(options),
    runClient: live?.watched(runClient) ?? runClient,
    seed: readInteger(flags.seed, 'seed', { min: 0 }) ?? randomInt(2 ** 31),
    now: Date.now,
    stalls,
    // A client mostly waits between two estimates.
    concurrency: 2 + availableParallelism(),
    onScenario: ({ name, verdict, durationMs }) =>
      io.note(`${name}: ${verdict} (${(durationMs / 1000).toFixed(1)} s)`),
    onExchange: live === null ? undefined : (captured, running) => live.take(captured, running),
    signal: io.interruption(),
  });
}
