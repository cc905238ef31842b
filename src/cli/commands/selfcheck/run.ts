import { SCHEMA_VERSION } from '../../../documents/base.ts';
import type {
  SelfcheckDocument,
  SelfcheckRow,
  SoundSubject,
} from '../../../documents/selfcheck.ts';
import { TOOL } from '../../tool.ts';
import { falselyAccused, rowOf, soundOf } from './matrix.ts';
import type { Trial } from './side.ts';
import type { Task } from './task.ts';
import type { WorkerPool } from './worker-pool.ts';

/** A side and the rules of it to break. */
export interface ChosenSide {
  readonly name: SelfcheckRow['side'];
  readonly trials: readonly Trial[];
  readonly inParallel: number | null;
}

/** Options of a selfcheck. */
export interface SelfcheckOptions {
  /** Those without a trial are left out. */
  readonly sides: readonly ChosenSide[];
  readonly seed: number;
  readonly pool: Pick<WorkerPool, 'judgeAll'>;
  readonly signal: AbortSignal;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with each row as it ends. */
  readonly onRow: (row: SelfcheckRow) => void;
}

/**
 * Runs the checker of each side against a sound subject and, if every rule passes, against one
 * subject per rule with that rule broken.
 */
export async function runSelfcheck(options: SelfcheckOptions): Promise<SelfcheckDocument> {
  const { seed, signal, now } = options;
  const sides = options.sides.filter(({ trials }) => trials.length > 0);
  const startedAt = new Date(now()).toISOString();
  const sound: SoundSubject[] = [];
  const rules: SelfcheckRow[] = [];
  for (const side of sides) {
    if (signal.aborted) break;
    const subject = await judgeSound(side, options);
    if (subject) sound.push(subject);
    const holds = subject && subject.red.length + subject.undecided.length === 0;
    if (holds) rules.push(...(await judgeTrials(side, options)));
  }
  const summary = summaryOf(rules);
  return {
    schemaVersion: SCHEMA_VERSION,
    tool: TOOL,
    kind: 'selfcheck',
    seed,
    startedAt,
    finishedAt: new Date(now()).toISOString(),
    verdict: verdictOf(sound, summary, signal.aborted),
    summary,
    sound,
    rules,
    ...(signal.aborted ? { interrupted: true } : {}),
  };
}

/** Null if interrupted. */
async function judgeSound(
  { name, trials }: ChosenSide,
  { seed, pool, signal }: SelfcheckOptions,
): Promise<SoundSubject | null> {
  const subjects: SoundSubject[] = [];
  await pool.judgeAll([{ side: name, fault: null, seed }], null, signal, (_, answer) => {
    subjects.push(soundOf(name, trials, answer));
  });
  return subjects[0] ?? null;
}

/** Rows in the order of the trials, without those that an interruption prevented. */
async function judgeTrials(
  { name, trials, inParallel }: ChosenSide,
  { seed, pool, signal, onRow }: SelfcheckOptions,
): Promise<SelfcheckRow[]> {
  const rows = new Map<string, SelfcheckRow>();
  const byRule = new Map(trials.map((trial) => [trial.rule.id, trial]));
  const tasks = trials.map(({ rule }): Task => ({ side: name, fault: rule.id, seed }));
  await pool.judgeAll(tasks, inParallel, signal, ({ fault }, answer) => {
    const row = rowOf(name, byRule.get(fault ?? '')!, answer);
    rows.set(row.rule, row);
    onRow(row);
  });
  return trials.flatMap(({ rule }) => rows.get(rule.id) ?? []);
}

function summaryOf(rows: readonly SelfcheckRow[]): SelfcheckDocument['summary'] {
  const killed = rows.filter(({ verdict }) => verdict === 'killed').length;
  return {
    killed,
    survived: rows.length - killed,
    falselyAccused: rows.flatMap(falselyAccused).length,
  };
}

function verdictOf(
  sound: SelfcheckDocument['sound'],
  { survived, falselyAccused: accused }: SelfcheckDocument['summary'],
  interrupted: boolean,
): SelfcheckDocument['verdict'] {
  if (survived + accused > 0 || sound.some(({ red }) => red.length > 0)) return 'fell-short';
  return interrupted || sound.some(({ undecided }) => undecided.length > 0)
    ? 'inconclusive'
    : 'proven';
}
