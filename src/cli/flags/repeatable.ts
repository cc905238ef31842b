import { Option } from 'commander';

/**
 * An option that may be given several times; its values come as a list.
 *
 * @param whenAbsent what an empty list stands for, in the help; without it an option that is not
 *   given is undefined
 */
export function repeatable(flags: string, description: string, whenAbsent?: string): Option {
  const option = new Option(flags, `${description}; repeatable`).argParser(
    (value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value],
  );
  return whenAbsent === undefined ? option : option.default([], whenAbsent);
}
