import type { Command } from 'commander';
import type { WrittenStart } from '../../../app/init/write-start.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { LEDGER_FLAG } from '../../flags/ledger.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { withAnswers } from './ask.ts';

interface InitFlags {
  dir: string;
  from?: string;
  ledger?: string;
  force?: true;
}

/** Defines `fareproof init`: writes a target profile and a suite to start from. */
export function defineInit(command: Command, io: Io): void {
  command
    .option('--dir <dir>', 'folder for target.yaml and suite.yaml', '.')
    .option('--from <url>', 'write the profile of the service at this address')
    .option(...LEDGER_FLAG)
    .option('--force', 'overwrite existing files')
    .addHelpText(
      'after',
      `
With --from, partner and key come from FAREPROOF_PARTNER_ID and FAREPROOF_SIGNING_KEY, and optionally
FAREPROOF_AUTH_CODE and FAREPROOF_ACCESS_TOKEN; on a terminal, partner, key and auth code are asked for. One
token request, which the ledger records, shows which shapes of an estimate the service answers. The profile
contains no secret: it refers to the environment.

Examples:
  $ fareproof init --dir fareproof
  $ fareproof init --from https://staging.example.com/api --dir fareproof`,
    )
    .action((flags: InitFlags) => init(flags, io));
}

async function init({ dir, from, ledger, force }: InitFlags, io: Io): Promise<void> {
  const { writeStart } = await import('../../../app/init/write-start.ts');
  if (ledger !== undefined && from === undefined) {
    throw new ConfigurationError(
      'INIT_FLAGS',
      '--ledger is about the service of --from; add it, or remove --ledger.',
    );
  }
  const read = async (address: string) => {
    const env = await withAnswers(QUESTIONS, io);
    // Loads the checker, which a profile to fill in does without.
    const { readService } = await import('../../../app/init/read-service.ts');
    return readService(address, ledger, { ...io, env });
  };
  const { target, suite, ...written } = await writeStart(
    { dir, force: force ?? false },
    from === undefined ? undefined : () => read(from),
    io,
  );
  const { service, variables, partnerId } = written;
  print(
    io,
    [
      `wrote ${target}`,
      `wrote ${suite}`,
      '',
      ...(service?.words ?? []),
      service === null ? 'Enter your base URL and a partner, then:' : 'Continue with:',
      '',
      ...exportLines(variables, partnerId, io),
      `  fareproof check --target ${target} --suite ${suite} --plan`,
      `  fareproof check --target ${target} --suite ${suite}`,
    ].join('\n'),
  );
  io.exit(service?.isServed === false ? EXIT.inconclusive : EXIT.passed);
}

/** Commands for the variables of a profile that the environment lacks, so that the next command finds them. */
function exportLines(
  { key, code, token }: WrittenStart['variables'],
  partnerId: string,
  { env }: Io,
): string[] {
  const needed = [
    [key, `the signing key of partner ${partnerId}`],
    [code, 'an auth code of one of its users'],
    [token, 'an access token of that partner'],
  ] as const;
  return needed.flatMap(([name, what]) =>
    name === undefined || env[name] ? [] : [`  export ${name}=...   # ${what}`],
  );
}

const QUESTIONS = [
  { variable: 'FAREPROOF_PARTNER_ID', words: 'Partner id' },
  { variable: 'FAREPROOF_SIGNING_KEY', words: 'Signing key (not shown, not written)' },
  {
    variable: 'FAREPROOF_AUTH_CODE',
    words:
      'Auth code of a user, for rules about user tokens (not shown, not written; Enter for none)',
  },
];
