import { ConfigurationError } from '../../../interface/errors.ts';
import type { LoadSuite } from '../../../load/index.ts';
import type { LocatedYaml } from '../../files/yaml.ts';

/** Origin of the settings of a load, so that an error names what the user wrote. */
export interface Origin {
  /** `--name` for one from the command line, `file:line: load.name` for one of the suite. */
  readonly of: (name: string, index?: number) => string;
  /**
   * Runs `act`; where an error names flags that the suite sets, it names the suite's fields instead.
   *
   * @throws what `act` throws
   */
  readonly explain: <T>(act: () => Promise<T>) => Promise<T>;
}

/**
 * The origin of the settings of a load.
 *
 * @param typed the flags of the command line, which go before those of the suite
 */
export function originOf(typed: object, suite: LocatedYaml<LoadSuite> | null): Origin {
  const isOfSuite = (name: string): boolean =>
    suite !== null && !(name in typed) && Object.hasOwn(suite.data.load, name);
  const of = (name: string, index?: number): string =>
    suite !== null && isOfSuite(name)
      ? suite.fieldAt(['load', name, ...(index === undefined ? [] : [index])])
      : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const nameFields = (message: string): string =>
    message.replace(/(?<!\S)--([a-z]+(?:-[a-z]+)*)/g, (flag, words: string) => {
      const name = words.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return isOfSuite(name) ? of(name) : flag;
    });
  return {
    of,
    explain: async (act) => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        throw new ConfigurationError(error.code, nameFields(error.message), { cause: error });
      }
    },
  };
}
