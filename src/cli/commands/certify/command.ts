import { type Command, Option } from 'commander';
import { repeatable } from '../../flags/repeatable.ts';
import type { Io } from '../../io.ts';
import { type CertifyFlags, checkFlags } from './flags.ts';

/** Defines `fareproof certify`: judges a partner's client by the requests that it sends. */
export function defineCertify(program: Command, io: Io): void {
  program
    .command('certify')
    .description("judge a partner's client by the requests that it sends")
    .argument('[command...]', 'the client, after --; without it, listen until interrupted')
    .addOption(repeatable('--scenario <name|glob|file>', 'run only these', 'all'))
    .option('--list', 'list the scenarios with their descriptions, and exit')
    .addOption(
      new Option(
        '--orders <yes|no>',
        'whether the client orders rides for users who have no contact with the service; certificates need it',
      ).choices(['yes', 'no']),
    )
    .option('--port <n>', 'port to listen on without a command; 0 is any free one', '8080')
    .option('--proxy <profile>', 'listen, forward requests to this target, and judge them')
    .option('--client-name <name>', 'name of the client, for the certificate')
    .option('--client-version <version>', 'version of the client, for the certificate')
    .option('--partner <name>', 'partner that the client belongs to, for the certificate')
    .option('--sign-key <file>', 'Ed25519 private key, PEM, that signs the certificate')
    .option(
      '--verify <file>',
      'check a certificate, and nothing else: exit code 0 only if it is valid',
    )
    .option('--public-key <file>', 'with --verify: the public key of its issuer, PEM')
    .option('--strict', 'fail on a warning')
    .option('--seed <n>', 'seed of random texts (default: a new one each run)')
    .option('--live', 'show each request as it is judged, on a page on loopback')
    .option('--json', 'print the run document to stdout and nothing else')
    .option('--out <dir>', "folder for the run's files (default: reports/certify-<time>/)")
    .addHelpText(
      'after',
      `
The command is run once in each scenario, with FAREPROOF_BASE_URL, FAREPROOF_PARTNER_ID,
FAREPROOF_SIGNING_KEY, FAREPROOF_AUTH_CODE, FAREPROOF_SCENARIO, FAREPROOF_MODE (platform or user),
FAREPROOF_ESTIMATES and FAREPROOF_INTERVAL_MS in its environment: it requests that many estimates,
at that interval, with tokens of that kind, and ends.

Example:
  $ fareproof certify --orders yes -- python3 examples/python/client.py
  $ fareproof certify --scenario lost-answer -- php examples/php/client.php`,
    )
    .action(async (command: readonly string[], flags: CertifyFlags, { parent }: Command) => {
      if (flags.verify !== undefined) {
        const { verify } = await import('./verify.ts');
        return verify({ ...flags, certificate: flags.verify }, io);
      }
      if (flags.list) {
        const { listScenarios } = await import('./scenarios.ts');
        return listScenarios(flags, io);
      }
      const rawArgs: unknown = parent && 'rawArgs' in parent ? parent.rawArgs : [];
      checkFlags(command, flags, Array.isArray(rawArgs) && rawArgs.includes('--'));
      const { certify } = await import('./certify.ts');
      return certify(command, flags, io);
    });
}
