import {
  type FormArea,
  type FormRow,
  falselyAccused,
  type SelfcheckForms,
  type SoundSubject,
} from '../../documents/selfcheck.ts';
import { findRule } from '../../interface/index.ts';
import { FAULTS, type Fault } from '../../server/index.ts';
import { ACCESSES, type Access } from './judge-service.ts';
import { alsoRedOf, isRed, type Task, type TaskAnswer } from './sides.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Forms to judge: none, a tenth that the seed draws, or every one. */
export const WHICH_FORMS = ['none', 'sample', 'all'] as const;

/** One of {@link WHICH_FORMS}. */
export type WhichForms = (typeof WHICH_FORMS)[number];

/** Forms of one selfcheck. */
export interface ChosenForms {
  readonly which: WhichForms;
  /** Number of forms to choose from. */
  readonly known: number;
  /** Each is judged by its rule, with a control API and with metered partners. */
  readonly forms: readonly Fault[];
  /** The tenth that is judged by every rule too. */
  readonly whole: readonly Fault[];
}

/** One of as many is drawn: ten seeds in a row draw every form once. */
const SAMPLE = 10;

/** Chooses forms of some rules by a seed. */
export function chooseForms(
  which: WhichForms,
  isChosen: (rule: string) => boolean,
  seed: number,
): ChosenForms {
  const sampled = (list: readonly Fault[]): Fault[] =>
    list.filter((_, at) => at % SAMPLE === seed % SAMPLE);
  const known = FAULTS.filter(({ rule }) => isChosen(rule));
  const forms = { none: [], sample: sampled(known), all: known }[which];
  const whole = which === 'none' ? [] : sampled(known);
  return { which, known: known.length, forms, whole };
}

/** Options of {@link judgeForms}. */
export interface FormsOptions {
  /** Faults of services, at all requests or at some. */
  readonly forms: ChosenForms;
  readonly seed: number;
  /** True for requests over sockets. */
  readonly sockets: boolean;
  readonly pool: Pick<WorkerPool, 'judgeAll'>;
  readonly signal: AbortSignal;
  /** Called with each rule or form as it is judged. */
  readonly onRow: (name: string) => void;
}

/** Faults that were judged by their own rule with a control API. */
export type JudgedFaults = ReadonlyMap<string | null, TaskAnswer>;

/** Verdicts on the forms, and on a sound service with metered partners. */
interface JudgedForms {
  readonly forms: SelfcheckForms;
  /** Null if interrupted. */
  readonly sound: SoundSubject | null;
}

/** Judges each form by its own rule, and a tenth by every rule, with and without a control API. */
export async function judgeForms({
  forms: { which, known, forms, whole },
  seed,
  sockets,
  pool,
  signal,
  onRow,
  judged,
}: FormsOptions & { readonly judged: JudgedFaults }): Promise<JudgedForms> {
  const answers = new Map<string, TaskAnswer>();
  const task = (fault: string | null, access: Access, rule: string | null): Task => ({
    side: 'service',
    fault,
    seed,
    way: { access, rule, sockets },
  });
  const tasks = [
    task(null, 'metered', null),
    ...forms.flatMap(({ id, rule }) => ACCESSES.map((access) => task(id, access, rule))),
    ...whole.flatMap(({ id }) => ACCESSES.map((access) => task(id, access, null))),
  ].filter(({ fault, way }) => way.access !== 'control' || way.rule === null || !judged.has(fault));
  await pool.judgeAll(tasks, null, signal, (done, answer) => {
    answers.set(keyOf(done.fault, done.way.access, done.way.rule), answer);
    if (done.fault !== null && done.way.rule !== null && done.way.access === 'metered')
      onRow(done.fault);
  });
  const answerOf = (fault: string | null, access: Access, rule: string | null) =>
    answers.get(keyOf(fault, access, rule));
  const rows = forms.flatMap((form): FormRow[] => {
    const control = judged.get(form.id) ?? answerOf(form.id, 'control', form.rule);
    const metered = answerOf(form.id, 'metered', form.rule);
    const wholes = ACCESSES.flatMap((access) => {
      const answer = answerOf(form.id, access, null);
      return answer ? [{ access, answer }] : [];
    });
    return control && metered ? [rowOf(form, control, metered, wholes)] : [];
  });
  const sound = answerOf(null, 'metered', null);
  return {
    forms: { which, known, summary: summaryOf(rows), areas: areasOf(rows), rows },
    sound: sound ? soundOf(sound) : null,
  };
}

const keyOf = (...parts: readonly (string | null)[]): string => parts.join(' ');

/** Of metered partners much stays undecided; what is red counts. */
function soundOf(answer: TaskAnswer): SoundSubject {
  const subject = { side: 'service', access: 'metered', undecided: [] } as const;
  return answer.ok
    ? { ...subject, red: answer.outcomes.filter(isRed).map(({ id }) => id) }
    : { ...subject, red: [], undecided: ['*'], problem: answer.message };
}

function rowOf(
  { id, rule, how, needsControl, breaks }: Fault,
  withControl: TaskAnswer,
  withMetered: TaskAnswer,
  wholes: readonly { readonly access: Access; readonly answer: TaskAnswer }[],
): FormRow {
  const control = judgedBy(rule, withControl);
  const metered = judgedBy(rule, withMetered);
  const whole = wholes.map(({ access, answer }) =>
    answer.ok
      ? {
          access,
          alsoRed: alsoRedOf(
            answer.outcomes.filter((one) => one.id !== rule),
            breaks,
          ),
        }
      : { access, alsoRed: [], problem: answer.message },
  );
  const isWhole = wholes.every(({ answer }) => answer.ok);
  const isTold = control.told && (metered.told || needsControl) && isWhole;
  return {
    form: id,
    rule,
    how,
    needsControl,
    verdict: isTold ? 'killed' : 'survived',
    control,
    metered,
    ...(whole.length > 0 ? { whole } : {}),
  };
}

/** Verdict of the broken rule itself, and if it tells that. */
export function judgedBy(rule: string, answer: TaskAnswer): FormRow['control'] {
  if (!answer.ok) return { told: false, reason: `the checker crashed: ${answer.message}` };
  const own = answer.outcomes.find(({ id }) => id === rule);
  if (own === undefined) return { told: false, reason: 'not judged' };
  const red = findRule(rule)?.level === 'must' ? 'fail' : 'warn';
  return { told: own.verdict === red, reason: `${own.verdict}: ${own.reason}` };
}

function summaryOf(rows: readonly FormRow[]): SelfcheckForms['summary'] {
  const of = (wanted: FormRow['verdict']): number =>
    rows.filter(({ verdict }) => verdict === wanted).length;
  return {
    killed: of('killed'),
    survived: of('survived'),
    falselyAccused: rows.flatMap(({ whole = [] }) => whole.flatMap(falselyAccused)).length,
  };
}

function areasOf(rows: readonly FormRow[]): FormArea[] {
  const areaOf = ({ rule }: FormRow): string => rule.split('/')[0] ?? '';
  return [...new Set(rows.map(areaOf))].map((area) => {
    const forms = rows.filter((row) => areaOf(row) === area);
    return {
      area,
      forms: forms.length,
      control: forms.filter(({ control }) => control.told).length,
      metered: forms.filter(({ metered }) => metered.told).length,
      declared: forms.filter(({ metered, needsControl }) => !metered.told && needsControl).length,
    };
  });
}
