import { Option } from 'commander';
import { type LoadFlags, OPTION_NAMES, OPTION_ROWS } from '../../../load/options.ts';
import { loadOption } from '../../flags/load-option.ts';

/** Flags of `export` as commander hands them over. */
export type ExportFlags = LoadFlags & { readonly target: string };

/** Flags of `load` that say against which ledger, and with which right, a token is asked for. */
const OF_THE_TOKEN: readonly string[] = ['ledger', 'serviceRestarted', 'iMayLoadThisTarget'];
/** Options of a run that k6 has no use for, or that are of a search. */
const NOT_EXPORTED: readonly string[] = ['engine', 'workers', 'findMax', 'acceptLateness'];

/** The options of `export`, in the order of its help: those of `load` that are of the plan. */
export const EXPORT_OPTIONS: readonly Option[] = [
  new Option('--target <profile>', 'target profile').makeOptionMandatory(),
  loadOption('suite', { help: 'smoke, steady, ramp, spike, soak, or a file' }),
  ...OPTION_NAMES.filter((name) =>
    OPTION_ROWS[name].ofRun ? !NOT_EXPORTED.includes(name) : OF_THE_TOKEN.includes(name),
  ).map((name) => loadOption(name)),
  loadOption('out', { absent: 'reports/k6-<time>/' }),
];
