import type { Command } from 'commander';
import { type LoadFlags, OPTION_NAMES } from '../../../load/options.ts';
import { loadOption } from '../../flags/load-option.ts';
import type { Io } from '../../io.ts';

/** Defines `fareproof load`: puts load on a target and judges the result. */
export function defineLoad(command: Command, io: Io): void {
  command
    .addHelpText(
      'after',
      "\nExample:\n  $ fareproof load --rate 2000 --duration 30s --threshold 'p99<20ms'",
    )
    .action(async (flags: LoadFlags) => {
      const { load } = await import('./load.ts');
      await load(flags, io);
    });
  for (const name of OPTION_NAMES) command.addOption(loadOption(name));
}
