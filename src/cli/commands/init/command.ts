import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError } from '../../../interface/errors.ts';
import { shownPath, writeFiles } from '../../files/write.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';

interface InitFlags {
  dir: string;
  force?: true;
}

/** Defines `fareproof init`: writes a target profile and a suite to start from. */
export function defineInit(command: Command, io: Io): void {
  command
    .option('--dir <dir>', 'folder for target.yaml and suite.yaml', '.')
    .option('--force', 'overwrite existing files')
    .addHelpText('after', '\nExample:\n  $ fareproof init --dir fareproof')
    .action((flags: InitFlags) => init(flags, io));
}

async function init({ dir, force }: InitFlags, io: Io): Promise<void> {
  const { existsSync } = await import('node:fs');
  const { schemaLine } = await import('./schema-line.ts');
  const { SUITE_TEMPLATE, TARGET_TEMPLATE } = await import('./templates.ts');
  const folder = resolve(io.cwd, dir);
  const files = {
    'target.yaml': schemaLine('target-profile', folder) + TARGET_TEMPLATE,
    'suite.yaml': schemaLine('suite', folder) + SUITE_TEMPLATE,
  };
  const there = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  if (there.length > 0 && !force) {
    throw new ConfigurationError(
      'FILE_EXISTS',
      `${there.map((name) => shownPath(join(folder, name), io)).join(', ')}: already exists, nothing was written; choose another folder with --dir, or overwrite with --force.`,
    );
  }
  const failure = { code: 'FOLDER_NOT_WRITABLE', place: dir, flag: '--dir' };
  await writeFiles(folder, files, failure);
  const [target, suite] = Object.keys(files).map((name) => shownPath(join(folder, name), io));
  print(
    io,
    [
      `wrote ${target}`,
      `wrote ${suite}`,
      '',
      'Enter your base URL and a partner, then:',
      '',
      '  export P100_KEY=...   # the signing key of partner p-100',
      `  fareproof check --target ${target} --suite ${suite} --plan`,
      `  fareproof check --target ${target} --suite ${suite}`,
    ].join('\n'),
  );
  io.exit(EXIT.passed);
}
