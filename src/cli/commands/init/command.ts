import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError } from '../../../interface/errors.ts';
import { shownPath, writeFiles } from '../../files/write.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';

interface InitFlags {
  dir: string;
  from?: string;
  force?: true;
}

/** Defines `fareproof init`: writes a target profile and a suite to start from. */
export function defineInit(command: Command, io: Io): void {
  command
    .option('--dir <dir>', 'folder for target.yaml and suite.yaml', '.')
    .option('--from <url>', 'write the profile of the service at this address')
    .option('--force', 'overwrite existing files')
    .addHelpText(
      'after',
      `
With --from, partner and key come from FAREPROOF_PARTNER_ID and FAREPROOF_SIGNING_KEY, and optionally
FAREPROOF_AUTH_CODE and FAREPROOF_ACCESS_TOKEN; on a terminal, partner and key are asked for. One token
request, which the ledger records, shows which shapes of an estimate the service answers. The profile
contains no secret: it refers to the environment.

Examples:
  $ fareproof init --dir fareproof
  $ fareproof init --from https://staging.example.com/api --dir fareproof`,
    )
    .action((flags: InitFlags) => init(flags, io));
}

async function init({ dir, from, force }: InitFlags, io: Io): Promise<void> {
  const { existsSync } = await import('node:fs');
  const { schemaLine } = await import('./schema-line.ts');
  const { EXAMPLE, SUITE_TEMPLATE, targetTemplate } = await import('./templates.ts');
  const folder = resolve(io.cwd, dir);
  const there = ['target.yaml', 'suite.yaml'].filter((name) => existsSync(join(folder, name)));
  if (there.length > 0 && !force) {
    throw new ConfigurationError(
      'FILE_EXISTS',
      `${there.map((name) => shownPath(join(folder, name), io)).join(', ')}: already exists, nothing was written; choose another folder with --dir, or overwrite with --force.`,
    );
  }
  const found = from === undefined ? null : await (await import('./from.ts')).readService(from, io);
  const facts = found?.facts ?? EXAMPLE;
  const files = {
    'target.yaml': schemaLine('target-profile', folder) + targetTemplate(facts),
    'suite.yaml': schemaLine('suite', folder) + SUITE_TEMPLATE,
  };
  const failure = { code: 'FOLDER_NOT_WRITABLE', place: dir, flag: '--dir' };
  await writeFiles(folder, files, failure);
  const [target, suite] = Object.keys(files).map((name) => shownPath(join(folder, name), io));
  const { key } = facts.variables;
  print(
    io,
    [
      `wrote ${target}`,
      `wrote ${suite}`,
      '',
      ...(found?.words ?? []),
      found === null ? 'Enter your base URL and a partner, then:' : 'Continue with:',
      '',
      `  export ${key}=...   # the signing key of partner ${facts.partnerId}`,
      `  fareproof check --target ${target} --suite ${suite} --plan`,
      `  fareproof check --target ${target} --suite ${suite}`,
    ].join('\n'),
  );
  io.exit(found?.isServed === false ? EXIT.inconclusive : EXIT.passed);
}
