import type { Command } from 'commander';
import type { Io } from '../../io.ts';
import { LOAD_OPTIONS, type LoadFlags } from './flags.ts';

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
  for (const option of LOAD_OPTIONS) command.addOption(option);
}
