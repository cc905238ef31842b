import type { Command } from 'commander';
import { LEDGER_FLAG, RESTARTED_FLAG } from '../../flags/ledger.ts';
import type { Io } from '../../io.ts';
import type { ReplayFlags } from './run.ts';

/** Defines `fareproof replay`: sends one exchange of a check again. */
export function defineReplay(command: Command, io: Io): void {
  command
    .argument('<run>', 'run.json of a check, its folder, or the case of a find of --explore')
    .argument('[exchange]', 'id of the exchange, such as x12 (default: list those of broken rules)')
    .option(
      '--target <profile|url>',
      'target profile, or an address as for check (default: an embedded server, for a run on one)',
    )
    .option(...LEDGER_FLAG)
    .option(...RESTARTED_FLAG)
    .option('--timeout <time>', 'timeout of one request; a bare number is milliseconds', '10s')
    .option('--json', 'print the exchange as JSON to stdout and nothing else')
    .addHelpText(
      'after',
      `
The request gets a fresh signature, timestamp and nostr, and new tokens; what was wrong in it on purpose is
unchanged. An exchange that depends on earlier requests is refused, such as the eleventh of the day.

Without a control API in the profile, token requests count against a partner's allowance: nothing is sent
if not enough is left.

The exit code is 1 if a request that must be refused is accepted, or the other way round, or if what the
response says still breaks the rule that it broke; 3 if it cannot be sent, gets no response, 429 or 503, or does
not show alone whether its rule is kept. The command that judges the rule is printed.

Examples:
  $ fareproof replay reports/conformance-2026-01-31T09-00-00Z
  $ fareproof replay reports/conformance-2026-01-31T09-00-00Z x412 --target staging.yaml
  $ fareproof replay cases/quota-ban-lifts-1a2b3c4d.json --target staging.yaml`,
    )
    .action(async (run: string, exchange: string | undefined, flags: ReplayFlags) => {
      const { replay } = await import('./run.ts');
      await replay(run, exchange, flags, io);
    });
}
