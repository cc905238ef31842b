import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { readInteger } from '../../flags/numbers.ts';
import { repeatable } from '../../flags/repeatable.ts';
import { type Io, print } from '../../io.ts';
import { exitCodeOfSelfcheck } from '../../output/exit-codes.ts';
import { ProgressLine } from '../../output/progress-line.ts';

interface SelfcheckFlags {
  rule: readonly string[];
  jobs?: string;
  seed: string;
  json?: true;
}

/** Defines `fareproof selfcheck`: proves the checker by breaking each rule in turn. */
export function defineSelfcheck(program: Command, io: Io): void {
  program
    .command('selfcheck')
    .description('prove the checker: break each rule in turn; that rule must fail, and no other')
    .addOption(repeatable('--rule <glob>', 'break only these rules', 'all'))
    .option('--jobs <n>', 'number of rules in parallel (default: one per core)')
    .option('--seed <n>', 'seed of random values', '1')
    .option('--json', 'print the result as JSON to stdout and nothing else')
    .addHelpText(
      'after',
      `
With nothing broken, every rule must pass. With one rule broken, that rule must fail, and no other except
those that necessarily break with it. A survivor or a false accusation exits with code 1.

Example:
  $ fareproof selfcheck --rule 'signature/*'`,
    )
    .action((flags: SelfcheckFlags) => selfcheck(flags, io));
}

async function selfcheck(flags: SelfcheckFlags, io: Io): Promise<void> {
  const jobs = readInteger(flags.jobs, '--jobs', { min: 1 }) ?? availableParallelism();
  const seed = readInteger(flags.seed, '--seed', { min: 0 });
  const { chooseSides } = await import('./sides.ts');
  const { WorkerPool } = await import('./worker-pool.ts');
  const { runSelfcheck } = await import('./run.ts');
  const sides = chooseSides(flags.rule);
  const total = sides.reduce((sum, { trials }) => sum + trials.length, 0);
  const progress = new ProgressLine(io);
  const startMs = performance.now();
  let done = 0;
  const pool = new WorkerPool(Math.min(jobs, total));
  const signal = io.interruption();
  try {
    const document = await runSelfcheck({
      sides,
      seed,
      pool,
      signal,
      now: Date.now,
      onRow: ({ rule }) => progress.draw(`${++done} of ${total}  ${rule}`),
    });
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    progress.write(`${done} of ${total} rules broken in turn, ${seconds} s`);
    if (flags.json) {
      print(io, JSON.stringify(document, null, 2));
    } else {
      const { selfcheckLines } = await import('./table.ts');
      for (const line of selfcheckLines(document)) print(io, line);
    }
    io.exit(exitCodeOfSelfcheck(document));
  } finally {
    await pool.close();
  }
}
