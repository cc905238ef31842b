import { type Command, Option } from 'commander';
import { type LoadFlags, OPTION_NAMES, OPTION_ROWS } from '../../../load/options.ts';
import { loadOption } from '../../flags/load-option.ts';
import type { Io } from '../../io.ts';

/** Defines `fareproof load`: puts load on a target and judges the result. */
export function defineLoad(command: Command, io: Io): void {
  command
    .addHelpText(
      'after',
      `
Examples:
  $ fareproof load --rate 2000 --duration 30s --threshold 'p99<20ms'
  $ fareproof load --target staging.yaml --suite ramp --i-may-load-this-target
  $ fareproof load --target staging.yaml --find-max 'p99<20ms,errors<0.1%'
  $ fareproof load --target new.yaml --against old.yaml --rate 500`,
    )
    .action(async (flags: LoadFlags) => {
      const { load } = await import('./load.ts');
      await load(flags, io);
    });
  const rare: Option[] = [];
  for (const name of OPTION_NAMES) {
    const option = loadOption(name);
    if (!OPTION_ROWS[name].common) rare.push(option);
    command.addOption(option);
  }
  command.addOption(new Option('--help-all', `list all ${OPTION_NAMES.length} options`));
  let isAll = false;
  // Only once help is asked for: of hidden options, commander corrects no typing error.
  command.on('beforeHelp', () => {
    for (const option of rare) option.hideHelp(!isAll);
  });
  command.on('option:help-all', () => {
    isAll = true;
    command.help();
  });
}
