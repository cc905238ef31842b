import { type Command, Option } from 'commander';
import { ORDERS } from '../../../app/option-values.ts';
import { LEDGER_FLAG, RESTARTED_FLAG } from '../../flags/ledger.ts';
import { repeatable } from '../../flags/repeatable.ts';
import type { Io } from '../../io.ts';
import { type CertifyFlags, checkFlags } from './flags.ts';

/** Defines `fareproof certify`: judges a partner's client by the requests that it sends. */
export function defineCertify(command: Command, io: Io): void {
  command
    .argument('[command...]', 'the client, after --; without it, listen until interrupted')
    .optionsGroup('What is judged:')
    .addOption(repeatable('--scenario <name|glob|file>', 'run only these', 'all'))
    .option('--list', 'list the scenarios with their descriptions, and exit')
    .addOption(
      new Option(
        '--orders <yes|no>',
        'whether the client orders rides for users who have no contact with the service; required for a certificate',
      ).choices(ORDERS.choices),
    )
    .option('--port <n>', 'port to listen on without a command; 0 picks a free one', '8080')
    .option('--proxy <profile>', 'listen, judge requests, and forward them to this target')
    .option(...LEDGER_FLAG)
    .option(...RESTARTED_FLAG)
    .option('--seed <n>', 'seed of random texts (default: a new one each run)')
    .optionsGroup('Certificate:')
    .option('--client-name <name>', 'name of the client, for the certificate')
    .option('--client-version <version>', 'version of the client, for the certificate')
    .option('--partner <name>', 'partner that the client belongs to, for the certificate')
    .option('--sign-key <file>', 'Ed25519 private key, PEM, that signs the certificate')
    .option(
      '--verify <file>',
      'check a certificate and do nothing else; exit code 0 only if it is valid',
    )
    .option('--public-key <file>', 'with --verify: public key of the issuer, PEM')
    .optionsGroup('Output and exit code:')
    .option('--strict', 'fail on warnings')
    .option('--live', 'show each request as it is judged, on a page on loopback')
    .option('--json', 'print the run document to stdout and nothing else')
    .option('--out <dir>', "folder for the run's files (default: reports/certify-<time>/)")
    .addHelpText(
      'after',
      `
The command is run once in each scenario. These variables tell it what to do:
  FAREPROOF_BASE_URL     address of the server to call
  FAREPROOF_PARTNER_ID   partner id
  FAREPROOF_SIGNING_KEY  signing key of the partner
  FAREPROOF_AUTH_CODE    auth code for a user token
  FAREPROOF_MODE         kind of token to use: platform or user
  FAREPROOF_ESTIMATES    number of estimates to request before it exits
  FAREPROOF_INTERVAL_MS  pause between two estimates, ms
  FAREPROOF_SCENARIO     id of the run; with --scenario, name of the scenario
Where they are set, to be used in the estimates:
  FAREPROOF_FROM_NAME, FAREPROOF_TO_NAME, FAREPROOF_IMEI
                         texts to send as from_name, to_name and imei

Examples:
  $ fareproof certify --orders yes -- python3 my-client.py
  $ fareproof certify --scenario lost-answer -- php my-client.php`,
    )
    .action(async (client: readonly string[], flags: CertifyFlags) => {
      if (flags.verify !== undefined) {
        const { verify } = await import('./verify.ts');
        return verify({ ...flags, certificate: flags.verify }, io);
      }
      if (flags.list) {
        const { listScenarios } = await import('./list.ts');
        return listScenarios(flags, io);
      }
      const { parent } = command;
      const rawArgs: unknown = parent && 'rawArgs' in parent ? parent.rawArgs : [];
      checkFlags(client, flags, Array.isArray(rawArgs) && rawArgs.includes('--'));
      const { certify } = await import('./certify.ts');
      return certify(client, flags, io);
    });
}
