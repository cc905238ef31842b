import { type Command, Option } from 'commander';
import { LEDGER_FLAG, RESTARTED_FLAG } from '../../flags/ledger.ts';
import { repeatable } from '../../flags/repeatable.ts';
import type { Io } from '../../io.ts';
import type { CheckFlags } from './flags.ts';

/** Defines `fareproof check`: judges a target by every documented rule. */
export function defineCheck(command: Command, io: Io): void {
  command
    .optionsGroup('What is judged:')
    .option(
      '--target <profile|url>',
      'target profile, or an address (default: an embedded server, both environments)',
    )
    .option('--suite <name|file>', 'smoke, full, certification, no-token-spend, or a file', 'full')
    .addOption(repeatable('--rule <glob>', 'judge only matching rules', 'all of the suite'))
    .option(
      '--rules-module <file>',
      'module that exports custom rules as "rules": JavaScript, or TypeScript where Node can strip types',
    )
    .option('--waivers <file>', 'accepted violations: a list of rule, reason, until')
    .option(
      '--failed-first',
      'begin with the rules that the last run found broken (default where --out or the ledger has one)',
    )
    .option('--only-failed', 'judge only the rules that the last run found broken')
    .option('--against <run>', 'compare with an earlier check: its run.json, or its folder')
    .option(
      '--watch [file...]',
      'judge again each time that the target was restarted, or one of the files was written, until Ctrl-C',
    )
    .option('--resume <dir>', 'continue a run that was interrupted or has pending rules')
    .optionsGroup('What is spent:')
    .option(
      '--plan',
      'print what the run would judge, and what each partner would spend; send nothing to the target',
    )
    .option('--allow-ban', 'let partners marked spendable be banned')
    .option('--wait', 'wait for rules that need another day, such as the end of a ban')
    .option(...LEDGER_FLAG)
    .option(...RESTARTED_FLAG)
    .option(
      '--requests <n|all>',
      'about how many requests to send; the most conclusive come first (default: all with a control API on this machine, else 1550)',
    )
    .option('--for <time>', 'start no new check after this time; a bare number is seconds')
    .option(
      '--explore <time>',
      'time for random walks after the checks; without a control API, of estimates only; a bare number is seconds',
    )
    .option(
      '--max-rate <n>',
      'maximum number of requests per second (default: 50 beyond this machine)',
    )
    .option('--timeout <time>', 'timeout of one request; a bare number is milliseconds', '10s')
    .option('--seed <n>', 'seed of random values (default: random)')
    .optionsGroup('What makes the exit code 1:')
    .addOption(
      new Option(
        '--fail-on <what>',
        'new: fail only on rules that are newly broken since the run of --against',
      ).choices(['new']),
    )
    .option('--strict', 'fail on warnings')
    .option('--strict-waivers', 'fail if a waiver has no effect')
    .option('--require-complete', 'fail if a rule is untestable')
    .optionsGroup('Output:')
    .option(
      '--json',
      'print the run document, or the forecast of --plan, to stdout and nothing else',
    )
    .option('--out <dir>', "folder for the run's files (default: reports/conformance-<time>/)")
    .option('--label <name>', 'name of the build in the document, for trends')
    .option(
      '--save-behaviour <file>',
      'write a file for serve --behaviour, with the observed answers to the gaps',
    )
    .addHelpText(
      'after',
      `
Without a control API in the profile, each token request counts against a partner's allowance:
--plan shows the cost before anything is sent.

The partner of an address comes from FAREPROOF_PARTNER_ID and FAREPROOF_SIGNING_KEY, and optionally
FAREPROOF_AUTH_CODE and FAREPROOF_ACCESS_TOKEN.

What --resume needs, and the ledger, lie in FAREPROOF_STATE_DIR (default: fareproof in $XDG_STATE_HOME or
~/.local/state). That folder has live tokens; the folder of --out has none, and can be published.

Examples:
  $ fareproof check --target staging.yaml --plan
  $ fareproof check --target http://127.0.0.1:8080 --suite smoke
  $ fareproof check --target staging.yaml --only-failed
  $ fareproof check --target staging.yaml --explore 30s
  $ fareproof check --target local.yaml --watch
  $ fareproof check --target staging.yaml --against main-run --fail-on new
  $ fareproof check --resume reports/conformance-2026-01-31T09-00-00Z`,
    )
    .action(async (flags: CheckFlags) => {
      const { check } = await import('./run.ts');
      await check(flags, command, io);
    });
}
