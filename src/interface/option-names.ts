import { ConfigurationError } from './errors.ts';
import { suggest } from './suggestion.ts';

/** Names of options: true, or the names in it for one that is a group of options itself. */
export interface NamesOfOptions {
  readonly [name: string]: true | NamesOfOptions;
}

/** All names of the options of a type, so that the compiler finds one that is missing. */
export type OptionNames<Options> = {
  readonly [Name in keyof Required<Options>]: true | NamesOfOptions;
};

/**
 * Refuses an option that a function does not have: without types, a mistyped one would be left out in silence.
 *
 * @param given undefined for none
 * @param group name of the group that they are in; empty for the options of the function itself
 * @throws ConfigurationError `OPTION_UNKNOWN`, with the nearest name
 */
export function refuseUnknownOptions(given: unknown, names: NamesOfOptions, group = ''): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null) {
    const what = group === '' ? 'The options are' : `The option "${group}" is`;
    throw new ConfigurationError('OPTION_UNKNOWN', `${what} not an object.`);
  }
  for (const [name, value] of Object.entries(given)) {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    const path = group === '' ? name : `${group}.${name}`;
    if (known === undefined) {
      const all = Object.keys(names);
      const hint = suggest(name, all, `there are ${all.join(', ')}.`);
      throw new ConfigurationError('OPTION_UNKNOWN', `There is no option "${path}"; ${hint}`);
    }
    if (known !== true) refuseUnknownOptions(value, known, path);
  }
}
