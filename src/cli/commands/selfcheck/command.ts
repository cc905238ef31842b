import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { SEED } from '../../../app/option-values.ts';
import type { WhichForms } from '../../../app/selfcheck/forms.ts';
import { readNumber } from '../../flags/numbers.ts';
import { repeatable } from '../../flags/repeatable.ts';
import { type Io, print } from '../../io.ts';
import { exitCodeOfSelfcheck } from '../../output/exit-codes.ts';
import { ProgressLines } from '../../output/progress-lines.ts';

interface SelfcheckFlags {
  rule: readonly string[];
  forms?: WhichForms;
  jobs?: string;
  seed?: string;
  sockets?: true;
  json?: true;
}

/** Seeds that are short to type. */
const MOST_SEED = 1_000_000;

/** Defines `fareproof selfcheck`: proves the checker by breaking each rule in turn. */
export function defineSelfcheck(command: Command, io: Io): void {
  command
    .addOption(repeatable('--rule <glob>', 'break only these rules', 'all'))
    .addOption(
      new Option(
        '--forms <which>',
        'faults of services that are there for some requests only; sample is the tenth that the seed draws (default: all)',
      ).choices(['none', 'sample', 'all']),
    )
    .option('--jobs <n>', 'number of worker threads (default: one per core)')
    .option('--seed <n>', 'seed of random values (default: another each time, which is printed)')
    .option('--sockets', 'judge services over sockets instead of in this process')
    .option('--json', 'print the result as JSON to stdout and nothing else')
    .addHelpText(
      'after',
      `
With nothing broken, every rule must pass. With one rule broken, that rule must fail, and no other except
those that necessarily break with it.

Each form of a fault (see serve --list-faults) is judged by its own rule: on a target with a control API, and
on one with metered partners. Some forms are known to need a control API (needsControl in
serve --list-faults --json). A tenth of the forms is also judged by all other rules. The seed draws it: ten
seeds in a row draw every form once.

Services answer in this process, by a clock of their own that nobody waits for: the same seed gives the same
verdicts. Faults of the fast path, and of clients, are judged over sockets.

The exit code is 1 if a fault is not detected, or if a rule fails that is not broken.

Examples:
  $ fareproof selfcheck --rule 'signature/*'
  $ fareproof selfcheck --forms sample --seed 7`,
    )
    .action((flags: SelfcheckFlags) => selfcheck(flags, io));
}

async function selfcheck(flags: SelfcheckFlags, io: Io): Promise<void> {
  const { proveChecker } = await import('../../../app/selfcheck/run.ts');
  const progress = new ProgressLines(io);
  const startMs = performance.now();
  let tried = '';
  const document = await proveChecker({
    rules: flags.rule,
    which: flags.forms,
    jobs: readNumber(flags.jobs, 'jobs', { kind: 'integer', min: 1 }) ?? availableParallelism(),
    seed: readNumber(flags.seed, 'seed', SEED) ?? randomInt(MOST_SEED),
    sockets: flags.sockets ?? false,
    signal: io.interruption(),
    onRow: (name, done, total) => {
      tried = `${done} of ${total}`;
      progress.draw(`${tried}  ${name}`);
    },
  });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  progress.write(`${tried} faults tried in turn, ${seconds} s, --seed ${document.seed}`);
  if (flags.json) {
    print(io, JSON.stringify(document, null, 2));
  } else {
    const { selfcheckLines } = await import('../../../report/index.ts');
    print(io, selfcheckLines(document).join('\n'));
  }
  io.exit(exitCodeOfSelfcheck(document));
}
