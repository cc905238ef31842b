import { MACHINE_CLOCK, steadyClock } from '../../conformance/index.ts';
import { SCHEMA_VERSION } from '../../documents/base.ts';
import {
  falselyAccused,
  type SelfcheckDocument,
  type SelfcheckForms,
  type SelfcheckRow,
  type SoundSubject,
} from '../../documents/selfcheck.ts';
import { TOOL } from '../tool.ts';
import { chooseForms, type FormsOptions, judgedBy, judgeForms, type WhichForms } from './forms.ts';
import { type Outcome, WHOLE } from './judge-service.ts';
import {
  alsoRedOf,
  type ChosenSide,
  chooseSides,
  isRed,
  type Task,
  type TaskAnswer,
  type Trial,
} from './sides.ts';
import { WorkerPool } from './worker-pool.ts';

/** Selfcheck that is asked for. */
export interface AskedSelfcheck {
  /** Globs over the ids of the rules to break; all rules if there is none. */
  readonly rules: readonly string[];
  /** Left out, all forms. */
  readonly which?: WhichForms | undefined;
  /** Number of threads. */
  readonly jobs: number;
  readonly seed: number;
  /** True to judge services over sockets instead of in process. */
  readonly sockets: boolean;
  readonly signal: AbortSignal;
  /** Called at the start, and with each rule or form as it is judged. */
  readonly onRow: (name: string, done: number, total: number) => void;
}

/**
 * Proves the checker: breaks each rule in turn, and sees whether it fails, and no other.
 *
 * @throws ConfigurationError `RULE_UNKNOWN`
 */
export async function proveChecker({
  rules: globs,
  which = 'all',
  jobs,
  onRow,
  ...asked
}: AskedSelfcheck): Promise<SelfcheckDocument> {
  const sides = chooseSides(globs);
  const rules = sides.flatMap(({ name, trials }) => (name === 'service' ? trials : []));
  const ids = new Set<string>(rules.map(({ rule }) => rule.id));
  const forms = chooseForms(which, (rule) => ids.has(rule), asked.seed);
  const total = sides.reduce((sum, { trials }) => sum + trials.length, forms.forms.length);
  const pool = new WorkerPool(Math.min(jobs, total));
  let done = 0;
  onRow('', done, total);
  try {
    return await runSelfcheck({
      ...asked,
      now: steadyClock(MACHINE_CLOCK).now,
      sides,
      forms,
      pool,
      onRow: (name) => onRow(name, ++done, total),
    });
  } finally {
    await pool.close();
  }
}

/** Options of {@link runSelfcheck}. */
export interface SelfcheckOptions extends FormsOptions {
  /** Time that never jumps, milliseconds since the epoch. */
  readonly now: () => number;
  /** Those without a trial are left out. */
  readonly sides: readonly ChosenSide[];
}

/**
 * Runs the checker of each side against a sound subject and, if every rule passes, against one
 * subject per rule with that rule broken, and of services against each form.
 */
export async function runSelfcheck(options: SelfcheckOptions): Promise<SelfcheckDocument> {
  const { seed, signal, now } = options;
  const startedAt = new Date(now()).toISOString();
  const sides = options.sides.filter(({ trials }) => trials.length > 0);
  // Clients mostly wait, in this thread; services keep the threads of the pool busy.
  const judged = await Promise.all(sides.map((side) => judgeSide(side, options)));
  const sound = judged.flatMap((side) => side.sound);
  const rules = judged.flatMap((side) => side.rules);
  const forms = judged.find((side) => side.forms !== null)?.forms;
  const summary = summaryOf(rules);
  return {
    schemaVersion: SCHEMA_VERSION,
    tool: TOOL,
    kind: 'selfcheck',
    seed,
    startedAt,
    finishedAt: new Date(now()).toISOString(),
    verdict: verdictOf(sound, summary, forms, signal.aborted),
    summary,
    sound,
    rules,
    ...(forms ? { forms } : {}),
    ...(signal.aborted ? { interrupted: true } : {}),
  };
}

/** Its rules are broken only if it is sound with nothing broken. */
async function judgeSide(side: ChosenSide, options: SelfcheckOptions) {
  const subject = await judgeSound(side, options);
  const sound = subject ? [subject] : [];
  if (!subject || subject.red.length + subject.undecided.length > 0)
    return { sound, rules: [], forms: null };
  const judged = new Map<string | null, TaskAnswer>();
  const rules = await judgeTrials(side, options, judged);
  if (side.name !== 'service' || options.forms.which === 'none' || options.signal.aborted)
    return { sound, rules, forms: null };
  const { forms, sound: metered } = await judgeForms({ ...options, judged });
  return { sound: metered ? [...sound, metered] : sound, rules, forms };
}

/** Null if interrupted. */
async function judgeSound(
  { name, trials, inParallel }: ChosenSide,
  { seed, sockets, pool, signal }: SelfcheckOptions,
): Promise<SoundSubject | null> {
  let subject: SoundSubject | null = null;
  const task: Task = { side: name, fault: null, seed, way: { ...WHOLE, sockets } };
  await pool.judgeAll([task], inParallel, signal, (_, answer) => {
    subject = soundOf(name, trials, answer);
  });
  return subject;
}

/**
 * Judges each by its own rule. Rows are in the order of the trials, without those that an interruption
 * prevented.
 */
async function judgeTrials(
  { name, trials, inParallel }: ChosenSide,
  { seed, sockets, pool, signal, onRow }: SelfcheckOptions,
  judged: Map<string | null, TaskAnswer>,
): Promise<SelfcheckRow[]> {
  const rows = new Map<string, SelfcheckRow>();
  const byRule = new Map(trials.map((trial) => [trial.rule.id, trial]));
  const tasks = trials.map(
    ({ rule }): Task => ({
      side: name,
      fault: rule.id,
      seed,
      way: { access: 'control', rule: rule.id, sockets },
    }),
  );
  await pool.judgeAll(tasks, inParallel, signal, ({ fault }, answer) => {
    const row = rowOf(name, byRule.get(fault ?? '')!, answer);
    judged.set(fault, answer);
    rows.set(row.rule, row);
    onRow(row.rule);
  });
  return trials.flatMap(({ rule }) => rows.get(rule.id) ?? []);
}

const isUndecided = ({ verdict }: Outcome): boolean =>
  verdict === 'inconclusive' || verdict === 'untestable';

/** Row of the matrix: the verdicts of the checker on a subject with one rule broken. */
function rowOf(
  side: ChosenSide['name'],
  { rule, how, breaks }: Trial,
  answer: TaskAnswer,
): SelfcheckRow {
  const { id, level } = rule;
  const { told, reason } = judgedBy(id, answer);
  const { outcomes, durationMs } = answer.ok ? answer : { outcomes: [], durationMs: 0 };
  const others = outcomes.filter((outcome) => outcome.id !== id);
  return {
    rule: id,
    side,
    level,
    how,
    verdict: told ? 'killed' : 'survived',
    reason,
    alsoRed: alsoRedOf(others, breaks),
    undecided: others.filter(isUndecided).map((other) => other.id),
    durationMs,
  };
}

/** Verdicts of the checker on a side with nothing broken; all undecided if the checker crashed. */
function soundOf(
  side: ChosenSide['name'],
  trials: readonly Trial[],
  answer: TaskAnswer,
): SoundSubject {
  if (!answer.ok) {
    const undecided = trials.map(({ rule }) => rule.id);
    return { side, red: [], undecided, problem: answer.message };
  }
  const idsOf = (some: readonly Outcome[]): string[] => some.map(({ id }) => id);
  return {
    side,
    red: idsOf(answer.outcomes.filter(isRed)),
    undecided: idsOf(answer.outcomes.filter(isUndecided)),
  };
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
  forms: SelfcheckForms | undefined,
  interrupted: boolean,
): SelfcheckDocument['verdict'] {
  const ofForms = forms?.summary ?? { survived: 0, falselyAccused: 0 };
  const formsShort = ofForms.survived + ofForms.falselyAccused;
  if (survived + accused + formsShort > 0 || sound.some(({ red }) => red.length > 0))
    return 'fell-short';
  return interrupted || sound.some(({ undecided }) => undecided.length > 0)
    ? 'inconclusive'
    : 'proven';
}
