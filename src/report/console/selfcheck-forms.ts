import {
  type FormArea,
  type FormRow,
  falselyAccused,
  type SelfcheckForms,
} from '../../documents/selfcheck.ts';
import { aligned } from './layout.ts';

const COLUMNS = ['forms', 'control', 'metered', 'declared'] as const;

/** Renders the forms for a terminal: problems, and a table by area. */
export function formsLines({ which, known, areas, rows, summary }: SelfcheckForms): string[] {
  if (rows.length === 0) return [];
  const problems = rows.flatMap(problemLines);
  const { killed, survived, falselyAccused: accused } = summary;
  return [
    ...problems,
    ...(problems.length > 0 ? [''] : []),
    ...tableLines(areas),
    '',
    'control   detected with a control API',
    'metered   detected with metered partners',
    'declared  not detected with metered partners, and known to need a control API',
    '',
    `Forms: ${rows.length} of ${known} (${which}), ${killed} as declared, ${survived} survived, ${accused} falsely accused`,
    '',
  ];
}

function problemLines({
  form,
  how,
  verdict,
  needsControl,
  control,
  metered,
  whole = [],
}: FormRow): string[] {
  const accused = whole.flatMap((one) =>
    falselyAccused(one).map(
      ({ rule, reason }) => `ACCUSED   ${form}, ${one.access}: ${rule}: ${reason}`,
    ),
  );
  const crashed = whole.flatMap(({ problem }) =>
    problem === undefined ? [] : [`          the checker crashed: ${problem}`],
  );
  if (verdict === 'killed') return accused;
  return [
    `SURVIVED  ${form}  ${how}`,
    ...(control.told ? [] : [`          control: ${control.reason}`]),
    ...(metered.told || needsControl ? [] : [`          metered: ${metered.reason}`]),
    ...crashed,
    ...accused,
  ];
}

/** A line for each area, and their sum. */
function tableLines(areas: readonly FormArea[]): string[] {
  const sumOf = (column: (typeof COLUMNS)[number]): number =>
    areas.reduce((sum, one) => sum + one[column], 0);
  return aligned([
    ['area', ...COLUMNS],
    ...areas.map((one) => [one.area, ...COLUMNS.map((column) => one[column])]),
    ['all', ...COLUMNS.map(sumOf)],
  ]);
}
