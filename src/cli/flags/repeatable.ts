import { Option } from 'commander';

/**
 * An option that may be given several times; its values form a list.
 *
 * @param whenAbsent meaning of an absent option, for the help; without it the value is then
 *   undefined
 */
export function repeatable(flags: string, description: string, whenAbsent?: string): Option {
  const option = new Option(flags, `${description}; repeatable`).argParser(
    (value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value],
  );
  return whenAbsent === undefined ? option : option.default([], whenAbsent);
}
