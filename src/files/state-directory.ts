import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../interface/errors.ts';

/** Folder and environment that the place of the state directory depends on. */
export interface StatePlace {
  /** Folder that a relative path starts from. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Private folder of what later runs need, such as the ledger: `FAREPROOF_STATE_DIR`, else `fareproof` in
 * `XDG_STATE_HOME`, else `.local/state/fareproof` in the home directory.
 *
 * @param home reads the home directory of the user from the system, where `HOME` is not set
 * @throws ConfigurationError `STATE_DIRECTORY_UNKNOWN` if there is no home directory
 */
export function stateDirectory({ cwd, env }: StatePlace, home: () => string = homedir): string {
  const named = env['FAREPROOF_STATE_DIR'];
  if (named) return resolve(cwd, named);
  const base = env['XDG_STATE_HOME'] || join(env['HOME'] || homeOf(home), '.local', 'state');
  return resolve(cwd, base, 'fareproof');
}

function homeOf(home: () => string): string {
  let found = '';
  let cause: unknown;
  try {
    found = home();
  } catch (error) {
    // The user has no entry in the system's list, as in a container with a user id of its own.
    cause = error;
  }
  if (found !== '') return found;
  throw new ConfigurationError(
    'STATE_DIRECTORY_UNKNOWN',
    'this user has no home directory to keep the ledger of spent allowances and unfinished runs in; set FAREPROOF_STATE_DIR to a folder that later runs will find.',
    { cause },
  );
}
