import { Argument, type Command } from 'commander';
import type { Io } from '../../io.ts';
import { EXPORT_OPTIONS, type ExportFlags } from './flags.ts';

const TOOLS = ['k6'] as const;

/** Defines `fareproof export`: writes the plan of a load for another load generator. */
export function defineExport(command: Command, io: Io): void {
  command
    .addArgument(new Argument('<tool>', 'load generator to write a script for').choices(TOOLS))
    .addHelpText(
      'after',
      "\nExample:\n  $ fareproof export k6 --target target.yaml --rate 200 --threshold 'p99<20ms' --out k6",
    )
    .action(async (_tool: (typeof TOOLS)[number], flags: ExportFlags) => {
      const { exportK6 } = await import('./export-k6.ts');
      await exportK6(flags, io);
    });
  for (const option of EXPORT_OPTIONS) command.addOption(option);
}
