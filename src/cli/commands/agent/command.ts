import type { Command } from 'commander';
import { repeatable } from '../../flags/repeatable.ts';
import type { Io } from '../../io.ts';
import { METRICS_OPTIONS } from '../../metrics/flags.ts';
import type { AgentFlags } from './run.ts';

/** Defines `fareproof agent`: one of the machines that put load on a target together. */
export function defineAgent(command: Command, io: Io): void {
  command
    .requiredOption(
      '--join <url>',
      'NATS server, and group if there are several: nats://host:4222/group, or tls://',
    )
    .option('--name <name>', 'name of this agent in reports (default: of the machine and process)')
    .option('--once', 'exit after the first load that it joined')
    .option('--workers <n>', 'generator threads (default: as load --workers says)')
    .addOption(
      repeatable(
        '--allow-target <host>',
        'put load on no other target than this host or host:port',
        'any',
      ),
    )
    .addHelpText(
      'after',
      `
Credentials for the NATS server are read from the environment: FAREPROOF_JOIN_TOKEN is a token,
FAREPROOF_NATS_CREDS the path of a credentials file or of an nkey's seed.

Example:
  $ fareproof agent --join tls://nats.example:4222 --allow-target fares.example`,
    )
    .action(async (flags: AgentFlags) => {
      const { agent } = await import('./run.ts');
      return agent(flags, io);
    });
  for (const option of METRICS_OPTIONS) command.addOption(option);
}
