import { ConfigurationError } from '../interface/errors.ts';
import { isLoopback } from '../interface/loopback.ts';

/**
 * Refuses load on somebody else's service, which is an attack, unless they permit it. Every load is planned before
 * it runs, and this is asked where it is planned.
 *
 * @throws ConfigurationError `LOAD_NOT_PERMITTED` for an address beyond loopback without permission
 */
export function requirePermission(baseUrl: string, iMayLoadThisTarget: boolean | undefined): void {
  if (isLoopback(baseUrl) || iMayLoadThisTarget === true) return;
  throw new ConfigurationError(
    'LOAD_NOT_PERMITTED',
    (name) =>
      `${baseUrl} is beyond this machine; if you may put load on it, confirm it with ${name('iMayLoadThisTarget')}.`,
  );
}
