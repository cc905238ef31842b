import { Option } from 'commander';
import {
  type LoadFlags,
  OPTION_NAMES,
  OPTION_ROWS,
  type OptionName,
} from '../../../load/options.ts';
import { loadOption } from '../../flags/load-option.ts';

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
] as const satisfies readonly OptionName[];

/** Flags of `export` as commander hands them over. */
export type ExportFlags = Pick<LoadFlags, (typeof OF_THE_PLAN)[number] | 'out'> & {
  target: string;
};

/** Help that in `load` speaks of a search, which an exported plan has none of. */
const WITHOUT_SEARCH: Readonly<Partial<Record<OptionName, string>>> = {
  suite: 'smoke, steady, ramp, spike, soak, or a file',
  rate: 'open model: requests per second',
};

/** The options of `export`, in the order of its help: those of `load` that are of the plan. */
export const EXPORT_OPTIONS: readonly Option[] = [
  new Option('--target <profile>', 'target profile').makeOptionMandatory(),
  ...OPTION_NAMES.filter((name) => (OF_THE_PLAN as readonly string[]).includes(name)).map((name) =>
    loadOption(name, { help: WITHOUT_SEARCH[name] ?? OPTION_ROWS[name].help }),
  ),
  loadOption('out', { absent: 'reports/k6-<time>/' }),
];
