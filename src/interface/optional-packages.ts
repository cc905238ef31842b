import { ConfigurationError, type ConfigurationErrorOptions } from './errors.ts';

/**
 * Loads packages that are optional peers of this one.
 *
 * @param problem says what needs which packages, with the command that installs them
 * @throws ConfigurationError with this code, if one of them is missing
 */
export async function loadOptional<T>(
  load: () => Promise<T>,
  code: string,
  problem: string,
  options: Pick<ConfigurationErrorOptions, 'field'> = {},
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigurationError(code, problem, { ...options, cause: error });
  }
}
