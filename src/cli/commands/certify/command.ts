import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { ClientResult } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import {
  type ConformanceDocument,
  type LiveSubject,
  SCHEMA_VERSION,
} from '../../../report/index.ts';
import { readInteger } from '../../flags/numbers.ts';
import { repeatable } from '../../flags/repeatable.ts';
import { type Io, note } from '../../io.ts';
import { printDocument } from '../../output/deliver.ts';
import { exitCodeOfCertification } from '../../output/exit-codes.ts';
import { openLivePage } from '../../output/live-page.ts';
import { noteRunFolder, prepareRunFolder } from '../../output/run-folder.ts';
import { TOOL } from '../../tool.ts';
import type { CertifyLive } from './live.ts';

/** Flags of `fareproof certify`. */
interface CertifyFlags {
  readonly scenario: readonly string[];
  readonly proxy?: string;
  readonly port: string;
  readonly signKey?: string;
  readonly verify?: string;
  readonly publicKey?: string;
  readonly strict?: true;
  readonly seed?: string;
  readonly live?: true;
  readonly json?: true;
  readonly out?: string;
}

/** Defines `fareproof certify`: judges a partner's client by what it sends. */
export function defineCertify(program: Command, io: Io): void {
  program
    .command('certify')
    .description("judge a partner's client by what it sends")
    .argument('[command...]', 'the client, after --; without it, listen until interrupted')
    .addOption(repeatable('--scenario <name|file>', 'run only these', 'all'))
    .option('--port <n>', 'where to listen without a command; 0 is any free port', '8080')
    .option('--proxy <profile>', 'listen, hand on to this target, and judge what passes')
    .option('--sign-key <file>', 'Ed25519 private key, PEM, that signs the certificate')
    .option('--verify <file>', 'say whether a certificate was altered, and do nothing else')
    .option('--public-key <file>', 'with --verify: the public key of whoever issued it, PEM')
    .option('--strict', 'a warning makes the client fall short')
    .option('--seed <n>', 'for random texts (default: a new one each run)')
    .option('--live', 'show each request, judged as it comes, on a page on loopback')
    .option('--json', 'print the run document to stdout and nothing else')
    .option('--out <dir>', "where the run's files go (default: reports/certify-<time>/)")
    .addHelpText(
      'after',
      `
The command is run once in each scenario, with FAREPROOF_BASE_URL, FAREPROOF_PARTNER_ID,
FAREPROOF_SIGNING_KEY, FAREPROOF_AUTH_CODE, FAREPROOF_SCENARIO, FAREPROOF_MODE (platform or user),
FAREPROOF_ESTIMATES and FAREPROOF_INTERVAL_MS in its environment: it asks for that many estimates,
about that far apart, with tokens of that kind, and ends.

Example:
  $ fareproof certify -- python3 examples/python/client.py
  $ fareproof certify --scenario lost-answer -- php examples/php/client.php`,
    )
    .action((command: readonly string[], flags: CertifyFlags, { parent }: Command) => {
      const given: unknown = parent && 'rawArgs' in parent ? parent.rawArgs : [];
      const isCommandMeant = Array.isArray(given) && given.includes('--');
      return certify(command, flags, isCommandMeant, io);
    });
}

/** @param isCommandMeant whether `--` was given: without a command after it, that got lost */
async function certify(
  command: readonly string[],
  flags: CertifyFlags,
  isCommandMeant: boolean,
  io: Io,
): Promise<void> {
  if (flags.verify !== undefined) {
    const { verify } = await import('./verify.ts');
    return verify(flags.verify, flags.publicKey, flags.json ?? false, io);
  }
  refuseMismatch(command, flags, isCommandMeant);
  const privateKeyPem = await readSignKey(flags.signKey, io);
  const folder = await prepareRunFolder(io, 'certify', Date.now(), flags.out);
  const page = await openLivePage(flags, subjectOf(command, flags), io);
  try {
    const live = page && new (await import('./live.ts')).CertifyLive(page);
    const document = await judge(command, flags, { folder, privateKeyPem, live }, io);
    live?.end(document, folder);
  } finally {
    await page?.close();
  }
}

function subjectOf(command: readonly string[], { proxy }: CertifyFlags): LiveSubject {
  const isListening = command.length === 0;
  return {
    kind: 'certify',
    state: isListening ? 'Listening' : 'Running its scenarios',
    title: isListening ? 'Listening to a client' : `Certification of ${command.join(' ')}`,
    facts: proxy === undefined ? [] : [['Handed on to the target of', proxy]],
  };
}

/** Where a certification goes beside its result. */
interface Delivery {
  readonly folder: string;
  readonly privateKeyPem: string | null;
  readonly live: CertifyLive | null;
}

async function judge(
  command: readonly string[],
  flags: CertifyFlags,
  { folder, privateKeyPem, live }: Delivery,
  io: Io,
): Promise<ConformanceDocument> {
  const { result, outputs } =
    command.length > 0
      ? await runScenarios(command, flags, live, io)
      : { result: await listenTo(flags, live, io), outputs: {} };
  const { writeCertifiedRun } = await import('./files.ts');
  const document: ConformanceDocument = { schemaVersion: SCHEMA_VERSION, tool: TOOL, ...result };
  await writeCertifiedRun(folder, { document, outputs, privateKeyPem });
  await printDocument(document, flags, io);
  noteRunFolder(io, folder);
  io.exit(exitCodeOfCertification(result, flags));
  return document;
}

function refuseMismatch(
  command: readonly string[],
  flags: CertifyFlags,
  isCommandMeant: boolean,
): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError('CERTIFY_FLAGS', message);
  };
  if (isCommandMeant && (command[0] ?? '').trim() === '') {
    refuse(
      'there is no command after --; give that of your client (an empty variable?), or leave -- out to listen.',
    );
  }
  if (flags.publicKey !== undefined) refuse('--public-key goes with --verify.');
  if (flags.proxy !== undefined && command.length > 0) {
    refuse('--proxy listens: leave the command out, and start your client yourself.');
  }
  if (flags.scenario.length > 0 && command.length === 0) {
    refuse('--scenario needs the command of a client, after --.');
  }
}

async function readSignKey(path: string | undefined, io: Io): Promise<string | null> {
  if (path === undefined) return null;
  const { readTextFile } = await import('../../files/text.ts');
  const { issueCertificate } = await import('../../../conformance/index.ts');
  const pem = await readTextFile(path, io.cwd);
  // Before anything is run: a key that cannot be used would be known only at the end.
  issueCertificate({}, '', pem);
  return pem;
}

async function runScenarios(
  command: readonly string[],
  flags: CertifyFlags,
  live: CertifyLive | null,
  io: Io,
): Promise<{ result: ClientResult; outputs: Readonly<Record<string, string>> }> {
  const { certifyClient } = await import('../../../conformance/index.ts');
  const { startServer } = await import('../../../server/index.ts');
  const { readScenarios } = await import('./scenarios.ts');
  const { processRunner } = await import('./process.ts');
  const scenarios = await readScenarios(flags.scenario, io);
  const runClient = processRunner(command, io);
  live?.expect(scenarios.map(({ name }) => name));
  return certifyClient({
    name: command.join(' '),
    scenarios,
    startReference: (options) => startServer(options),
    runClient: live?.watched(runClient) ?? runClient,
    seed: readInteger(flags.seed, '--seed', { min: 0 }) ?? randomInt(2 ** 31),
    now: Date.now,
    concurrency: 2 + availableParallelism(),
    onScenario: ({ name, verdict, durationMs }) =>
      note(io, `${name}: ${verdict} (${(durationMs / 1000).toFixed(1)} s)`),
    onExchange: live === null ? undefined : (one, running) => live.take(one, running),
    signal: io.interruption(),
  });
}

async function listenTo(
  flags: CertifyFlags,
  live: CertifyLive | null,
  io: Io,
): Promise<ClientResult> {
  const { listen } = await import('./listen.ts');
  const port = readInteger(flags.port, '--port', { min: 0, max: 65_535 });
  return listen({ port, proxy: flags.proxy, quiet: flags.json ?? false, live }, io);
}
