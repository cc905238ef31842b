import {
  type FormArea,
  type FormRow,
  falselyAccused,
  type SelfcheckForms,
} from '../../documents/selfcheck.ts';

/** Requirements of forms, in words, in the order of the columns. */
const NEEDS: Readonly<Record<keyof FormArea['needs'], string>> = {
  clock: 'a clock that can be moved: it shows hours or days later',
  partners: 'fresh partners: after a refusal or a ban a partner proves nothing more',
  locks: 'the locks of estimates, which only a control API shows',
  allowance: 'more token requests, or users, than a plan within allowances has for the rule',
};

const COLUMNS = ['forms', 'control', 'metered', 'clock', 'partners', 'locks', 'allowance'] as const;

/** Renders the forms for a terminal: problems, and a table by area. */
export function formsLines({ which, known, areas, rows, summary }: SelfcheckForms): string[] {
  if (rows.length === 0) return [];
  const problems = rows.flatMap(problemLines);
  const { killed, survived, misdeclared, falselyAccused: accused } = summary;
  return [
    ...problems,
    ...(problems.length > 0 ? [''] : []),
    ...tableLines(areas),
    '',
    'Not detected with metered partners, because the form needs',
    ...Object.entries(NEEDS).map(([need, words]) => `  ${need.padEnd(9)}  ${words}`),
    '',
    `Forms: ${rows.length} of ${known} (${which}), ${killed} as declared, ${survived} survived, ` +
      `${misdeclared} misdeclared, ${accused} falsely accused`,
    '',
  ];
}

function problemLines({
  form,
  how,
  verdict,
  needs,
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
  if (verdict === 'misdeclared') {
    return [
      `DECLARED  ${form}  ${how}`,
      `          needs ${needs}, but is detected with metered partners: ${metered.reason}`,
      ...accused,
    ];
  }
  if (verdict === 'killed') return accused;
  return [
    `SURVIVED  ${form}  ${how}`,
    ...(control.told ? [] : [`          control: ${control.reason}`]),
    ...(metered.told || needs !== null ? [] : [`          metered: ${metered.reason}`]),
    ...crashed,
    ...accused,
  ];
}

/** A line for each area, and their sum. */
function tableLines(areas: readonly FormArea[]): string[] {
  const cells = areas.map(cellsOf);
  const sum = COLUMNS.map((_, at) => cells.reduce((total, row) => total + (row[at] ?? 0), 0));
  const width = Math.max(...areas.map(({ area }) => area.length), 'area'.length);
  const line = (first: string, rest: readonly (string | number)[]): string =>
    [
      first.padEnd(width),
      ...rest.map((cell, at) => String(cell).padStart(COLUMNS[at]?.length ?? 0)),
    ].join('  ');
  return [
    line('area', COLUMNS),
    ...areas.map(({ area }, at) => line(area, cells[at] ?? [])),
    line('all', sum),
  ];
}

const cellsOf = ({ forms, control, metered, needs }: FormArea): number[] => [
  forms,
  control,
  metered,
  ...(Object.keys(NEEDS) as (keyof FormArea['needs'])[]).map((need) => needs[need]),
];
