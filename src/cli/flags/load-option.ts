import { Option } from 'commander';
import { OPTION_ROWS, type OptionName, type OptionRow } from '../../load/options.ts';
import { repeatable } from './repeatable.ts';

/** Names of the values of a kind, in the help. */
const VALUE_NAMES: Readonly<Partial<Record<OptionRow['kind'], string>>> = {
  number: 'n',
  integer: 'n',
  duration: 'time',
  share: 'share',
  percent: 'percent',
};

/** The flag of an option in camel case. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * The option of a command line that an option of `load` is.
 *
 * @param own what differs in another command; an empty group for one without groups
 */
export function loadOption(name: OptionName, own: Partial<OptionRow> = {}): Option {
  const { kind, group, help, choices, ...row } = { ...OPTION_ROWS[name], ...own };
  const usual = row.absent ?? row.default;
  const flags = kind === 'switch' ? '' : ` <${row.value ?? VALUE_NAMES[kind] ?? 'text'}>`;
  const words = usual === undefined ? help : `${help} (default: ${usual})`;
  const option = (kind === 'texts' ? repeatable : newOption)(flagOf(name) + flags, words);
  if (choices !== undefined) option.choices(choices);
  if (kind === 'number' || kind === 'integer') option.argParser(readNumber);
  return group === '' ? option : option.helpGroup(`${group}:`);
}

const newOption = (flags: string, words: string): Option => new Option(flags, words);

/** A decimal number; any other text stays one, and the schema of the options refuses it. */
const readNumber = (text: string): number | string =>
  /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
