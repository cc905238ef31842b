import { type Command, Option } from 'commander';
import { repeatable } from '../../flags/repeatable.ts';
import { type Io, print } from '../../io.ts';
import { METRICS_OPTIONS } from '../../metrics/flags.ts';
import type { ServeFlags } from './settings.ts';

/** Defines `fareproof serve`: the reference server. */
export function defineServe(command: Command, io: Io): void {
  command
    .optionsGroup('Address:')
    .option('--port <n>', 'port to listen on; 0 picks a free one', '8080')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--control-port <n>', 'port of the control API (default: off); 0 picks a free one')
    .option('--cert <file>', 'TLS certificate, PEM')
    .option('--key <file>', 'private key of the certificate, PEM')
    .option('--write-profile <file>', 'write a target profile of this server, for check and load')
    .optionsGroup('Behaviour:')
    .addOption(
      new Option('--environment <name>', 'test: the timestamp _ is not checked')
        .choices(['production', 'test'])
        .default('production'),
    )
    .option(
      '--partners <file>',
      'partners, written as in a target profile (default: four demo partners)',
    )
    .option('--behaviour <file>', 'answers to the gaps, as check --save-behaviour writes them')
    .option('--expires-in <time>', 'lifetime of an access_token (default: 7200)')
    .addOption(repeatable('--fault <name>', 'break a rule: RULE_ID, or RULE_ID#place', 'none'))
    .option('--list-faults', 'list the faults for --fault, and exit')
    .option('--seed <n>', 'seed of the dynamic pricing (default: 1)')
    .optionsGroup('Speed:')
    .option('--workers <n>', 'processes that answer requests; auto: one for each core (default: 1)')
    .option('--no-fast-path', 'answer every request through node:http')
    .option('--no-shared-read-buffer', 'allocate a new buffer for each read from a connection')
    .optionsGroup('Output:')
    .option('--access-log', 'write a line to stderr for each request')
    .option('--live', 'show each request on a page on loopback; turns the fast path off')
    .option('--json', 'print one line of JSON once the server listens, and nothing else')
    .addHelpText(
      'after',
      `
The control API requires a token. If FAREPROOF_CONTROL_TOKEN is set, that is the token, and the control
API listens on --host. Otherwise the token is random, it is printed and written to --write-profile, and
the control API listens on loopback only.

Example:
  $ fareproof serve --control-port 9100 --write-profile server.yaml`,
    )
    .action(async (flags: ServeFlags) => {
      if (flags.listFaults) return listFaults(flags, io);
      const { serve } = await import('./serve.ts');
      return serve(flags, io);
    });
  for (const option of METRICS_OPTIONS) command.addOption(option);
}

async function listFaults({ json }: ServeFlags, io: Io): Promise<void> {
  const { FAULTS } = await import('../../../server/index.ts');
  if (json) return print(io, JSON.stringify(FAULTS, null, 2));
  const width = Math.max(...FAULTS.map(({ id }) => id.length));
  for (const { id, how } of FAULTS) print(io, `${id.padEnd(width)}  ${how}`);
}
