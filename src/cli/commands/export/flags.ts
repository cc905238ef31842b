import { Option } from 'commander';
import { LOAD_OPTIONS, type LoadFlags } from '../load/flags.ts';

/** Flags of `load` that are of its plan, and not of how it runs one. */
const OF_THE_PLAN = [
  'suite',
  'rate',
  'arrivals',
  'stages',
  'connections',
  'duration',
  'warmup',
  'timeout',
  'mix',
  'routes',
  'as',
  'threshold',
  'validate',
  'abortOn',
  'newConnections',
  'seed',
  'ledger',
  'serviceRestarted',
  'iMayLoadThisTarget',
] as const satisfies readonly (keyof LoadFlags)[];

/** Flags of `export` as commander hands them over. */
export type ExportFlags = Pick<LoadFlags, (typeof OF_THE_PLAN)[number] | 'out'> & {
  target: string;
};

/** Options whose description in `load` speaks of a search, which an exported plan has none of. */
const WITHOUT_SEARCH: readonly Option[] = [
  new Option('--suite <name|file>', 'smoke, steady, ramp, spike, soak, or a file'),
  new Option('--rate <n>', 'open model: requests per second (default 200)'),
];

const withoutSearch = (option: Option): Option =>
  WITHOUT_SEARCH.find(({ long }) => long === option.long) ?? option;

/** The options of `export`, in the order of its help: those of `load` that are of the plan. */
export const EXPORT_OPTIONS: readonly Option[] = [
  new Option('--target <profile>', 'target profile').makeOptionMandatory(),
  ...LOAD_OPTIONS.filter((option) =>
    (OF_THE_PLAN as readonly string[]).includes(option.attributeName()),
  ).map(withoutSearch),
  new Option('--out <dir>', 'folder for the files (default reports/k6-<time>/)'),
];
